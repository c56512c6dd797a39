//! The scheduler: runs turns and compactions, one at a time, and decides what comes next.

use super::Session;
use crate::core::compaction::Compaction;
use crate::core::event::{CompactionReason, Event};
use crate::core::failure::Failure;
use crate::core::queues::Prompt;
use crate::core::retry::AfterTurn;
use crate::core::turn::Turn;
use crate::core::turn_queue::{QueuedTask, Running};
use crate::faults::Bug;
use std::rc::Rc;

impl Session {
    /// Starts a turn, or queues it if something is running.
    ///
    /// # Errors
    /// The turn's id was used before, or too many turns wait.
    pub(crate) fn submit_prompt(&self, prompt: Prompt) -> Result<(), Failure> {
        if self.has_turn() && self.faults.triggers(Bug::DropsWhileBusy) {
            return Ok(());
        }
        self.queue.borrow_mut().push_turn(prompt)?;
        self.start_next();
        Ok(())
    }

    /// Marks a turn's id as used, for a message that is answered without a turn.
    ///
    /// # Errors
    /// It was used before.
    pub(crate) fn reserve_turn_id(&self, id: &str) -> Result<(), Failure> {
        self.queue.borrow_mut().reserve_turn_id(id)
    }

    /// Compacts the conversation once nothing is running.
    ///
    /// # Errors
    /// Too many tasks wait.
    pub(crate) fn compact(&self, instructions: Option<String>) -> Result<(), Failure> {
        let compaction = Compaction::manual(instructions);
        self.queue.borrow_mut().push_compaction(compaction)?;
        self.start_next();
        Ok(())
    }

    /// A new id for a turn, where the host gives none.
    pub(crate) fn next_turn_id(&self) -> String {
        (self.queue.borrow().turns() + 1).to_string()
    }

    /// Whether a turn is running, or waits for a retry.
    pub(crate) fn has_turn(&self) -> bool {
        self.queue.borrow().running_turn().is_some()
    }

    /// Whether a turn or a compaction is running.
    pub(crate) fn is_busy(&self) -> bool {
        self.queue.borrow().running.is_some()
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
        self.queue.borrow_mut().clear();
    }

    /// Runs turns and compactions until the session is closed and none is left.
    pub(super) async fn run_tasks(&self) {
        loop {
            let running = self.queue.borrow().running.clone();
            match running {
                Some(Running::Turn(turn)) => self.run_turn(&turn).await,
                Some(Running::Compaction(compaction)) => {
                    let retry = compaction.run(&self.state).await;
                    self.queue.borrow_mut().running = None;
                    if retry {
                        self.retry_turn(true);
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
        self.mcp_servers.wait_until_connected().await;
        turn.run(&self.state, &self.retry).await;
        self.approvals.borrow_mut().end_turn(&self.faults);
        self.exit_if(Bug::ExitsAfterTurn);
        while turn.stays_busy() && !self.is_closed() {
            self.wake.notified().await;
        }
        let next = self
            .retry
            .after_turn(&self.state, turn.take_failure())
            .await;
        self.queue.borrow_mut().running = None;
        match next {
            AfterTurn::Nothing => {
                self.continue_with_queued_prompts();
                self.compact_if_full();
            }
            AfterTurn::Retry => self.retry_turn(false),
            AfterTurn::Compact(compaction) => self.queue_first(QueuedTask::Compaction(compaction)),
        }
    }

    /// Starts the next task if nothing is running.
    fn start_next(&self) {
        let mut queue = self.queue.borrow_mut();
        if queue.running.is_some() || queue.is_empty() || self.is_stuck() {
            return;
        }
        match queue.pop() {
            Some(QueuedTask::Turn(prompt)) => {
                self.conversation.borrow_mut().append_notes();
                if !prompt.resumes {
                    self.prompts.on_prompt(&prompt.text);
                }
                let turn = Rc::new(Turn::new(prompt, self.model_name.borrow().clone()));
                queue.running = Some(Running::Turn(Rc::clone(&turn)));
                drop(queue);
                self.faults.count_turn();
                self.events.emit(&Event::TurnStart {
                    turn: turn.id(),
                    prompt: &turn.prompt,
                });
            }
            Some(QueuedTask::Compaction(compaction)) => {
                queue.running = Some(Running::Compaction(Rc::new(compaction)));
            }
            None => return,
        }
        self.wake.notify_one();
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
        self.queue_first(QueuedTask::Turn(next));
    }

    fn compact_if_full(&self) {
        let threshold = self.settings.compaction_threshold;
        let Some(threshold) = threshold.filter(|_| self.auto_compaction.get()) else {
            return;
        };
        let used = self.context_tokens.get();
        let is_full = match used > threshold {
            true => !self.faults.triggers(Bug::CompactsNever),
            false => used > threshold / 2 && self.faults.triggers(Bug::CompactsEarly),
        };
        if is_full {
            let compaction = Compaction::automatic(CompactionReason::Threshold);
            self.queue_first(QueuedTask::Compaction(compaction));
        }
    }

    /// Queues a turn that continues where the failed one ended.
    fn retry_turn(&self, after_compaction: bool) {
        let conversation = &mut self.conversation.borrow_mut();
        if !after_compaction && self.faults.triggers(Bug::RetryDoublesPrompt) {
            conversation.repeat_prompt();
        }
        if self.faults.triggers(Bug::RetryStartsOver) {
            conversation.truncate_after_prompt();
        }
        self.queue_first(QueuedTask::Turn(Prompt {
            turn: self.next_turn_id(),
            resumes: true,
            ..Prompt::default()
        }));
    }

    fn queue_first(&self, task: QueuedTask) {
        self.queue.borrow_mut().push_first(task);
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
