//! A session: the commands that protocol adapters give it, and what runs in it.

mod approvals;
mod retry;
mod scheduler;
mod shell_commands;

pub(crate) use shell_commands::{note, shell_options};

use super::{
    AgentInfo, Approvals, CallIds, Compaction, CompactionReason, Conversation, Decision, Event,
    EventSink, Failure, Halt, Prompt, Queues, SessionSettings, Turn,
};
use crate::faults::{Bug, Faults};
use crate::model::{Endpoint, ModelClient};
use crate::os::clock::Clock;
use crate::tools::mcp_client::McpServer;
use crate::tools::{Toolbox, Workspace};
use retry::RetryState;
use scheduler::check_capacity;
use serde_json::Value;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};
use std::ops::Deref;
use std::rc::Rc;
use tokio::sync::{Notify, SetOnce};

/// A session. Protocol adapters call its methods while [`Session::run`] runs. Its state can be used like fields of its own.
pub(crate) struct Session {
    pub(crate) events: EventSink,
    pub(crate) model: ModelClient,
    pub(crate) tools: Toolbox,
    pub(crate) workspace: Workspace,
    pub(crate) settings: SessionSettings,
    pub(crate) approvals: RefCell<Approvals>,
    pub(crate) conversation: RefCell<Conversation>,
    pub(crate) faults: Rc<Faults>,
    pub(crate) call_ids: RefCell<CallIds>,
    /// The model of the next turn, by the name of its API.
    pub(crate) model_name: RefCell<String>,
    /// What the protocol's own tools need of its adapter, if it has such tools.
    pub(crate) adapter: Option<Rc<dyn Any>>,
    pub(crate) state: SessionState,
}

/// What happens in a session.
#[derive(Default)]
pub(crate) struct SessionState {
    /// Prompts that the host sends while a turn is running.
    pub(crate) queues: Queues,
    /// Whether the host has switched automatic compaction off.
    pub(crate) never_compacts: Cell<bool>,
    /// The tokens of the latest request and its reply; 0 if unknown.
    pub(crate) context_tokens: Cell<u64>,
    /// The number of sub-agents so far.
    pub(super) subagents: Cell<u64>,
    pub(crate) retry: RetryState,
    running: RefCell<Option<Task>>,
    waiting: RefCell<VecDeque<Task>>,
    /// The ids of all turns so far.
    turn_ids: RefCell<HashSet<String>>,
    /// Shell commands of the host, the one that runs first, each with what stops it.
    shell_commands: RefCell<VecDeque<(String, Rc<Notify>)>>,
    /// MCP servers of the host that are not connected yet.
    mcp_servers: RefCell<VecDeque<McpServer>>,
    /// The process is asked to exit.
    pub(crate) exit_requested: Cell<bool>,
    /// There are no more commands.
    closed: SetOnce<()>,
    /// A task may have to be started.
    wake: Notify,
    /// A shell command may have to be started.
    wake_shell: Notify,
    /// A turn was stopped.
    turn_stopped: Notify,
    /// A turn or a compaction is over.
    task_done: Notify,
    /// The model was asked before. Only faults use it.
    pub(super) asked: Cell<bool>,
    /// A turn was stopped before. Only a fault uses it.
    stopped: Cell<bool>,
    /// The next turn is stopped when it starts. Only a fault sets this.
    pub(super) stops_next_turn: Cell<bool>,
}

/// What runs, or waits for its turn to run.
#[derive(Clone)]
enum Task {
    Turn(Rc<Turn>),
    Compaction(Rc<Compaction>),
}

impl Task {
    fn turn(prompt: Prompt) -> Self {
        Task::Turn(Rc::new(Turn {
            prompt,
            ..Turn::default()
        }))
    }

    fn compaction(reason: CompactionReason, instructions: Option<String>) -> Self {
        Task::Compaction(Rc::new(Compaction {
            instructions,
            reason,
            stop: Notify::new(),
        }))
    }
}

