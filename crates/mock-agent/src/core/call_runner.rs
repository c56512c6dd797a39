//! Runs the tool calls of a reply: requests approvals for all of them, and starts each one when it is approved.

use super::job_set::JobSet;
use super::{
    CallState, Decision, Event, Failure, FailureSource, Halt, ReportedCall, RequestedCall,
    TurnContext,
};
use crate::faults::Bug;
use crate::tools::{Category, NestedStep, Progress, ProgressListener, ToolContext, ToolResult};
use std::ops::Range;
use std::rc::Rc;

/// Runs all calls of a reply until they are finished. True if the host has denied one of them.
pub(super) async fn run_calls(turn: &TurnContext<'_>, mut requested: Vec<RequestedCall>) -> bool {
    let (session, calls) = (turn.session, &turn.turn.calls);
    let several = requested.len() > 1;
    let is_played = |bug| several && session.faults.triggers(bug);
    let backwards = is_played(Bug::RunsCallsBackwards);
    let one_by_one = session.settings.sequential_calls && !is_played(Bug::RunsCallsTogether)
        || backwards
        || is_played(Bug::OneRequestAtATime);
    if several && session.faults.triggers(Bug::LosesSecondCall) {
        requested.truncate(1);
    }
    calls.add(requested);
    let all = calls.len();
    let at_once = if one_by_one { 1 } else { all };
    let mut denied = false;
    let mut batches: Vec<_> = (0..all).step_by(at_once).collect();
    if backwards {
        batches.reverse();
    }
    for first in batches {
        denied |= run_batch(turn, first..first + at_once).await;
    }
    denied
}

async fn run_batch(turn: &TurnContext<'_>, batch: Range<usize>) -> bool {
    let (session, calls) = (turn.session, &turn.turn.calls);
    let on_progress = |n, progress: Progress<'_>| {
        if let Some(call) = calls.call(n) {
            emit_progress(turn, &call, progress);
        }
    };
    let mut runner = CallRunner {
        turn,
        on_progress: &on_progress,
        jobs: JobSet::default(),
    };
    batch.clone().for_each(|n| runner.admit(n));
    if session.is_closed() {
        let _ = turn.turn.stop.set(Halt::Exit);
        return std::future::pending().await;
    }
    for n in batch.clone() {
        if calls.has_state(n, &CallState::New)
            || calls.has_state(n, &CallState::AwaitsApproval)
                && session.faults.triggers(Bug::RunsBeforeApproval)
        {
            runner.start(n);
        }
    }
    let mut denied = false;
    while batch.clone().any(|n| calls.is_open(n)) {
        session.events.outbox.ready_for_turn().await;
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

/// Reports the progress of a call: its output, or a step of a call that its tool has made.
fn emit_progress(context: &TurnContext<'_>, call: &ReportedCall, progress: Progress<'_>) {
    let (events, turn) = (&context.session.events, context.turn.id());
    let (place, tool, args, step) = match progress {
        Progress::Output(output) => return events.emit(&Event::ToolProgress { call, output }),
        Progress::Shown(content) => return events.emit(&Event::ToolShows { call, content }),
        Progress::Nested {
            place,
            tool,
            args,
            step,
        } => (place, tool, args, step),
    };
    let call = &ReportedCall {
        id: format!("{}/{place}", call.id),
        parent: Some(call.id.clone()),
        tool: tool.to_owned(),
        args: args.clone(),
        ..call.clone()
    };
    match step {
        NestedStep::Started => events.emit(&Event::ToolStart { turn, call }),
        NestedStep::Output(output) => events.emit(&Event::ToolProgress { call, output }),
        NestedStep::Ended(outcome) => events.emit(&Event::ToolEnd {
            turn,
            call,
            outcome,
        }),
        NestedStep::Refused(why) => events.emit(&Event::ToolRefused {
            turn,
            call,
            failure: &Failure::permanent(FailureSource::Tool, why),
        }),
    }
}

impl TurnContext<'_> {
    /// What a tool has access to.
    pub(super) fn tool_context(&self) -> ToolContext<'_> {
        ToolContext {
            workspace: &self.session.workspace,
            subagents: self,
            faults: &self.session.faults,
            progress: None,
            adapter: self.session.adapter.as_deref(),
        }
    }
}

