//! The tool calls of one reply: asked for at once, answered in any order, run as they are approved.

use super::approval::{Category, Decision};
use super::event::{Call, Code, Event, Failure, Outcome, Output};
use super::message::{Block, ResultContent};
use super::running::Running;
use super::session::{Halt, Session};
use super::tools::{Cx, Job};
use super::turn::{Helper, Turn};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use tokio::sync::Notify;

/// The calls of a turn's latest reply.
#[derive(Default)]
pub(super) struct Calls {
    slots: RefCell<Vec<Slot>>,
    decisions: RefCell<VecDeque<(usize, Decision)>>,
    decided: Notify,
}

/// A call as the model wants it.
pub(super) struct Wanted {
    pub(super) id: String,
    pub(super) tool: String,
    pub(super) args: Value,
}

struct Slot {
    id: String,
    /// As the host knows it; none for a call that was refused outright.
    call: Option<Rc<Call>>,
    state: State,
}

enum State {
    Asked,
    Decided,
    Running,
    Over(Block),
}

/// What is to be done about a call.
enum Next {
    Run(Rc<dyn Job>),
    Ask(Rc<dyn Job>),
    Refuse,
}

impl Calls {
    /// Whether a call waits for an answer, or runs.
    pub(super) fn any_open(&self) -> bool {
        let slots = self.slots.borrow();
        slots
            .iter()
            .any(|slot| !matches!(slot.state, State::Over(_)))
    }

    /// The category of the call that waits for an answer under this id.
    pub(super) fn asked(&self, id: &str) -> Option<Category> {
        let slots = self.slots.borrow();
        let call = slots[waiting(&slots, id)?].call.as_ref()?;
        Some(call.category)
    }

    /// Takes the answer for a call that waits for one.
    pub(super) fn decide(&self, id: &str, decision: Decision) {
        let mut slots = self.slots.borrow_mut();
        if let Some(n) = waiting(&slots, id) {
            slots[n].state = State::Decided;
            self.decisions.borrow_mut().push_back((n, decision));
            self.decided.notify_one();
        }
    }

    /// Sees every call through to its end.
    pub(super) async fn run(&self, session: &Session, turn: &Turn, wanted: Vec<Wanted>) {
        let helper = Helper { turn, session };
        let cx = Cx {
            workspace: &session.workspace,
            delegate: &helper,
        };
        let mut jobs = Vec::new();
        let mut at_once = Vec::new();
        for (n, one) in wanted.into_iter().enumerate() {
            let next = self.admit(session, turn, one);
            match &next {
                Next::Run(_) => at_once.push(n),
                Next::Ask(_) if session.is_closing() => turn.halt(Halt::Exit),
                _ => {}
            }
            jobs.push(next.job());
        }
        let mut running = Running::default();
        for n in at_once {
            self.start(session, turn, n);
            if let Some(job) = &jobs[n] {
                running.push(n, job.run(cx));
            }
        }
        while self.any_open() {
            session.voice.outbox.room().await;
            tokio::select! {
                biased;
                () = self.decided.notified() => {
                    for (n, decision) in self.decisions.take() {
                        match (decision, &jobs[n]) {
                            (Decision::Approve { .. }, Some(job)) => {
                                self.start(session, turn, n);
                                running.push(n, job.run(cx));
                            }
                            (Decision::Deny { reason }, _) => self.deny(session, turn, n, &reason),
                            (Decision::Approve { .. }, None) => {}
                        }
                    }
                }
                Some((n, outcome)) = running.next() => self.finish(session, turn, n, &outcome),
            }
        }
    }

