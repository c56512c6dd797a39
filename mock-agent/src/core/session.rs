//! A session: what commands act upon, and the turns that they start.

mod approvals;
mod turn_queue;

use super::approval::{Approvals, Decision, Mode};
use super::background_tasks::BackgroundTasks;
use super::call_ids::CallIds;
use super::conversation::Conversation;
use super::event::{AgentInfo, Event};
use super::event_sink::EventSink;
use super::failure::Halt;
use super::failure::{Code, Failure};
use super::hooks::{After, Hooks, StopEffect};
use super::mcp_servers::McpServers;
use super::queues::Queues;
use super::retry::RetryState;
use super::settings::SessionSettings;
use super::shell_commands::ShellCommands;
use super::turn::Turn;
use crate::model::{Endpoint, ModelClient};
use crate::tools::mcp_client::McpServer;
use crate::tools::{Toolbox, Workspace};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tokio::sync::Notify;
use turn_queue::{Turns, room};

/// A session. Commands call in from the input loop while a turn is at work.
pub(crate) struct Session {
    pub(crate) events: EventSink,
    pub(crate) model: ModelClient,
    pub(crate) tools: Toolbox,
    pub(crate) workspace: Workspace,
    pub(crate) settings: SessionSettings,
    pub(crate) approvals: RefCell<Approvals>,
    pub(crate) conversation: RefCell<Conversation>,
    pub(crate) call_ids: RefCell<CallIds>,
    /// The model of the turns to come, as its API knows it.
    pub(crate) model_name: RefCell<String>,
    turns: RefCell<Turns>,
    /// Shell commands of the host's own.
    shell_commands: ShellCommands,
    /// MCP servers that the host adds.
    servers: McpServers,
    /// What the host says while a turn is at work.
    pub(crate) queues: Queues,
    pub(crate) retry: RetryState,
    /// What adapters do beside the turns.
    pub(crate) background_tasks: BackgroundTasks,
    /// Whether a context that is nearly full is compacted unasked.
    pub(crate) auto_compaction: Cell<bool>,
    /// The tokens of the latest request and its reply; 0 if unknown.
    pub(crate) context: Cell<u64>,
    /// How many sub-agents there have been.
    pub(crate) helpers: Cell<u64>,
    pub(crate) hooks: Rc<dyn Hooks>,
    prompted: Notify,
    closing: Cell<bool>,
    leaving: Cell<bool>,
    closed: Notify,
    /// Something that was at work is over.
    settled: Notify,
}

impl Session {
    #[expect(clippy::too_many_arguments, reason = "each is a part of its own")]
    pub(crate) fn new(
        events: EventSink,
        model: ModelClient,
        tools: Toolbox,
        workspace: Workspace,
        settings: SessionSettings,
        mode: Mode,
        conversation: Conversation,
        hooks: Rc<dyn Hooks>,
    ) -> Self {
        Session {
            events,
            model,
            tools,
            workspace,
            model_name: RefCell::new(settings.model.clone()),
            helpers: Cell::default(),
            settings,
            approvals: RefCell::new(Approvals::new(mode)),
            call_ids: RefCell::new(CallIds::of(&conversation.messages)),
            conversation: RefCell::new(conversation),
            turns: RefCell::default(),
            shell_commands: ShellCommands::default(),
            servers: McpServers::default(),
            queues: Queues::default(),
            retry: RetryState::default(),
            background_tasks: BackgroundTasks::default(),
            auto_compaction: Cell::new(true),
            context: Cell::new(0),
            hooks,
            prompted: Notify::new(),
            closing: Cell::new(false),
            leaving: Cell::new(false),
            closed: Notify::new(),
            settled: Notify::new(),
        }
    }

    pub(crate) fn hello(&self) {
        let hello = AgentInfo {
            session: self.conversation.borrow().id().map(str::to_owned),
            mcp: self.tools.has_mcp(),
            mode: self.approvals.borrow().mode,
            model_info: self.settings.model_info.clone(),
        };
        self.events.emit(&Event::Ready(&hello));
    }

    /// Runs a shell command, beside the turns.
    ///
    /// # Errors
    /// Too many wait.
    pub(crate) fn shell(&self, command: String) -> Result<(), Failure> {
        room(self.shell_commands.waiting())?;
        self.shell_commands.add(command);
        Ok(())
    }

    /// Adds to the conversation what the model is told from the next turn on.
    pub(crate) fn add_aside(&self, text: String) {
        self.conversation.borrow_mut().add_aside(text);
        self.take_asides();
    }

