//! The tool calls of the latest reply: their states, and the host's decisions on them.

use super::approval::Decision;
use super::event::ReportedCall;
use crate::faults::{Bug, Faults};
use crate::model::message::{ContentBlock, ResultContent};
use crate::tools::{Job, ToolOutput, ToolResult};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use tokio::sync::Notify;

/// The longest tool result that [`Bug::CutsToolResults`] leaves alone, in bytes.
const LONG_RESULT: usize = 4096;

/// The calls of a turn's latest reply.
#[derive(Default)]
pub(crate) struct ToolCalls {
    /// Calls that are not admitted yet.
    queued: RefCell<VecDeque<RequestedCall>>,
    /// Admitted calls, in the order of the reply.
    entries: RefCell<Vec<Entry>>,
    decisions: RefCell<VecDeque<(usize, Decision)>>,
    decided: Notify,
}

/// A call as the model has requested it.
pub(super) struct RequestedCall {
    pub(super) id: String,
    pub(super) tool: String,
    pub(super) args: Value,
}

struct Entry {
    /// The model's id of the call.
    id: String,
    /// None for a call that is invalid.
    work: Option<CallWork>,
    state: CallState,
}

/// An admitted call and its job.
type CallWork = (Rc<ReportedCall>, Rc<dyn Job>);

#[derive(PartialEq)]
pub(super) enum CallState {
    New,
    AwaitsApproval,
    Decided,
    Running,
    /// The call is over; the model gets this block.
    Finished(ContentBlock),
}

impl Entry {
    fn is_open(&self) -> bool {
        !matches!(self.state, CallState::Finished(_))
    }

    fn call(&self) -> Option<&Rc<ReportedCall>> {
        self.work.as_ref().map(|(call, _)| call)
    }

    /// Whether this is the host's id of the call.
    fn has_host_id(&self, id: &str) -> bool {
        self.call().is_some_and(|call| call.id == id)
    }
}

impl ToolCalls {
    /// Whether a call waits for an approval, or runs.
    pub(crate) fn any_open(&self) -> bool {
        self.entries.borrow().iter().any(Entry::is_open)
    }

    /// The call that waits for an approval under this id.
    pub(super) fn awaiting(&self, id: &str) -> Option<Rc<ReportedCall>> {
        let entries = self.entries.borrow();
        entries[awaiting(&entries, id)?].call().cloned()
    }

    /// The call with this id, in any state.
    pub(super) fn find(&self, id: &str) -> Option<Rc<ReportedCall>> {
        let entries = self.entries.borrow();
        let entry = entries.iter().find(|entry| entry.has_host_id(id))?;
        entry.call().cloned()
    }

    /// The ids of all calls that wait for an approval.
    pub(super) fn all_awaiting(&self) -> Vec<String> {
        let entries = self.entries.borrow();
        let waiting = entries
            .iter()
            .filter(|entry| entry.state == CallState::AwaitsApproval);
        let calls = waiting.filter_map(Entry::call);
        calls.map(|call| call.id.clone()).collect()
    }

    /// Records the decision on a call that waits for one.
    pub(super) fn decide(&self, id: &str, decision: Decision) {
        let mut entries = self.entries.borrow_mut();
        if let Some(n) = awaiting(&entries, id) {
            entries[n].state = CallState::Decided;
            self.decisions.borrow_mut().push_back((n, decision));
            self.decided.notify_one();
        }
    }

    /// Waits for decisions of the host.
    pub(super) async fn decisions(&self) -> VecDeque<(usize, Decision)> {
        self.decided.notified().await;
        self.decisions.take()
    }

    /// Queues the calls of a reply.
    pub(super) fn queue(&self, calls: Vec<RequestedCall>) {
        self.queued.replace(calls.into());
    }

    /// Takes the next calls out of the queue, at most `count`.
    pub(super) fn next_queued(&self, count: usize) -> Vec<RequestedCall> {
        let mut queued = self.queued.borrow_mut();
        let count = count.min(queued.len());
        queued.drain(..count).collect()
    }

    /// The number of admitted calls.
    pub(super) fn len(&self) -> usize {
        self.entries.borrow().len()
    }

