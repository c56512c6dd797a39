//! A session: the commands that protocol adapters give it, and what runs in it.

mod approvals;
mod scheduler;

use super::approval::Decision;
use super::call_ids::CallIds;
use super::event::{AgentInfo, Event};
use super::failure::{Failure, Halt};
use super::mcp_servers::McpServers;
use super::retry::RetryState;
use super::shell_commands::ShellCommands;
use super::state::{SessionParts, SessionState};
use super::turn::Turn;
use super::turn_queue::{Running, TurnQueue, check_capacity};
use crate::faults::Bug;
use crate::tools::mcp_client::McpServer;
use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;
use tokio::sync::Notify;

/// A session. Protocol adapters call its methods while [`Session::run`] runs. The fields of its [`SessionState`] can be used like its own.
pub(crate) struct Session {
    state: SessionState,
    queue: RefCell<TurnQueue>,
    /// Shell commands of the host.
    shell_commands: ShellCommands,
    /// MCP servers that the host adds.
    mcp_servers: McpServers,
    pub(crate) retry: RetryState,
    exit_requested: Cell<bool>,
    /// A task may have to be started.
    wake: Notify,
    /// A turn or a compaction is over.
    task_done: Notify,
}

impl Deref for Session {
    type Target = SessionState;

    fn deref(&self) -> &SessionState {
        &self.state
    }
}

impl Session {
    pub(crate) fn new(parts: SessionParts) -> Self {
        Session {
            state: SessionState::new(parts),
            queue: RefCell::default(),
            shell_commands: ShellCommands::default(),
            mcp_servers: McpServers::default(),
            retry: RetryState::default(),
            exit_requested: Cell::new(false),
            wake: Notify::new(),
            task_done: Notify::new(),
        }
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

    /// Runs everything until the session is closed and no turn is left.
    pub(crate) async fn run(&self) {
        let all = async {
            tokio::join!(
                self.run_tasks(),
                self.shell_commands
                    .run(&self.state, |text| self.add_note(text)),
            )
        };
        tokio::select! {
            _ = all => {}
            () = self.mcp_servers.run(&self.state) => {}
        }
    }

    /// Closes the session: there are no more commands. A turn with an open call is stopped, as the host cannot approve it any more.
    pub(crate) fn close(&self) {
        self.set_closed();
        if let Some(turn) = self.running_turn().filter(|turn| turn.calls.any_open()) {
            turn.stop.send(Halt::Exit);
        }
        self.shell_commands.wake();
        self.wake.notify_one();
    }

    /// Asks the process to exit.
    pub(crate) fn request_exit(&self) {
        self.exit_requested.set(true);
    }

    pub(crate) fn exit_requested(&self) -> bool {
        self.exit_requested.get()
    }

    /// Queues a shell command of the host. It runs beside the turns.
    ///
    /// # Errors
    /// Too many commands wait.
    pub(crate) fn run_shell_command(&self, command: String) -> Result<(), Failure> {
        check_capacity(self.shell_commands.waiting())?;
        self.shell_commands.add(command);
        Ok(())
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
        let spared = halt == Halt::Stop
            && self.shell_commands.any()
            && self.faults.triggers(Bug::ShellIgnoresStop);
        if !spared {
            self.shell_commands.cancel();
        }
        if self.retry.cancel() {
            return;
        }
        let running = self.queue.borrow().running.clone();
        match running {
            Some(Running::Turn(turn)) => self.stop_turn(&turn, halt),
            Some(Running::Compaction(compaction)) => compaction.stop(),
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
                let decide =
                    |id: &String| turn.calls.decide(id, Decision::Approve { always: false });
                return waiting.iter().for_each(decide);
            }
            self.exit_if(Bug::StopExits);
        }
        turn.stop.send(halt);
    }

    /// Adds an MCP server.
    ///
    /// # Errors
    /// A turn was started before.
    pub(crate) fn add_mcp_server(&self, server: McpServer) -> Result<(), Failure> {
        self.check_no_turns("MCP servers must be added before the first message")?;
        self.mcp_servers.add(server);
        Ok(())
    }

    /// Adds history from before this session.
    ///
    /// # Errors
    /// A turn was started before.
    pub(crate) fn add_history(&self, text: String) -> Result<(), Failure> {
        self.check_no_turns("History must come before the first message")?;
        let mut conversation = self.conversation.borrow_mut();
        let loses = conversation.has_history() && self.faults.triggers(Bug::LosesLaterHistory)
            || self.faults.triggers(Bug::LosesHistory);
        if !loses {
            conversation.add_history(text);
        }
        Ok(())
    }

    fn check_no_turns(&self, why: &str) -> Result<(), Failure> {
        match self.queue.borrow().turns() {
            0 => Ok(()),
            _ => Err(Failure::protocol(why)),
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
            turn.stop.send(Halt::Stop);
        }
    }

    /// Whether a call waits for an approval, or runs.
    pub(crate) fn has_open_calls(&self) -> bool {
        self.running_turn()
            .is_some_and(|turn| turn.calls.any_open())
    }

    /// Whether a call waits for an approval.
    pub(crate) fn awaits_approval(&self) -> bool {
        self.running_turn()
            .is_some_and(|turn| !turn.calls.all_awaiting().is_empty())
    }

    fn running_turn(&self) -> Option<Rc<Turn>> {
        self.queue.borrow().running_turn().cloned()
    }
}
