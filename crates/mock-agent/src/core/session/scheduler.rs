//! The scheduler: runs turns and compactions, one at a time, and decides what comes next.

use super::{Session, Task};
use crate::core::{CompactionReason, Event, Failure, FailureSource, Halt, Prompt, Turn};
use crate::faults::Bug;
use crate::tools::mcp::McpTool;
use crate::tools::mcp_client::{self, McpServer};
use std::rc::Rc;

/// The maximum number of waiting tasks.
const CAPACITY: usize = 64;

/// # Errors
/// No more tasks are accepted: too many wait.
pub(super) fn check_capacity(waiting: usize) -> Result<(), Failure> {
    if waiting < CAPACITY {
        return Ok(());
    }
    Err(Failure {
        retryable: true,
        ..Failure::protocol("Too many messages are waiting")
    })
}

impl Session {
    /// Starts a turn, or queues it if something is running.
    ///
    /// # Errors
    /// The turn's id was used before, or too many turns wait.
    pub(crate) fn submit_prompt(&self, prompt: Prompt) -> Result<(), Failure> {
        if self.has_turn() && self.faults.triggers(Bug::DropsWhileBusy) {
            return Ok(());
        }
        check_capacity(self.waiting.borrow().len())?;
        self.reserve_turn_id(&prompt.turn)?;
        if self.has_turn() && self.faults.triggers(Bug::InterruptsWhileBusy) {
            self.stop(Halt::Stop);
        }
        self.queue_last(Task::turn(prompt));
        Ok(())
    }

    /// Marks a turn's id as used.
    ///
    /// # Errors
    /// It was used before.
    pub(crate) fn reserve_turn_id(&self, id: &str) -> Result<(), Failure> {
        if self.turn_ids.borrow_mut().insert(id.to_owned()) {
            Ok(())
        } else {
            Err(format!("The id {id:?} was used before").into())
        }
    }

    /// Compacts the conversation once nothing is running.
    ///
    /// # Errors
    /// Too many tasks wait.
    pub(crate) fn compact(&self, instructions: Option<String>) -> Result<(), Failure> {
        check_capacity(self.waiting.borrow().len())?;
        self.queue_last(Task::compaction(CompactionReason::Manual, instructions));
        Ok(())
    }

    /// A new id for a turn, where the host gives none.
    pub(crate) fn next_turn_id(&self) -> String {
        (self.turn_ids.borrow().len() + 1).to_string()
    }

    /// Whether a turn is running, or waits for a retry.
    pub(crate) fn has_turn(&self) -> bool {
        self.running_turn().is_some()
    }

    /// Whether a turn or a compaction is running.
    pub(crate) fn is_busy(&self) -> bool {
        self.running.borrow().is_some()
    }

    /// Waits until nothing is running.
    pub(crate) async fn wait_until_idle(&self) {
        loop {
            let done = self.task_done.notified();
            if !self.is_busy() {
                return;
            }
            done.await;
        }
    }

    /// Removes the turns and compactions that wait.
    pub(crate) fn clear_queue(&self) {
        self.waiting.borrow_mut().clear();
    }

    fn queue_last(&self, task: Task) {
        self.waiting.borrow_mut().push_back(task);
        self.start_next();
    }

    fn queue_first(&self, task: Task) {
        self.waiting.borrow_mut().push_front(task);
    }

    /// Runs turns and compactions until the session is closed and none is left.
    pub(super) async fn run_tasks(&self) {
        loop {
            self.connect_mcp_servers().await;
            let running = self.running.borrow().clone();
            match running {
                Some(Task::Turn(turn)) => self.run_turn(&turn).await,
                Some(Task::Compaction(compaction)) => {
                    let retry = compaction.run(self).await;
                    self.running.take();
                    if retry {
                        self.queue_first(self.retried_turn(true));
                    }
                }
                None if self.is_closed() => return,
                None => {
                    self.wake.notified().await;
                    continue;
                }
            }
            self.start_next();
            self.append_notes();
            if !self.is_busy() {
                self.events.emit(&Event::Idle);
            }
            self.task_done.notify_waiters();
        }
    }

