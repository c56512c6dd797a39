//! The tool calls of one reply: asked for at once, answered in any order, run as they are approved.

use super::approval::Decision;
use super::call::Call;
use super::event::Event;
use super::failure::Halt;
use super::failure::{Code, Failure};
use super::job_set::JobSet;
use super::session::Session;
use super::side_request::TurnSubagents;
use super::turn::Turn;
use crate::model::message::{ContentBlock, ResultContent};
use crate::tools::Category;
use crate::tools::{InvalidCall, Job, ProgressListener, ToolContext};
use crate::tools::{ToolOutput, ToolResult};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use tokio::sync::Notify;

/// The calls of a turn's latest reply.
#[derive(Default)]
pub(crate) struct ToolCalls {
    /// What has not been looked at yet.
    later: RefCell<VecDeque<RequestedCall>>,
    slots: RefCell<Vec<Slot>>,
    decisions: RefCell<VecDeque<(usize, Decision)>>,
    decided: Notify,
}

/// Says what tools at work have written.
struct Teller<'a> {
    calls: &'a ToolCalls,
    session: &'a Session,
}

impl Teller<'_> {
    fn to<'t>(&'t self, cx: ToolContext<'t>, n: usize) -> ToolContext<'t> {
        let progress = Some((self as &dyn ProgressListener, n));
        ToolContext { progress, ..cx }
    }
}

impl ProgressListener for Teller<'_> {
    fn on_output(&self, n: usize, output: &str) {
        let call = self
            .calls
            .slots
            .borrow()
            .get(n)
            .and_then(Slot::call)
            .cloned();
        if let Some(call) = call {
            self.session.events.emit(&Event::ToolProgress {
                call: &call,
                output,
            });
        }
    }
}

/// A call as the model wants it.
pub(crate) struct RequestedCall {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) args: Value,
}

struct Slot {
    /// As the model knows it.
    id: String,
    /// What there is to do; nothing for a call that was refused outright.
    work: Option<Work>,
    state: State,
}

#[derive(Clone)]
struct Work {
    call: Rc<Call>,
    job: Rc<dyn Job>,
}

#[derive(PartialEq)]
enum State {
    /// It has just come.
    New,
    /// The host was asked.
    Asked,
    /// The host has answered.
    Decided,
    JobSet,
    /// What the model is told.
    Over(ContentBlock),
}

impl Slot {
    fn is_over(&self) -> bool {
        matches!(self.state, State::Over(_))
    }

    fn call(&self) -> Option<&Rc<Call>> {
        self.work.as_ref().map(|work| &work.call)
    }

    /// Whether the host knows it by this id.
    fn is_called(&self, id: &str) -> bool {
        self.call().is_some_and(|call| call.id == id)
    }
}

impl ToolCalls {
    /// Whether a call waits for an answer, or runs.
    pub(crate) fn any_open(&self) -> bool {
        self.slots.borrow().iter().any(|slot| !slot.is_over())
    }

    /// The call that waits for an answer under this id.
    pub(crate) fn asked(&self, id: &str) -> Option<Rc<Call>> {
        let slots = self.slots.borrow();
        slots[waiting(&slots, id)?].call().cloned()
    }

    /// The call of this id, whatever its state.
    pub(crate) fn known(&self, id: &str) -> Option<Rc<Call>> {
        let slots = self.slots.borrow();
        slots
            .iter()
            .find(|slot| slot.is_called(id))?
            .call()
            .cloned()
    }

    /// The ids of all calls that wait for an answer.
    pub(crate) fn all_asked(&self) -> Vec<String> {
        let slots = self.slots.borrow();
        let asked = slots.iter().filter(|slot| slot.state == State::Asked);
        let calls = asked.filter_map(Slot::call);
        calls.map(|call| call.id.clone()).collect()
    }

    /// Takes the answer for a call that waits for one.
    pub(crate) fn decide(&self, id: &str, decision: Decision) {
        let mut slots = self.slots.borrow_mut();
        if let Some(n) = waiting(&slots, id) {
            slots[n].state = State::Decided;
            self.decisions.borrow_mut().push_back((n, decision));
            self.decided.notify_one();
        }
    }