impl Deref for Session {
    type Target = SessionState;

    fn deref(&self) -> &SessionState {
        &self.state
    }
}

impl Session {
    /// The clock of the waits that the host sees.
    pub(crate) fn clock(&self) -> &Clock {
        &self.events.outbox.clock
    }

    /// A command as the faults let the agent read it; `None` if they do not.
    pub(crate) fn taken(&self, command: Value) -> Option<Value> {
        self.events.outbox.taken(command)
    }

    /// Reports that the agent takes commands.
    pub(crate) fn emit_ready(&self) {
        let info = AgentInfo {
            session: self.conversation.borrow().id().map(str::to_owned),
            mcp: self.tools.has_mcp(),
            mode: self.approvals.borrow().mode,
            model_info: self.settings.model_info.clone(),
        };
        self.events.emit(&Event::Ready(&info));
    }

    /// Runs everything until the session is closed and no turn and no shell command is left.
    pub(crate) async fn run(&self) {
        tokio::join!(self.run_tasks(), self.run_shell_commands());
    }

    /// Closes the session: there are no more commands. A turn with an open call is stopped, because the host cannot approve it any more.
    pub(crate) fn close(&self) {
        let _ = self.closed.set(());
        if let Some(turn) = self.running_turn().filter(|turn| turn.calls.any_open()) {
            let _ = turn.stop.set(Halt::Exit);
        }
        self.wake_shell.notify_one();
        self.wake.notify_one();
    }

