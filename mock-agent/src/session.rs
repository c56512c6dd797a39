//! A session: what commands act upon, and the turns that they start.

mod consent;
mod turn_queue;

use super::approval::{Approvals, Decision, Mode};
use super::dialogue::Dialogue;
use super::errands::Errands;
use super::event::{Code, Event, Failure, Hello};
use super::faults::{Bug, Faults};
use super::ids::CallIds;
use super::mcp::{Server, Servers};
use super::model::{Endpoint, ModelClient};
use super::queues::Queues;
use super::retry::Retry;
use super::shells::Shells;
use super::tools::{Toolbox, Workspace};
use super::turn::Turn;
use super::voice::Voice;
use crate::config::Settings;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tokio::sync::Notify;
use turn_queue::{Turns, room};

/// A session. Commands call in from the input loop while a turn is at work.
pub(super) struct Session {
    pub(super) voice: Voice,
    pub(super) model: ModelClient,
    pub(super) tools: Toolbox,
    pub(super) workspace: Workspace,
    pub(super) settings: Settings,
    pub(super) approvals: RefCell<Approvals>,
    pub(super) dialogue: RefCell<Dialogue>,
    pub(super) call_ids: RefCell<CallIds>,
    /// The model of the turns to come, as its API knows it.
    pub(super) model_name: RefCell<String>,
    turns: RefCell<Turns>,
    /// Shell commands of the host's own.
    shells: Shells,
    /// MCP servers that the host adds.
    servers: Servers,
    /// What the host says while a turn is at work.
    pub(super) queues: Queues,
    pub(super) retry: Retry,
    /// What adapters do beside the turns.
    pub(super) errands: Errands,
    /// Whether a context that is nearly full is compacted unasked.
    pub(super) auto_compaction: Cell<bool>,
    /// The tokens of the latest request and its reply; 0 if unknown.
    pub(super) context: Cell<u64>,
    /// How many sub-agents there have been.
    pub(super) helpers: Cell<u64>,
    pub(super) faults: Rc<Faults>,
    prompted: Notify,
    closing: Cell<bool>,
    leaving: Cell<bool>,
    closed: Notify,
    /// Something that was at work is over.
    settled: Notify,
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
        model: ModelClient,
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
            model_name: RefCell::new(settings.model.clone()),
            helpers: Cell::default(),
            settings,
            approvals: RefCell::new(Approvals::new(mode)),
            call_ids: RefCell::new(CallIds::of(&dialogue.messages)),
            dialogue: RefCell::new(dialogue),
            turns: RefCell::default(),
            shells: Shells::default(),
            servers: Servers::default(),
            queues: Queues::default(),
            retry: Retry::default(),
            errands: Errands::default(),
            auto_compaction: Cell::new(true),
            context: Cell::new(0),
            faults,
            prompted: Notify::new(),
            closing: Cell::new(false),
            leaving: Cell::new(false),
            closed: Notify::new(),
            settled: Notify::new(),
        }
    }

    pub(super) fn hello(&self) {
        let hello = Hello {
            session: self.dialogue.borrow().id().map(str::to_owned),
            mcp: self.tools.has_mcp(),
            mode: self.approvals.borrow().mode,
            card: self.settings.card.clone(),
        };
        self.voice.say(&Event::Ready(&hello));
    }

    /// Runs a shell command, beside the turns.
    ///
    /// # Errors
    /// Too many wait.
    pub(super) fn shell(&self, command: String) -> Result<(), Failure> {
        room(self.shells.waiting())?;
        self.shells.add(command);
        Ok(())
    }

    /// Adds to the conversation what the model is told from the next turn on.
    pub(super) fn add_aside(&self, text: String) {
        self.dialogue.borrow_mut().add_aside(text);
        self.take_asides();
    }

    /// Forgets what was said, and goes on as a new session. There must be no turn at work.
    pub(super) fn renew(&self) {
        self.dialogue.borrow_mut().renew();
        self.call_ids.replace(CallIds::default());
    }

    /// Has the turns to come ask this model, where it is served.
    pub(super) fn set_model(&self, name: &str, endpoint: Option<&Endpoint>) {
        let other = *self.model_name.borrow() != name;
        if other && self.faults.plays(Bug::ModelForgetsAllowed) {
            self.approvals.borrow_mut().forget();
        }
        if other && self.faults.plays(Bug::ModelChangeForgets) {
            self.dialogue.borrow_mut().messages.clear();
        }
        self.model_name.replace(name.to_owned());
        if let Some(endpoint) = endpoint {
            self.model.set_endpoint(endpoint);
        }
    }

    /// Waits until the session is closed.
    pub(super) async fn closed(&self) {
        let closed = self.closed.notified();
        if !self.is_closing() {
            closed.await;
        }
    }

    /// The host wants the process to end.
    pub(super) fn leave(&self) {
        self.leaving.set(true);
    }

    pub(super) fn is_leaving(&self) -> bool {
        self.leaving.get()
    }

    /// Stops what is at work, if anything is.
    pub(super) fn stop(&self, why: Halt) {
        let ignored =
            why == Halt::Stop && self.shells.any() && self.faults.plays(Bug::ShellIgnoresStop);
        if !ignored {
            self.shells.cancel();
        }
        if self.retry.stop() {
            return;
        }
        if let Some(compaction) = self.compaction() {
            return compaction.stop();
        }
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

    /// Connects an MCP server.
    ///
    /// # Errors
    /// The user has already said something.
    pub(super) fn connect(&self, server: Server) -> Result<(), Failure> {
        if self.has_begun() {
            let why = "MCP servers must be added before the first message";
            return Err(Failure::lasting(Code::Protocol, why));
        }
        self.servers.add(server);
        Ok(())
    }

    /// Adds what was said before this session.
    ///
    /// # Errors
    /// The user has already said something.
    pub(super) fn add_history(&self, text: String) -> Result<(), Failure> {
        if self.has_begun() {
            let why = "History must come before the first message";
            return Err(Failure::lasting(Code::Protocol, why));
        }
        let mut dialogue = self.dialogue.borrow_mut();
        let later = dialogue.has_preface() && self.faults.plays(Bug::LosesLaterHistory);
        if !later && !self.faults.plays(Bug::LosesHistory) {
            dialogue.add_preface(text);
        }
        Ok(())
    }

    /// Says that a command was none.
    pub(super) fn refuse(&self, failure: &Failure) {
        self.voice.fail(failure);
        self.refused();
    }

    /// A command was refused.
    pub(super) fn refused(&self) {
        if self.faults.plays(Bug::BadCommandExits) {
            self.voice.outbox.die(0);
        }
        if let Some(turn) = self.current()
            && self.faults.plays(Bug::BadCommandEndsTurn)
        {
            turn.halt(Halt::Stop);
        }
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
        self.shells.wake();
        self.errands.wake();
        self.closed.notify_waiters();
        self.prompted.notify_one();
    }

    /// Does all there is to do, until the session is closed and nothing is left.
    pub(super) async fn work(&self) {
        let all = async {
            tokio::join!(
                self.turns(),
                self.shells.work(self),
                self.errands.work(self)
            )
        };
        tokio::select! {
            _ = all => {}
            () = self.servers.work(self) => {}
        }
    }
}
