//! The tool calls of the latest reply: their states, and the host's decisions on them.

use super::{Decision, ReportedCall};
use crate::faults::{Bug, Faults};
use crate::model::{ContentBlock, ResultContent};
use crate::tools::{Job, ToolOutput, ToolResult};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use tokio::sync::Notify;

/// The longest tool result that [`Bug::CutsToolResults`] leaves alone, in bytes.
const LONG_RESULT: usize = 4096;

/// The calls of a turn's latest reply. A call has the number of its place in the reply.
#[derive(Default)]
pub(crate) struct ToolCalls {
    entries: RefCell<Vec<Entry>>,
    decisions: RefCell<VecDeque<(usize, Decision)>>,
    decided: Notify,
}

/// A call as the model has requested it.
#[derive(Clone)]
pub(super) struct RequestedCall {
    pub(super) id: String,
    pub(super) tool: String,
    pub(super) args: Value,
}

struct Entry {
    requested: RequestedCall,
    /// The call as the host knows it, and its job; none if it is not admitted or invalid.
    work: Option<CallWork>,
    state: CallState,
}

type CallWork = (Rc<ReportedCall>, Rc<dyn Job>);

#[derive(PartialEq)]
pub(super) enum CallState {
    /// Not started yet.
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

    /// Finishes the call with the result for the model; returns the call.
    fn finish(&mut self, result: &ToolResult) -> Option<Rc<ReportedCall>> {
        self.state = CallState::Finished(result_block(&self.requested.id, result));
        self.call().cloned()
    }
}

impl ToolCalls {
    /// Whether a call waits, runs or has not started.
    pub(crate) fn any_open(&self) -> bool {
        self.entries.borrow().iter().any(Entry::is_open)
    }

    /// The call that waits for an approval under this id.
    pub(super) fn awaiting(&self, id: &str) -> Option<Rc<ReportedCall>> {
        self.call(self.number_awaiting(id)?)
    }

    fn number_awaiting(&self, id: &str) -> Option<usize> {
        let is_meant =
            |entry: &Entry| entry.state == CallState::AwaitsApproval && entry.has_host_id(id);
        self.entries.borrow().iter().position(is_meant)
    }

    /// The call with this id, in any state.
    pub(super) fn find(&self, id: &str) -> Option<Rc<ReportedCall>> {
        let entries = self.entries.borrow();
        let entry = entries.iter().find(|entry| entry.has_host_id(id))?;
        entry.call().cloned()
    }

    /// The ids of all calls that wait for an approval.
    pub(super) fn all_awaiting(&self) -> Vec<String> {
        let waiting = (0..self.len()).filter(|n| self.has_state(*n, &CallState::AwaitsApproval));
        let calls = waiting.filter_map(|n| self.call(n));
        calls.map(|call| call.id.clone()).collect()
    }

    /// Records the decision on a call that waits for one.
    pub(super) fn decide(&self, id: &str, decision: Decision) {
        if let Some(n) = self.number_awaiting(id) {
            self.entries.borrow_mut()[n].state = CallState::Decided;
            self.decisions.borrow_mut().push_back((n, decision));
            self.decided.notify_one();
        }
    }

    /// Ends every open call as if it were denied. Only a fault does that.
    pub(super) fn deny_all(&self, reason: &str) {
        for n in (0..self.len()).filter(|n| self.is_open(*n)) {
            let reason = reason.to_owned();
            let denial = (n, Decision::Deny { reason });
            self.decisions.borrow_mut().push_back(denial);
        }
        self.decided.notify_one();
    }

    /// Waits for decisions of the host.
    pub(super) async fn decisions(&self) -> VecDeque<(usize, Decision)> {
        self.decided.notified().await;
        self.decisions.take()
    }

    /// Adds the calls of a reply.
    pub(super) fn add(&self, calls: Vec<RequestedCall>) {
        let entries = calls.into_iter().map(|requested| Entry {
            requested,
            work: None,
            state: CallState::New,
        });
        self.entries.borrow_mut().extend(entries);
    }

    pub(super) fn len(&self) -> usize {
        self.entries.borrow().len()
    }

    pub(super) fn requested(&self, n: usize) -> RequestedCall {
        self.entries.borrow()[n].requested.clone()
    }

    /// Admits a valid call.
    pub(super) fn admit(&self, n: usize, work: CallWork, state: CallState) {
        let entry = &mut self.entries.borrow_mut()[n];
        (entry.work, entry.state) = (Some(work), state);
    }

    pub(super) fn is_open(&self, n: usize) -> bool {
        self.entries.borrow()[n].is_open()
    }

    pub(super) fn has_state(&self, n: usize, state: &CallState) -> bool {
        self.entries.borrow()[n].state == *state
    }

    /// The first call that waits for an approval.
    pub(super) fn first_awaiting(&self) -> Option<usize> {
        (0..self.len()).find(|n| self.has_state(*n, &CallState::AwaitsApproval))
    }

    /// The call with this number as the host knows it.
    pub(super) fn call(&self, n: usize) -> Option<Rc<ReportedCall>> {
        self.entries.borrow().get(n)?.call().cloned()
    }

    pub(super) fn set_running(&self, n: usize) -> Option<CallWork> {
        let entry = &mut self.entries.borrow_mut()[n];
        entry.state = CallState::Running;
        entry.work.clone()
    }

    /// Finishes a call with the result for the model; returns the call.
    pub(super) fn finish(&self, n: usize, result: &ToolResult) -> Option<Rc<ReportedCall>> {
        self.entries.borrow_mut()[n].finish(result)
    }

    /// Cancels every open call; returns those that were reported to the host: a call that has not started was not.
    pub(super) fn cancel_all(&self, reason: &str) -> Vec<Rc<ReportedCall>> {
        let result = ToolResult::error(format!("Cancelled: {reason}"));
        let mut entries = self.entries.borrow_mut();
        let open = entries.iter_mut().filter(|entry| entry.is_open());
        let reported = open.filter_map(|entry| {
            let is_reported = entry.state != CallState::New;
            entry.finish(&result).filter(|_| is_reported)
        });
        reported.collect()
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

/// Loses parts of the tool results for the model. Only a fault does that.
pub(super) fn shorten(results: &mut [ContentBlock], faults: &Faults) {
    for block in results {
        let ContentBlock::Result {
            output, is_error, ..
        } = block
        else {
            continue;
        };
        if let ResultContent::Text(text) = output
            && text.len() > LONG_RESULT
            && faults.triggers(Bug::CutsToolResults)
        {
            text.truncate(text.floor_char_boundary(LONG_RESULT));
        }
        if faults.triggers(Bug::LosesToolResults)
            || *is_error && faults.triggers(Bug::LosesToolErrors)
        {
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