    /// Whether there are no more commands, so that no call can be approved any more.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.initialized()
    }

    /// Waits until there are no more commands.
    pub(crate) async fn wait_until_closed(&self) {
        self.closed.wait().await;
    }

    /// Lets the next turns use this model, at this endpoint.
    pub(crate) fn set_model(&self, name: &str, endpoint: Option<&Endpoint>) {
        if *self.model_name.borrow() != name {
            self.forget_turns_if(Bug::ModelChangeForgets);
            self.forget_allowed_if(Bug::ModelForgetsAllowed);
        }
        self.model_name.replace(name.to_owned());
        if let Some(endpoint) = endpoint {
            self.model.set_endpoint(endpoint);
        }
    }

    /// Adds a user message to the conversation before the next turn.
    pub(crate) fn add_note(&self, text: String) {
        self.conversation.borrow_mut().add_note(text);
        self.append_notes();
    }

    /// Starts a new conversation. No turn may be running.
    pub(crate) fn start_new_conversation(&self) {
        self.conversation.borrow_mut().start_new();
        self.call_ids.replace(CallIds::default());
    }

    /// Stops shell commands, and the wait for a retry, the compaction or the turn that is running.
    pub(crate) fn stop(&self, halt: Halt) {
        self.stop_shell_commands(halt);
        if self.retry.cancel() {
            return;
        }
        let running = self.running.borrow().clone();
        match running {
            Some(Task::Turn(turn)) => self.stop_turn(&turn, halt),
            Some(Task::Compaction(compaction)) => compaction.stop.notify_one(),
            None if self.faults.triggers(Bug::IdleStopStopsNextTurn) => {
                self.stops_next_turn.set(true);
            }
            None => {}
        }
    }

    fn stop_turn(&self, turn: &Turn, halt: Halt) {
        if halt == Halt::Stop {
            if self.faults.triggers(Bug::IgnoresStop) || self.ignores_second_stop() {
                return;
            }
            let waiting = turn.calls.all_awaiting();
            if !waiting.is_empty() && self.faults.triggers(Bug::StopRunsTools) {
                let approve = Decision::Approve { always: false };
                return waiting
                    .iter()
                    .for_each(|id| turn.calls.decide(id, approve.clone()));
            }
            self.exit_if(Bug::StopExits);
            if turn.calls.any_open() && self.faults.triggers(Bug::StopAsksAgain) {
                return turn.calls.deny_all("Stopped by user");
            }
        }
        let _ = turn.stop.set(halt);
        self.turn_stopped.notify_waiters();
    }

    /// Adds an MCP server.
    ///
    /// # Errors
    /// A turn was started before.
    pub(crate) fn add_mcp_server(&self, server: McpServer) -> Result<(), Failure> {
        self.check_no_turns("MCP servers must be added before the first message")?;
        self.mcp_servers.borrow_mut().push_back(server);
        self.wake.notify_one();
        Ok(())
    }

    /// Adds history from before this session.
    ///
    /// # Errors
    /// A turn was started before.
    pub(crate) fn add_history(&self, text: String) -> Result<(), Failure> {
        self.check_no_turns("History must come before the first message")?;
        let history = &mut self.conversation.borrow_mut().history;
        let loses = !history.is_empty() && self.faults.triggers(Bug::LosesLaterHistory)
            || self.faults.triggers(Bug::LosesHistory);
        if !loses {
            history.push(text);
        }
        Ok(())
    }

    fn check_no_turns(&self, why: &str) -> Result<(), Failure> {
        if self.turn_ids.borrow().is_empty() {
            Ok(())
        } else {
            Err(Failure::protocol(why))
        }
    }

    /// Rejects a command, and reports why.
    pub(crate) fn reject_command(&self, failure: &Failure) {
        self.events.emit_failure(failure);
        self.after_rejected_command();
    }

    /// Must be called after a command was rejected.
    pub(crate) fn after_rejected_command(&self) {
        self.exit_if(Bug::BadCommandExits);
        if let Some(turn) = self.running_turn()
            && self.faults.triggers(Bug::BadCommandEndsTurn)
        {
            let _ = turn.stop.set(Halt::Stop);
        }
        if self.running_turn().is_none() && self.faults.triggers(Bug::BadCommandRuns) {
            let _ = self.submit_prompt(Prompt {
                turn: self.next_turn_id(),
                text: "undefined".into(),
                ..Prompt::default()
            });
        }
    }

    /// Whether a call waits for an approval, or runs.
    pub(crate) fn has_open_calls(&self) -> bool {
        let turn = self.running_turn();
        turn.is_some_and(|turn| turn.calls.any_open())
    }

    /// Whether a call waits for an approval.
    pub(crate) fn awaits_approval(&self) -> bool {
        let turn = self.running_turn();
        turn.is_some_and(|turn| !turn.calls.all_awaiting().is_empty())
    }

    fn running_turn(&self) -> Option<Rc<Turn>> {
        match &*self.running.borrow() {
            Some(Task::Turn(turn)) => Some(Rc::clone(turn)),
            _ => None,
        }
    }

    /// Goes back to the first model, with this bug.
    pub(crate) fn reset_model_if(&self, bug: Bug) {
        if self.faults.triggers(bug) {
            self.set_model(&self.settings.model, None);
        }
    }

    /// Forgets the conversation, with this bug.
    pub(crate) fn forget_turns_if(&self, bug: Bug) {
        if self.faults.triggers(bug) {
            self.conversation.borrow_mut().messages.clear();
        }
    }

    /// Forgets the last turn, with this bug.
    pub(crate) fn forget_last_turn_if(&self, bug: Bug) {
        if self.faults.triggers(bug) {
            self.conversation.borrow_mut().truncate_at_prompt(false);
        }
    }

    /// With this bug, forgets which calls are always approved.
    pub(super) fn forget_allowed_if(&self, bug: Bug) {
        if self.faults.triggers(bug) {
            self.approvals.borrow_mut().allowed.clear();
        }
    }

    /// Exits once everything is written, with this bug.
    pub(crate) fn exit_if(&self, bug: Bug) {
        if self.faults.triggers(bug) {
            self.events.outbox.exit(0);
        }
    }

    /// Whether a request to stop has no effect because it is not the first. Only a fault does that.
    pub(crate) fn ignores_second_stop(&self) -> bool {
        self.stopped.replace(true) && self.faults.triggers(Bug::StopsOnce)
    }
}