    /// Sees every call through to its end. True if one of them was denied.
    pub(crate) async fn run(
        &self,
        session: &Session,
        turn: &Turn,
        wanted: Vec<RequestedCall>,
    ) -> bool {
        let mut wanted = wanted;
        let mut at_once = wanted.len();
        if session.settings.sequential_calls {
            at_once = 1;
        }
        at_once = session.hooks.calls_at_once(at_once);
        wanted.truncate(session.hooks.admitted_calls(wanted.len()));
        let mut denied = false;
        self.later.replace(wanted.into());
        loop {
            let some = self.next_wanted(at_once);
            if some.is_empty() {
                break;
            }
            denied |= self.run_some(session, turn, some).await;
        }
        denied
    }

    fn next_wanted(&self, count: usize) -> Vec<RequestedCall> {
        let mut later = self.later.borrow_mut();
        let count = count.min(later.len());
        later.drain(..count).collect()
    }

    async fn run_some(&self, session: &Session, turn: &Turn, wanted: Vec<RequestedCall>) -> bool {
        let helper = TurnSubagents { turn, session };
        let cx = ToolContext {
            workspace: &session.workspace,
            subagents: &helper,
            hooks: &*session.hooks,
            progress: None,
        };
        let teller = Teller {
            calls: self,
            session,
        };
        let first = self.slots.borrow().len();
        let count = wanted.len();
        for one in wanted {
            self.admit(session, turn, one);
        }
        if session.is_closing() {
            turn.halt(Halt::Exit);
            return std::future::pending().await;
        }
        let mut running = JobSet::default();
        for n in first..first + count {
            if self.may_start(session, n) {
                self.start(session, turn, n, teller.to(cx, n), &mut running);
            }
        }
        let mut denied = false;
        while self.any_open() {
            session.events.outbox.ready_for_turn().await;
            tokio::select! {
                           biased;
                           () = self.decided.notified() => {
                               for (n, decision) in self.decisions.take() {
                                   match decision {
                                       Decision::Approve { .. } if session.hooks.loses_approval() => {
                                           self.lose(n);
                                       }
                                       Decision::Approve { .. } => {
                                           self.start(session, turn, n, teller.to(cx, n), &mut running);
                                           while session.hooks.answers_all(true)
            && let Some(n) = self.position(|slot| slot.state == State::Asked)
                                           {
                                               self.start(session, turn, n, teller.to(cx, n), &mut running);
                                           }
                                       }
                                       Decision::Deny { reason } => {
                                           self.deny(session, turn, n, &reason);
                                           denied = true;
                                           if session.hooks.answers_all(false) {
                                               self.deny_all(session, turn, &reason);
                                           }
                                       }
                                   }
                               }
                           }
                           Some((n, outcome)) = running.next() => self.finish(session, turn, n, &outcome),
                       }
        }
        denied
    }

    /// Takes a call in: it is refused, asked for, or may start.
    fn admit(&self, session: &Session, turn: &Turn, wanted: RequestedCall) {
        let RequestedCall { id, tool, args } = wanted;
        let (category, job) = match session.tools.job(&tool, &args) {
            Ok(found) => found,
            Err(InvalidCall(why)) => {
                let call = Call {
                    id: id.clone(),
                    tool,
                    category: Category::Info,
                    args,
                    description: why.clone(),
                };
                session.events.emit(&Event::ToolRefused {
                    turn: turn.id(),
                    call: &call,
                    failure: &Failure::lasting(Code::Tool, why.clone()),
                });
                let state = State::Over(result(&id, &ToolResult::error(why)));
                let work = None;
                return self.slots.borrow_mut().push(Slot { id, work, state });
            }
        };
        let call = Rc::new(Call {
            id: session.hooks.host_call_id(&id, self.slots.borrow().len()),
            tool,
            category,
            args,
            description: one_line(&job.describe()),
        });
        let mut state = State::New;
        if session.must_ask(&call) {
            state = State::Asked;
            session.events.emit(&Event::ApprovalRequest {
                turn: turn.id(),
                call: &call,
            });
        }
        let work = Some(Work { call, job });
        self.slots.borrow_mut().push(Slot { id, work, state });
    }