    /// Takes a call in: it may run, must ask, or cannot work.
    fn admit(&self, session: &Session, turn: &Turn, wanted: Wanted) -> Next {
        let (category, job) = match session.tools.job(&wanted.tool, &wanted.args) {
            Ok(found) => found,
            Err(refused) => {
                let failure = Failure::lasting(Code::Tool, refused.0.clone());
                session.voice.say(&Event::Failed {
                    turn: Some(turn.id()),
                    failure: &failure,
                });
                let over = State::Over(result(&wanted.id, &Outcome::error(&refused.0)));
                self.add(wanted.id, None, over);
                return Next::Refuse;
            }
        };
        let call = Rc::new(Call {
            id: wanted.id.clone(),
            tool: wanted.tool,
            category,
            args: wanted.args,
            description: one_line(&job.describe()),
        });
        self.add(wanted.id, Some(Rc::clone(&call)), State::Asked);
        if !session.approvals.borrow().must_ask(category) {
            return Next::Run(job);
        }
        let turn = turn.id();
        session.voice.say(&Event::ToolAsk { turn, call: &call });
        Next::Ask(job)
    }

    fn add(&self, id: String, call: Option<Rc<Call>>, state: State) {
        self.slots.borrow_mut().push(Slot { id, call, state });
    }

    /// Moves a call on to its next state.
    fn turn_to(&self, n: usize, state: State) -> Option<Rc<Call>> {
        let mut slots = self.slots.borrow_mut();
        slots[n].state = state;
        slots[n].call.clone()
    }

    fn start(&self, session: &Session, turn: &Turn, n: usize) {
        if let Some(call) = self.turn_to(n, State::Running) {
            let turn = turn.id();
            session.voice.say(&Event::ToolStart { turn, call: &call });
        }
    }

    fn finish(&self, session: &Session, turn: &Turn, n: usize, outcome: &Outcome) {
        let over = State::Over(result(&self.slots.borrow()[n].id, outcome));
        if let Some(call) = self.turn_to(n, over) {
            session.voice.say(&Event::ToolEnd {
                turn: turn.id(),
                call: &call,
                outcome,
            });
        }
    }

    fn deny(&self, session: &Session, turn: &Turn, n: usize, reason: &str) {
        let told = Outcome::error(format!("The user denied this call: {reason}"));
        let over = State::Over(result(&self.slots.borrow()[n].id, &told));
        if let Some(call) = self.turn_to(n, over) {
            session.voice.say(&Event::ToolCancel {
                turn: turn.id(),
                call: &call,
                reason,
            });
        }
    }

    /// Ends every open call; gives those that the host knows of.
    pub(super) fn abandon(&self, reason: &str) -> Vec<Rc<Call>> {
        let mut slots = self.slots.borrow_mut();
        let open = slots
            .iter_mut()
            .filter(|slot| !matches!(slot.state, State::Over(_)));
        let told = Outcome::error(format!("Cancelled: {reason}"));
        open.filter_map(|slot| {
            slot.state = State::Over(result(&slot.id, &told));
            slot.call.clone()
        })
        .collect()
    }

    /// The results of all calls, in the order in which the model wanted them.
    pub(super) fn take(&self) -> Vec<Block> {
        self.decisions.take();
        let slots = self.slots.take().into_iter();
        let results = slots.filter_map(|slot| match slot.state {
            State::Over(block) => Some(block),
            _ => None,
        });
        results.collect()
    }
}

impl Next {
    fn job(self) -> Option<Rc<dyn Job>> {
        match self {
            Next::Run(job) | Next::Ask(job) => Some(job),
            Next::Refuse => None,
        }
    }
}

fn waiting(slots: &[Slot], id: &str) -> Option<usize> {
    let named = |slot: &Slot| slot.call.as_ref().is_some_and(|call| call.id == id);
    slots
        .iter()
        .position(|slot| matches!(slot.state, State::Asked) && named(slot))
}

fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// What the model is told of a call.
fn result(call: &str, outcome: &Outcome) -> Block {
    let output = match &outcome.output {
        Output::Text(text) | Output::Diff { diff: text, .. } => ResultContent::Text(text.clone()),
        Output::Image { media_type, data } => ResultContent::Image {
            media_type: media_type.clone(),
            data: data.clone(),
        },
    };
    Block::Result {
        call: call.to_owned(),
        output,
        is_error: !outcome.ok,
    }
}