    async fn run_turn(&self, turn: &Turn) {
        turn.run(self).await;
        self.approvals.borrow_mut().end_turn(&self.faults);
        self.exit_if(Bug::ExitsAfterTurn);
        while turn.stays_busy.get() && !self.is_closed() {
            self.wake.notified().await;
        }
        let next = self.after_turn(turn.failure.take()).await;
        self.running.take();
        match next {
            Some(task) => self.queue_first(task),
            None => {
                self.continue_with_queued_prompts();
                self.compact_if_full();
            }
        }
    }

    /// Starts the next task if nothing is running.
    fn start_next(&self) {
        if self.is_busy() || self.waiting.borrow().is_empty() || self.is_stuck() {
            return;
        }
        let task = self.waiting.borrow_mut().pop_front();
        self.running.replace(task);
        if let Some(turn) = self.running_turn() {
            self.conversation.borrow_mut().append_notes();
            if !turn.prompt.resumes {
                self.on_prompt(&turn.prompt.text);
            }
            let _ = turn.model.set(self.model_name.borrow().clone());
            self.faults.count_turn();
            self.events.emit(&Event::TurnStart {
                turn: turn.id(),
                prompt: &turn.prompt,
            });
        }
        self.wake.notify_one();
    }

    /// Connects the MCP servers that the host has added, one after the other, unless the session closes before a turn
    /// needs them, or the turn that waits for them is stopped.
    async fn connect_mcp_servers(&self) {
        let connect = async {
            loop {
                let next = self.mcp_servers.borrow().front().cloned();
                let Some(server) = next else { return };
                self.connect_mcp_server(&server).await;
                self.mcp_servers.borrow_mut().pop_front();
            }
        };
        let unneeded = async {
            self.wait_until_closed().await;
            if self.is_busy() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            biased;
            () = connect => {}
            () = unneeded => {}
            () = self.turn_stopped.notified() => {}
        }
    }

    async fn connect_mcp_server(&self, server: &McpServer) {
        let name = &server.name;
        let (connection, tools) = match mcp_client::connect(server, &self.workspace.root).await {
            Ok((connection, tools)) => (Rc::new(connection), tools),
            Err(why) => {
                let why = format!("The MCP server {name:?} cannot be used: {why}");
                let failure = Failure::permanent(FailureSource::Config, why);
                return self.events.emit_failure(&failure);
            }
        };
        let names: Vec<_> = tools.iter().map(|tool| tool.name.clone()).collect();
        let served = |tool| McpTool::served(name, tool, Rc::clone(&connection));
        self.tools
            .add_server(name, tools.into_iter().map(served).collect());
        self.events.emit(&Event::McpServerConnected {
            server: name,
            tools: &names,
        });
    }

    /// Whether the second turn never starts. Only a fault does that.
    fn is_stuck(&self) -> bool {
        let (turn, first) = self.faults.turns(Bug::SecondTurnStuck);
        turn == first && self.faults.triggers(Bug::SecondTurnStuck)
    }

    /// Starts a turn with the prompts that are still queued when a turn was stopped.
    fn continue_with_queued_prompts(&self) {
        if !self.settings.host_options.keeps_queue_after_stop || self.is_closed() {
            return;
        }
        let queues = &self.queues;
        if self.faults.triggers(Bug::QueueEndsWithStop) {
            queues.clear();
        }
        let mut due = queues.next().take().into_iter();
        let Some(next) = due.next() else {
            return;
        };
        due.for_each(|prompt| queues.steering.push(prompt));
        let prompts = &[];
        self.events
            .emit(&Event::PromptsDelivered { prompts, queues });
        self.queue_first(Task::turn(next));
    }

    fn compact_if_full(&self) {
        let threshold = self.settings.compaction_threshold;
        let Some(threshold) = threshold.filter(|_| !self.never_compacts.get()) else {
            return;
        };
        let used = self.context_tokens.get();
        let is_full = if used > threshold {
            !self.faults.triggers(Bug::CompactsNever)
        } else {
            used > threshold / 2 && self.faults.triggers(Bug::CompactsEarly)
        };
        if is_full {
            self.queue_first(Task::compaction(CompactionReason::Threshold, None));
        }
    }

    /// Adds the notes to the conversation and saves it, if nothing is running.
    pub(super) fn append_notes(&self) {
        if self.is_busy() {
            return;
        }
        let mut conversation = self.conversation.borrow_mut();
        if !conversation.append_notes() {
            return;
        }
        if let Err(error) = conversation.save() {
            tracing::warn!("the session could not be saved: {error}");
        }
    }
}
