//! A session: what commands act upon, and the turns that they start.

use super::approval::{Approvals, Decision, Mode};
use super::config::Settings;
use super::dialogue::Dialogue;
use super::event::{Call, Code, Event, Failure, Hello};
use super::faults::{Bug, Faults};
use super::ids::CallIds;
use super::model::Model;
use super::tools::{Toolbox, Workspace};
use super::turn::{Prompt, Turn};
use super::voice::Voice;
use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;
use tokio::sync::Notify;

/// How many prompts may wait for the turns before them.
const WAITING: usize = 64;

/// A session. Commands call in from the input loop while a turn is at work.
pub(super) struct Session {
    pub(super) voice: Voice,
    pub(super) model: Model,
    pub(super) tools: Toolbox,
    pub(super) workspace: Workspace,
    pub(super) settings: Settings,
    pub(super) approvals: RefCell<Approvals>,
    pub(super) dialogue: RefCell<Dialogue>,
    pub(super) call_ids: RefCell<CallIds>,
    turns: RefCell<Turns>,
    pub(super) faults: Rc<Faults>,
    prompted: Notify,
    closing: Cell<bool>,
}

/// The turn at work and those that wait.
#[derive(Default)]
struct Turns {
    current: Option<Rc<Turn>>,
    waiting: VecDeque<Prompt>,
    /// The ids of all turns so far.
    known: HashSet<String>,
}

/// Why a turn is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    /// The host wants it.
    Stop,
    /// The agent is about to exit.
    Exit,
}

impl Session {
    #[expect(clippy::too_many_arguments, reason = "each is a part of its own")]
    pub(super) fn new(
        voice: Voice,
        model: Model,
        tools: Toolbox,
        workspace: Workspace,
        settings: Settings,
        mode: Mode,
        dialogue: Dialogue,
        faults: Rc<Faults>,
    ) -> Self {
        Session {
            voice,
            model,
            tools,
            workspace,
            settings,
            approvals: RefCell::new(Approvals::new(mode)),
            call_ids: RefCell::new(CallIds::of(&dialogue.messages)),
            dialogue: RefCell::new(dialogue),
            turns: RefCell::default(),
            faults,
            prompted: Notify::new(),
            closing: Cell::new(false),
        }
    }

    pub(super) fn hello(&self) {
        let hello = Hello {
            session: self.dialogue.borrow().id().map(str::to_owned),
            mcp: self.tools.has_mcp(),
        };
        self.voice.say(&Event::Ready(&hello));
    }

    /// Starts a turn, or has the prompt wait for its turn.
    ///
    /// # Errors
    /// The turn's id was used before, or too many wait.
    pub(super) fn prompt(&self, prompt: Prompt) -> Result<(), Failure> {
        let mut turns = self.turns.borrow_mut();
        if turns.current.is_some() && self.faults.plays(Bug::DropsWhileBusy) {
            return Ok(());
        }
        if turns.known.contains(&prompt.turn) {
            let why = format!("The id {:?} was used before", prompt.turn);
            return Err(Failure::lasting(Code::Protocol, why));
        }
        if turns.waiting.len() == WAITING {
            return Err(Failure {
                retryable: true,
                ..Failure::lasting(Code::Protocol, "Too many messages are waiting")
            });
        }
        turns.known.insert(prompt.turn.clone());
        turns.waiting.push_back(prompt);
        drop(turns);
        self.advance();
        Ok(())
    }

    /// Makes the next prompt the current turn, if none is at work.
    fn advance(&self) {
        let mut turns = self.turns.borrow_mut();
        if turns.current.is_some() || turns.waiting.is_empty() || self.faults.stuck() {
            return;
        }
        let Some(prompt) = turns.waiting.pop_front() else {
            return;
        };
        let turn = Rc::new(Turn::new(prompt));
        turns.current = Some(Rc::clone(&turn));
        drop(turns);
        self.faults.turn_begins();
        self.voice.say(&Event::TurnStart { turn: turn.id() });
        self.prompted.notify_one();
    }

    /// Stops the turn at work, if there is one.
    pub(super) fn stop(&self, why: Halt) {
        match self.current() {
            Some(turn) if !self.faults.ignores(why) => self.halt(&turn, why),
            Some(_) => {}
            None => self.faults.idle_stop(),
        }
    }