    /// Adds a call under the model's id.
    pub(super) fn admit(&self, id: String, work: Option<CallWork>, state: CallState) {
        self.entries.borrow_mut().push(Entry { id, work, state });
    }

    pub(super) fn has_state(&self, n: usize, state: &CallState) -> bool {
        self.entries.borrow()[n].state == *state
    }

    /// The first call that waits for an approval.
    pub(super) fn first_awaiting(&self) -> Option<usize> {
        (0..self.len()).find(|n| self.has_state(*n, &CallState::AwaitsApproval))
    }

    /// The call at this position.
    pub(super) fn call(&self, n: usize) -> Option<Rc<ReportedCall>> {
        self.entries.borrow().get(n)?.call().cloned()
    }

    pub(super) fn set_running(&self, n: usize) -> Option<CallWork> {
        let entry = &mut self.entries.borrow_mut()[n];
        entry.state = CallState::Running;
        entry.work.clone()
    }

    /// Finishes a call with what the model gets; returns the call.
    pub(super) fn finish(&self, n: usize, result: &ToolResult) -> Option<Rc<ReportedCall>> {
        let entry = &mut self.entries.borrow_mut()[n];
        entry.state = CallState::Finished(result_block(&entry.id, result));
        entry.call().cloned()
    }

    /// Cancels every open call; returns those that the host knows.
    pub(super) fn cancel_all(&self, reason: &str) -> Vec<Rc<ReportedCall>> {
        let mut entries = self.entries.borrow_mut();
        let result = ToolResult::error(format!("Cancelled: {reason}"));
        let unknown = self.queued.take().into_iter().map(|call| Entry {
            state: CallState::Finished(result_block(&call.id, &result)),
            id: call.id,
            work: None,
        });
        entries.extend(unknown);
        let open = entries.iter_mut().filter(|entry| entry.is_open());
        open.filter_map(|entry| {
            entry.state = CallState::Finished(result_block(&entry.id, &result));
            entry.call().cloned()
        })
        .collect()
    }

    /// Removes all calls; returns their results in the order of the reply.
    pub(super) fn take_results(&self) -> Vec<ContentBlock> {
        self.decisions.take();
        let entries = self.entries.take().into_iter();
        let results = entries.filter_map(|entry| match entry.state {
            CallState::Finished(block) => Some(block),
            _ => None,
        });
        results.collect()
    }
}

fn awaiting(entries: &[Entry], id: &str) -> Option<usize> {
    let awaits = |entry: &Entry| entry.state == CallState::AwaitsApproval;
    entries
        .iter()
        .position(|entry| awaits(entry) && entry.has_host_id(id))
}

/// Loses parts of what the model gets of tools. Only a fault does that.
pub(super) fn shorten(results: &mut [ContentBlock], faults: &Faults) {
    for block in results {
        let ContentBlock::Result { output, .. } = block else {
            continue;
        };
        if let ResultContent::Text(text) = output
            && text.len() > LONG_RESULT
            && faults.triggers(Bug::CutsToolResults)
        {
            text.truncate(text.floor_char_boundary(LONG_RESULT));
        }
        if faults.triggers(Bug::LosesToolResults) {
            *output = ResultContent::Text("ok".into());
        }
    }
}

/// The result of a call as the model gets it.
pub(super) fn result_block(call: &str, result: &ToolResult) -> ContentBlock {
    let output = match &result.output {
        ToolOutput::Text(text) | ToolOutput::Diff { diff: text, .. } => {
            ResultContent::Text(text.clone())
        }
        ToolOutput::Image { media_type, data } => ResultContent::Image {
            media_type: media_type.clone(),
            data: data.clone(),
        },
    };
    ContentBlock::Result {
        call: call.to_owned(),
        output,
        is_error: !result.ok,
    }
}

/// The calls in a reply.
pub(super) fn requested_calls(content: &[ContentBlock]) -> Vec<RequestedCall> {
    let calls = content.iter().filter_map(|block| match block {
        ContentBlock::Call { id, tool, args, .. } => Some(RequestedCall {
            id: id.clone(),
            tool: tool.clone(),
            args: args.clone(),
        }),
        _ => None,
    });
    calls.collect()
}