struct CallRunner<'a> {
    turn: &'a TurnContext<'a>,
    /// Reports the progress of a call.
    on_progress: ProgressListener<'a>,
    jobs: JobSet<'a>,
}

impl CallRunner<'_> {
    /// Admits a call: it is invalid, waits for an approval, or can start.
    fn admit(&self, n: usize) {
        let TurnContext { session, turn } = *self.turn;
        let faults = &session.faults;
        let RequestedCall { id, tool, args } = turn.calls.requested(n);
        let (category, description, job) = match session.tools.job(&tool, &args) {
            Ok((category, job)) => {
                let description = job.describe().replace(char::is_control, " ");
                (category, description, Some(job))
            }
            Err(why) => (Category::Info, why.to_string(), None),
        };
        let call = Rc::new(ReportedCall {
            id: if job.is_some() && faults.triggers(Bug::CallIdsRestart) {
                format!("call-{n}")
            } else {
                id
            },
            parent: None,
            tool,
            category,
            args,
            description,
        });
        let (turn, calls) = (turn.id(), &turn.calls);
        let Some(job) = job else {
            let why = &call.description;
            session.events.emit(&Event::ToolRefused {
                turn,
                call: &call,
                failure: &Failure::permanent(FailureSource::Tool, why),
            });
            calls.finish(n, &ToolResult::error(why));
            return;
        };
        let mut state = CallState::New;
        if session.approvals.borrow().needs_approval(&call, faults) {
            state = CallState::AwaitsApproval;
            let event = Event::ApprovalRequest { turn, call: &call };
            session.events.emit(&event);
        }
        calls.admit(n, (call, job), state);
    }

    /// Applies a decision of the host.
    fn apply(&mut self, n: usize, decision: &Decision) {
        let (faults, calls) = (&self.turn.session.faults, &self.turn.turn.calls);
        match decision {
            Decision::Approve { .. } if faults.triggers(Bug::LosesApproval) => {
                calls.finish(n, &ToolResult::error("Nothing came of this call."));
            }
            Decision::Approve { always } => {
                self.start(n);
                if faults.triggers(Bug::ApprovalIsForAll)
                    || *always && faults.triggers(Bug::AlwaysAnswersOpen)
                {
                    while let Some(n) = calls.first_awaiting() {
                        self.start(n);
                    }
                }
            }
            Decision::Deny { reason } => {
                self.deny(n, reason);
                if faults.triggers(Bug::DenialIsForAll) {
                    while let Some(n) = calls.first_awaiting() {
                        self.deny(n, reason);
                    }
                }
            }
        }
    }

    fn start(&mut self, n: usize) {
        let TurnContext { session, turn } = *self.turn;
        let Some((call, job)) = turn.calls.set_running(n) else {
            return;
        };
        let (turn, call) = (turn.id(), &*call);
        session.events.emit(&Event::ToolStart { turn, call });
        let context = ToolContext {
            progress: Some((self.on_progress, n)),
            ..self.turn.tool_context()
        };
        let run = Rc::clone(&job).run(context);
        if !session.faults.triggers(Bug::RunsToolsTwice) {
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
        let TurnContext { session, turn } = self.turn;
        if let Some(call) = turn.calls.finish(n, outcome) {
            session.events.emit(&Event::ToolEnd {
                turn: turn.id(),
                call: &call,
                outcome,
            });
        }
    }

    fn deny(&self, n: usize, reason: &str) {
        let TurnContext { session, turn } = self.turn;
        let text = if session.faults.triggers(Bug::LosesReason) {
            "The user denied this call.".to_owned()
        } else {
            format!("The user denied this call: {reason}")
        };
        if let Some(call) = turn.calls.finish(n, &ToolResult::error(text)) {
            session.events.emit(&Event::ToolCancel {
                turn: turn.id(),
                call: &call,
                reason,
            });
        }
    }
}