    fn halt(&self, turn: &Turn, why: Halt) {
        if why == Halt::Stop && self.faults.plays(Bug::StopExits) {
            self.voice.outbox.die(0);
        }
        let asked = turn.calls.all_asked();
        if why == Halt::Stop && !asked.is_empty() && self.faults.plays(Bug::StopRunsTools) {
            for call in asked {
                turn.decide(&call, Decision::Approve { always: false });
            }
            return;
        }
        turn.halt(why);
    }

    /// Hands over the host's answer to a call that asked.
    ///
    /// # Errors
    /// No such call is waiting for one.
    pub(super) fn decide(&self, call: &str, decision: Decision) -> Result<(), Failure> {
        let asked = self.current().and_then(|turn| turn.asked(call));
        let Some((turn, asked)) = asked else {
            let why = format!("No tool request is waiting under the call_id {call:?}");
            return Err(Failure::lasting(Code::Protocol, why));
        };
        let Some(decision) = self.faults.decision(decision, &asked.tool) else {
            return Ok(());
        };
        if decision == (Decision::Approve { always: true }) {
            for category in self.faults.allowed(asked.category) {
                self.approvals.borrow_mut().allow(category);
            }
        }
        turn.decide(call, decision);
        Ok(())
    }

    pub(super) fn set_mode(&self, mode: Mode) {
        let mut approvals = self.approvals.borrow_mut();
        approvals.mode = self.faults.mode(approvals.mode, mode);
    }

    /// Whether a call may only run if the host agrees.
    pub(super) fn must_ask(&self, call: &Call) -> bool {
        let approvals = self.approvals.borrow();
        let right = approvals.must_ask(call.category);
        self.faults
            .asks(right, approvals.mode, call.category, &call.tool)
    }

    /// Adds what was said before this session.
    ///
    /// # Errors
    /// The user has already said something.
    pub(super) fn add_history(&self, text: String) -> Result<(), Failure> {
        if !self.turns.borrow().known.is_empty() {
            let why = "History must come before the first message";
            return Err(Failure::lasting(Code::Protocol, why));
        }
        if !self.faults.plays(Bug::LosesHistory) {
            self.dialogue.borrow_mut().add_preface(text);
        }
        Ok(())
    }

    /// Says that a command was none.
    pub(super) fn refuse(&self, failure: &Failure) {
        self.voice.fail(failure);
        if self.faults.plays(Bug::BadCommandExits) {
            self.voice.outbox.die(0);
        }
        if let Some(turn) = self.current()
            && self.faults.plays(Bug::BadCommandEndsTurn)
        {
            turn.halt(Halt::Stop);
        }
    }

    fn current(&self) -> Option<Rc<Turn>> {
        self.turns.borrow().current.clone()
    }

    /// Whether nobody can answer any more.
    pub(super) fn is_closing(&self) -> bool {
        self.closing.get()
    }

    /// Whether a call waits for an answer, or runs.
    pub(super) fn has_open_calls(&self) -> bool {
        self.current().is_some_and(|turn| turn.calls.any_open())
    }

    /// Whether a call waits for an answer.
    pub(super) fn is_asking(&self) -> bool {
        self.current()
            .is_some_and(|turn| !turn.calls.all_asked().is_empty())
    }

    /// There will be no more commands: what needs an answer, or has a tool at work, is stopped.
    pub(super) fn close(&self) {
        self.closing.set(true);
        if let Some(turn) = self.current().filter(|turn| turn.calls.any_open()) {
            turn.halt(Halt::Exit);
        }
        self.prompted.notify_one();
    }

    /// Forgets the prompts that wait.
    pub(super) fn forget_waiting(&self) {
        self.turns.borrow_mut().waiting.clear();
    }

    /// Does the turns, one after the other, until the session is closed and nothing is left to do.
    pub(super) async fn work(&self) {
        loop {
            match self.current() {
                Some(turn) => {
                    turn.run(self).await;
                    if self.faults.plays(Bug::ForgetsMode) {
                        self.approvals.borrow_mut().mode = Mode::Default;
                    }
                    if self.faults.plays(Bug::ExitsAfterTurn) {
                        self.voice.outbox.die(0);
                    }
                    if turn.leaves_busy() {
                        std::future::pending::<()>().await;
                    }
                    self.turns.borrow_mut().current = None;
                    self.advance();
                }
                None if self.is_closing() => return,
                None => self.prompted.notified().await,
            }
        }
    }
}