    /// Forgets what was said, and goes on as a new session. There must be no turn at work.
    pub(crate) fn renew(&self) {
        self.conversation.borrow_mut().renew();
        self.call_ids.replace(CallIds::default());
    }

    /// Has the turns to come ask this model, where it is served.
    pub(crate) fn set_model(&self, name: &str, endpoint: Option<&Endpoint>) {
        let other = *self.model_name.borrow() != name;
        if other {
            self.forget(After::ModelChange);
        }
        self.model_name.replace(name.to_owned());
        if let Some(endpoint) = endpoint {
            self.model.set_endpoint(endpoint);
        }
    }

    /// Waits until the session is closed.
    pub(crate) async fn closed(&self) {
        let closed = self.closed.notified();
        if !self.is_closing() {
            closed.await;
        }
    }

    /// The host wants the process to end.
    pub(crate) fn leave(&self) {
        self.leaving.set(true);
    }

    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.get()
    }

    /// Stops what is at work, if anything is.
    pub(crate) fn stop(&self, why: Halt) {
        let ignored = why == Halt::Stop
            && self.shell_commands.any()
            && !self.hooks.stop_cancels_shell_commands();
        if !ignored {
            self.shell_commands.cancel();
        }
        if self.retry.stop() {
            return;
        }
        if let Some(compaction) = self.compaction() {
            return compaction.stop();
        }
        match self.current() {
            Some(turn) => self.halt(&turn, why),
            None => self.hooks.on_idle_stop(),
        }
    }

    fn halt(&self, turn: &Turn, why: Halt) {
        let waiting = turn.calls.all_asked();
        match self.hooks.stop_effect(why, !waiting.is_empty()) {
            StopEffect::Nothing => {}
            StopEffect::ApproveCalls => {
                for call in waiting {
                    turn.decide(&call, Decision::Approve { always: false });
                }
            }
            StopEffect::StopTurn => {
                if why == Halt::Stop && self.hooks.exits(After::Stop) {
                    self.events.outbox.exit(0);
                }
                turn.halt(why);
            }
        }
    }

    /// Lets a hook change what the session remembers.
    pub(crate) fn forget(&self, after: After) {
        let approvals = &mut self.approvals.borrow_mut();
        let messages = &mut self.conversation.borrow_mut().messages;
        self.hooks.forget(after, approvals, messages);
    }

    /// Connects an MCP server.
    ///
    /// # Errors
    /// The user has already said something.
    pub(crate) fn connect(&self, server: McpServer) -> Result<(), Failure> {
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
    pub(crate) fn add_history(&self, text: String) -> Result<(), Failure> {
        if self.has_begun() {
            let why = "History must come before the first message";
            return Err(Failure::lasting(Code::Protocol, why));
        }
        let mut conversation = self.conversation.borrow_mut();
        if self.hooks.keeps_history(!conversation.has_preface()) {
            conversation.add_preface(text);
        }
        Ok(())
    }

    /// Says that a command was none.
    pub(crate) fn refuse(&self, failure: &Failure) {
        self.events.emit_failure(failure);
        self.refused();
    }

    /// A command was refused.
    pub(crate) fn refused(&self) {
        if self.hooks.exits(After::RejectedCommand) {
            self.events.outbox.exit(0);
        }
        if let Some(turn) = self.current()
            && self.hooks.stops_turn_on_rejected_command()
        {
            turn.halt(Halt::Stop);
        }
    }

    /// Whether nobody can answer any more.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.get()
    }

    /// Whether a call waits for an answer, or runs.
    pub(crate) fn has_open_calls(&self) -> bool {
        self.current().is_some_and(|turn| turn.calls.any_open())
    }

    /// Whether a call waits for an answer.
    pub(crate) fn is_asking(&self) -> bool {
        self.current()
            .is_some_and(|turn| !turn.calls.all_asked().is_empty())
    }

    /// There will be no more commands: what needs an answer, or has a tool at work, is stopped.
    pub(crate) fn close(&self) {
        self.closing.set(true);
        if let Some(turn) = self.current().filter(|turn| turn.calls.any_open()) {
            turn.halt(Halt::Exit);
        }
        self.shell_commands.wake();
        self.background_tasks.wake();
        self.closed.notify_waiters();
        self.prompted.notify_one();
    }

    /// Does all there is to do, until the session is closed and nothing is left.
    pub(crate) async fn work(&self) {
        let all = async {
            tokio::join!(
                self.turns(),
                self.shell_commands.work(self),
                self.background_tasks.work(self)
            )
        };
        tokio::select! {
            _ = all => {}
            () = self.servers.work(self) => {}
        }
    }
}
