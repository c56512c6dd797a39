//! What a session has to do: turns and compactions, one at a time.

use super::Session;
use crate::core::compaction::Compaction;
use crate::core::event::CompactionReason;
use crate::core::event::Event;
use crate::core::failure::{Code, Failure};
use crate::core::hooks::After;
use crate::core::queues::Prompt;
use crate::core::retry::AfterTurn;
use crate::core::turn::Turn;
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

/// How many commands may wait for those before them.
const WAITING: usize = 64;

/// The turn at work and those that wait.
#[derive(Default)]
pub(super) struct Turns {
    current: Option<Rc<Turn>>,
    /// The compaction at work; never beside a turn.
    compaction: Option<Rc<Compaction>>,
    waiting: VecDeque<Task>,
    /// The ids of all turns so far.
    known: HashSet<String>,
}

impl Turns {
    fn is_new(&self, id: &str) -> Result<(), Failure> {
        if !self.known.contains(id) {
            return Ok(());
        }
        let why = format!("The id {id:?} was used before");
        Err(Failure::lasting(Code::Protocol, why))
    }
}

/// What waits for the turn at work to end.
enum Task {
    Turn(Prompt),
    Compact(Compaction),
}

/// Whether one more may wait.
pub(super) fn room(waiting: usize) -> Result<(), Failure> {
    if waiting < WAITING {
        return Ok(());
    }
    Err(Failure {
        retryable: true,
        ..Failure::lasting(Code::Protocol, "Too many messages are waiting")
    })
}

impl Session {
    /// Starts a turn, or has the prompt wait for its turn.
    ///
    /// # Errors
    /// The turn's id was used before, or too many wait.
    pub(crate) fn prompt(&self, prompt: Prompt) -> Result<(), Failure> {
        let mut turns = self.turns.borrow_mut();
        if turns.current.is_some() && self.hooks.drops_prompt_while_busy() {
            return Ok(());
        }
        turns.is_new(&prompt.turn)?;
        room(turns.waiting.len())?;
        turns.known.insert(prompt.turn.clone());
        turns.waiting.push_back(Task::Turn(prompt));
        drop(turns);
        self.advance();
        Ok(())
    }

    /// Takes an id as used, for a message that is answered without a turn.
    ///
    /// # Errors
    /// It was used before.
    pub(crate) fn claim(&self, id: &str) -> Result<(), Failure> {
        let mut turns = self.turns.borrow_mut();
        turns.is_new(id)?;
        turns.known.insert(id.to_owned());
        Ok(())
    }

    /// Compacts the conversation, once nothing else is at work.
    ///
    /// # Errors
    /// Too much waits.
    pub(crate) fn compact(&self, instructions: Option<String>) -> Result<(), Failure> {
        let mut turns = self.turns.borrow_mut();
        room(turns.waiting.len())?;
        let compaction = Compaction::asked_for(instructions);
        turns.waiting.push_back(Task::Compact(compaction));
        drop(turns);
        self.advance();
        Ok(())
    }

    /// An id for a turn, where the host gives none.
    pub(crate) fn next_turn(&self) -> String {
        (self.turns.borrow().known.len() + 1).to_string()
    }

    /// Whether a turn is at work, or waits to be tried again.
    pub(crate) fn has_turn(&self) -> bool {
        self.turns.borrow().current.is_some()
    }

    /// Whether a turn or a compaction is at work.
    pub(crate) fn is_busy(&self) -> bool {
        let turns = self.turns.borrow();
        turns.current.is_some() || turns.compaction.is_some()
    }

    /// Waits until nothing is at work.
    pub(crate) async fn idle(&self) {
        loop {
            let settled = self.settled.notified();
            if !self.is_busy() {
                return;
            }
            settled.await;
        }
    }

    /// The turn at work.
    pub(super) fn current(&self) -> Option<Rc<Turn>> {
        self.turns.borrow().current.clone()
    }

    /// The compaction at work.
    pub(super) fn compaction(&self) -> Option<Rc<Compaction>> {
        self.turns.borrow().compaction.clone()
    }

    /// Whether the user has said something.
    pub(super) fn has_begun(&self) -> bool {
        !self.turns.borrow().known.is_empty()
    }

    /// Forgets the prompts that wait.
    pub(crate) fn forget_waiting(&self) {
        self.turns.borrow_mut().waiting.clear();
    }