    fn may_start(&self, session: &Session, n: usize) -> bool {
        match self.slots.borrow()[n].state {
            State::New => true,
            State::Asked => session.hooks.starts_unapproved(),
            _ => false,
        }
    }

    fn start<'a>(
        &self,
        session: &Session,
        turn: &Turn,
        n: usize,
        cx: ToolContext<'a>,
        running: &mut JobSet<'a>,
    ) {
        if let Some(Work { call, job }) = self.turn_to(n, State::JobSet) {
            let turn = turn.id();
            session.events.emit(&Event::ToolStart { turn, call: &call });
            let first = Rc::clone(&job).run(cx);
            if session.hooks.repeats_tool() {
                let both = async move {
                    let outcome = first.await;
                    job.run(cx).await;
                    outcome
                };
                return running.push(n, Box::pin(both));
            }
            running.push(n, first);
        }
    }

    fn finish(&self, session: &Session, turn: &Turn, n: usize, outcome: &ToolResult) {
        let over = State::Over(result(&self.id(n), outcome));
        if let Some(Work { call, .. }) = self.turn_to(n, over) {
            session.events.emit(&Event::ToolEnd {
                turn: turn.id(),
                call: &call,
                outcome,
            });
        }
    }

    fn deny(&self, session: &Session, turn: &Turn, n: usize, reason: &str) {
        let right = format!("The user denied this call: {reason}");
        let told = ToolResult::error(session.hooks.denial_text(right));
        let over = State::Over(result(&self.id(n), &told));
        if let Some(Work { call, .. }) = self.turn_to(n, over) {
            session.events.emit(&Event::ToolCancel {
                turn: turn.id(),
                call: &call,
                reason,
            });
        }
    }

    /// Forgets a call that was approved.
    fn lose(&self, n: usize) {
        let told = ToolResult::error("Nothing came of this call.");
        self.turn_to(n, State::Over(result(&self.id(n), &told)));
    }

    fn deny_all(&self, session: &Session, turn: &Turn, reason: &str) {
        let asked = |slot: &Slot| slot.state == State::Asked;
        while let Some(n) = self.position(asked) {
            self.deny(session, turn, n, reason);
        }
    }

    fn position(&self, of: impl Fn(&Slot) -> bool) -> Option<usize> {
        self.slots.borrow().iter().position(of)
    }

    fn id(&self, n: usize) -> String {
        self.slots.borrow()[n].id.clone()
    }

    /// Moves a call on to its next state.
    fn turn_to(&self, n: usize, state: State) -> Option<Work> {
        let mut slots = self.slots.borrow_mut();
        slots[n].state = state;
        slots[n].work.clone()
    }

    /// Ends every open call; gives those that the host knows of.
    pub(crate) fn abandon(&self, reason: &str) -> Vec<Rc<Call>> {
        let mut slots = self.slots.borrow_mut();
        let told = ToolResult::error(format!("Cancelled: {reason}"));
        let unseen = self.later.take().into_iter().map(|wanted| Slot {
            state: State::Over(result(&wanted.id, &told)),
            id: wanted.id,
            work: None,
        });
        slots.extend(unseen);
        let open = slots.iter_mut().filter(|slot| !slot.is_over());
        open.filter_map(|slot| {
            slot.state = State::Over(result(&slot.id, &told));
            slot.call().cloned()
        })
        .collect()
    }

    /// The results of all calls, in the order in which the model wanted them.
    pub(crate) fn take(&self) -> Vec<ContentBlock> {
        self.decisions.take();
        let slots = self.slots.take().into_iter();
        let results = slots.filter_map(|slot| match slot.state {
            State::Over(block) => Some(block),
            _ => None,
        });
        results.collect()
    }
}

fn waiting(slots: &[Slot], id: &str) -> Option<usize> {
    slots
        .iter()
        .position(|slot| slot.state == State::Asked && slot.is_called(id))
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// What the model is told of a call.
pub(crate) fn result(call: &str, outcome: &ToolResult) -> ContentBlock {
    let output = match &outcome.output {
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
        is_error: !outcome.ok,
    }
}

/// The calls in a reply.
pub(crate) fn requested_calls(content: &[ContentBlock]) -> Vec<RequestedCall> {
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
