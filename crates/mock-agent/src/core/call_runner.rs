//! Runs the tool calls of a reply: requests approvals for all of them, and starts each when it is approved.

use super::approval::Decision;
use super::event::{Event, ReportedCall};
use super::failure::{Failure, FailureSource, Halt};
use super::job_set::JobSet;
use super::subagent::TurnSubagents;
use super::tool_calls::{CallState, CallWork, RequestedCall, ToolCalls};
use super::turn_context::TurnContext;
use crate::faults::Bug;
use crate::tools::{Category, InvalidCall, ProgressListener, ToolContext, ToolResult};
use std::rc::Rc;

/// Runs all calls of a reply until they are finished. True if the host has denied one of them.
pub(super) async fn run_calls(
    turn: TurnContext<'_>,
    calls: &ToolCalls,
    mut requested: Vec<RequestedCall>,
) -> bool {
    let (faults, several) = (&turn.state.faults, requested.len() > 1);
    let one_by_one =
        turn.state.settings.sequential_calls || several && faults.triggers(Bug::OneRequestAtATime);
    if several && faults.triggers(Bug::LosesSecondCall) {
        requested.truncate(1);
    }
    let at_once = if one_by_one { 1 } else { requested.len() };
    calls.queue(requested);
    let mut denied = false;
    loop {
        let batch = calls.next_queued(at_once);
        if batch.is_empty() {
            return denied;
        }
        denied |= run_batch(turn, calls, batch).await;
    }
}

async fn run_batch(turn: TurnContext<'_>, calls: &ToolCalls, batch: Vec<RequestedCall>) -> bool {
    let state = turn.state;
    let subagents = TurnSubagents { turn };
    let progress = ProgressReporter { turn, calls };
    let mut runner = CallRunner {
        turn,
        calls,
        context: ToolContext {
            workspace: &state.workspace,
            subagents: &subagents,
            faults: &state.faults,
            progress: None,
        },
        progress: &progress,
        jobs: JobSet::default(),
    };
    let first = calls.len();
    for call in batch {
        runner.admit(call);
    }
    if state.is_closed() {
        turn.stop.send(Halt::Exit);
        return std::future::pending().await;
    }
    for n in first..calls.len() {
        if calls.is_new(n)
            || calls.awaits_approval(n) && state.faults.triggers(Bug::RunsBeforeApproval)
        {
            runner.start(n);
        }
    }
    let mut denied = false;
    while calls.any_open() {
        state.events.outbox.ready_for_turn().await;
        tokio::select! {
            biased;
            decisions = calls.decisions() => {
                for (n, decision) in decisions {
                    denied |= matches!(decision, Decision::Deny { .. });
                    runner.apply(n, &decision);
                }
            }
            Some((n, result)) = runner.jobs.next() => runner.finish(n, &result),
        }
    }
    denied
}

/// Reports the output of running tools.
struct ProgressReporter<'a> {
    turn: TurnContext<'a>,
    calls: &'a ToolCalls,
}

impl ProgressListener for ProgressReporter<'_> {
    fn on_output(&self, n: usize, output: &str) {
        if let Some(call) = self.calls.call(n) {
            let call = &*call;
            let event = Event::ToolProgress { call, output };
            self.turn.state.events.emit(&event);
        }
    }
}

struct CallRunner<'a> {
    turn: TurnContext<'a>,
    calls: &'a ToolCalls,
    context: ToolContext<'a>,
    progress: &'a ProgressReporter<'a>,
    jobs: JobSet<'a>,
}

impl CallRunner<'_> {
    /// Admits a call: it is invalid, waits for an approval, or can start.
    fn admit(&self, requested: RequestedCall) {
        let state = self.turn.state;
        let RequestedCall { id, tool, args } = requested;
        let (category, job) = match state.tools.job(&tool, &args) {
            Ok(found) => found,
            Err(InvalidCall(why)) => {
                let call = ReportedCall {
                    id: id.clone(),
                    tool,
                    category: Category::Info,
                    args,
                    description: why.clone(),
                };
                let turn = self.turn.id;
                let failure = &Failure::permanent(FailureSource::Tool, why.clone());
                state.events.emit(&Event::ToolRefused {
                    turn,
                    call: &call,
                    failure,
                });
                let n = self.calls.len();
                self.calls.admit(id, None, CallState::New);
                self.calls.finish(n, &ToolResult::error(why));
                return;
            }
        };
        let call = Rc::new(ReportedCall {
            id: match state.faults.triggers(Bug::CallIdsRestart) {
                true => format!("call-{}", self.calls.len()),
                false => id.clone(),
            },
            tool,
            category,
            args,
            description: job.describe().replace(char::is_control, " "),
        });
        let mut call_state = CallState::New;
        if state
            .approvals
            .borrow()
            .needs_approval(&call, &state.faults)
        {
            call_state = CallState::AwaitsApproval;
            let turn = self.turn.id;
            let event = Event::ApprovalRequest { turn, call: &call };
            state.events.emit(&event);
        }
        let work = Some(CallWork { call, job });
        self.calls.admit(id, work, call_state);
    }

    /// Applies a decision of the host.
    fn apply(&mut self, n: usize, decision: &Decision) {
        let faults = &self.turn.state.faults;
        match decision {
            Decision::Approve { .. } if faults.triggers(Bug::LosesApproval) => {
                let result = ToolResult::error("Nothing came of this call.");
                self.calls.finish(n, &result);
            }
            Decision::Approve { .. } => {
                self.start(n);
                if faults.triggers(Bug::ApprovalIsForAll) {
                    while let Some(n) = self.calls.first_awaiting() {
                        self.start(n);
                    }
                }
            }
            Decision::Deny { reason } => {
                self.deny(n, reason);
                if faults.triggers(Bug::DenialIsForAll) {
                    while let Some(n) = self.calls.first_awaiting() {
                        self.deny(n, reason);
                    }
                }
            }
        }
    }

    fn start(&mut self, n: usize) {
        let Some(CallWork { call, job }) = self.calls.set_running(n) else {
            return;
        };
        let (turn, state) = (self.turn.id, self.turn.state);
        state.events.emit(&Event::ToolStart { turn, call: &call });
        let context = ToolContext {
            progress: Some((self.progress, n)),
            ..self.context
        };
        let run = Rc::clone(&job).run(context);
        if !state.faults.triggers(Bug::RunsToolsTwice) {
            return self.jobs.push(n, run);
        }
        let twice = async move {
            let result = run.await;
            job.run(context).await;
            result
        };
        self.jobs.push(n, Box::pin(twice));
    }

    fn finish(&self, n: usize, outcome: &ToolResult) {
        if let Some(call) = self.calls.finish(n, outcome) {
            let (turn, call) = (self.turn.id, &*call);
            self.turn.state.events.emit(&Event::ToolEnd {
                turn,
                call,
                outcome,
            });
        }
    }

    fn deny(&self, n: usize, reason: &str) {
        let text = match self.turn.state.faults.triggers(Bug::LosesReason) {
            true => "The user denied this call.".to_owned(),
            false => format!("The user denied this call: {reason}"),
        };
        let result = ToolResult::error(text);
        if let Some(call) = self.calls.finish(n, &result) {
            let (turn, call) = (self.turn.id, &*call);
            self.turn
                .state
                .events
                .emit(&Event::ToolCancel { turn, call, reason });
        }
    }
}