    /// Does the turns, one after the other.
    pub(super) async fn turns(&self) {
        loop {
            if let Some(turn) = self.current() {
                self.servers.settled().await;
                self.turn(&turn).await;
                let next = self.retry.after(self, &turn).await;
                self.turns.borrow_mut().current = None;
                match next {
                    AfterTurn::Nothing => {
                        self.go_on();
                        self.compact_if_full();
                    }
                    AfterTurn::Again => {
                        self.again(false);
                    }
                    AfterTurn::Compact(compaction) => self.first(Task::Compact(compaction)),
                }
            } else if let Some(compaction) = self.compaction() {
                let again = compaction.run(self).await;
                self.turns.borrow_mut().compaction = None;
                if again {
                    self.again(true);
                }
            } else if self.is_closing() {
                return;
            } else {
                self.prompted.notified().await;
                continue;
            }
            self.advance();
            self.take_asides();
            if !self.is_busy() {
                self.events.emit(&Event::Idle);
            }
            self.settled.notify_waiters();
        }
    }

    async fn turn(&self, turn: &Turn) {
        turn.run(self).await;
        let mode = self.approvals.borrow().mode;
        self.approvals.borrow_mut().mode = self.hooks.mode_after_turn(mode);
        if self.hooks.exits(After::Turn) {
            self.events.outbox.exit(0);
        }
        while turn.leaves_busy() && !self.is_closing() {
            self.prompted.notified().await;
        }
    }

    /// Makes the next prompt the current turn, if none is at work.
    fn advance(&self) {
        let mut turns = self.turns.borrow_mut();
        let busy = turns.current.is_some() || turns.compaction.is_some();
        if busy || turns.waiting.is_empty() || !self.hooks.starts_next_task() {
            return;
        }
        let prompt = match turns.waiting.pop_front() {
            Some(Task::Turn(prompt)) => prompt,
            Some(Task::Compact(compaction)) => {
                turns.compaction = Some(Rc::new(compaction));
                return self.prompted.notify_one();
            }
            None => return,
        };
        self.conversation.borrow_mut().take_asides();
        let turn = Rc::new(Turn::new(prompt, self.model_name.borrow().clone()));
        turns.current = Some(Rc::clone(&turn));
        drop(turns);
        self.hooks.on_turn_start();
        self.events.emit(&Event::TurnStart {
            turn: turn.id(),
            prompt: turn.prompt(),
        });
        self.prompted.notify_one();
    }

    /// Takes up what was queued and outlived the turn before.
    fn go_on(&self) {
        if !self.settings.host_options.keeps_queue_after_stop || self.is_closing() {
            return;
        }
        let queues = &self.queues;
        if !self.hooks.keeps_queues() {
            queues.clear();
        }
        let mut due = queues.due(true).into_iter();
        let Some(next) = due.next() else {
            return;
        };
        due.for_each(|prompt| queues.steering.push(prompt));
        let prompts = &[];
        self.events
            .emit(&Event::PromptsDelivered { prompts, queues });
        self.first(Task::Turn(next));
    }

    fn compact_if_full(&self) {
        let now = self.context.get();
        let full = |mark: u64| now > self.hooks.compaction_threshold(mark, now);
        if self.auto_compaction.get() && self.settings.compaction_threshold.is_some_and(full) {
            self.first(Task::Compact(Compaction::because(
                CompactionReason::Threshold,
            )));
        }
    }

    /// Has the model asked again where it failed, before anything else.
    fn again(&self, after_compaction: bool) {
        let conversation = &mut self.conversation.borrow_mut();
        self.hooks.on_retry(conversation, after_compaction);
        self.first(Task::Turn(Prompt {
            turn: self.next_turn(),
            resumes: true,
            ..Prompt::default()
        }));
    }

    fn first(&self, task: Task) {
        self.turns.borrow_mut().waiting.push_front(task);
    }

    /// Puts what was held back into the conversation, if nothing is at work on it.
    pub(super) fn take_asides(&self) {
        if self.is_busy() {
            return;
        }
        let mut conversation = self.conversation.borrow_mut();
        if !conversation.take_asides() {
            return;
        }
        if let Err(error) = conversation.save() {
            tracing::warn!("the session could not be saved: {error}");
        }
    }
}
