//! The turn queue: the turn or compaction that runs, and those that wait.

use super::compaction::Compaction;
use super::failure::{Failure, FailureSource};
use super::queues::Prompt;
use super::turn::Turn;
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

/// The maximum number of waiting tasks.
const CAPACITY: usize = 64;

/// What runs, and what waits.
#[derive(Default)]
pub(super) struct TurnQueue {
    pub(super) running: Option<Running>,
    waiting: VecDeque<QueuedTask>,
    /// The ids of all turns so far.
    turn_ids: HashSet<String>,
}

/// The task that runs.
#[derive(Clone)]
pub(super) enum Running {
    Turn(Rc<Turn>),
    Compaction(Rc<Compaction>),
}

/// A task that waits.
pub(super) enum QueuedTask {
    Turn(Prompt),
    Compaction(Compaction),
}

impl TurnQueue {
    /// Queues a turn.
    ///
    /// # Errors
    /// The turn's id was used before, or the queue is full.
    pub(super) fn push_turn(&mut self, prompt: Prompt) -> Result<(), Failure> {
        self.check_turn_id(&prompt.turn)?;
        check_capacity(self.waiting.len())?;
        self.turn_ids.insert(prompt.turn.clone());
        self.waiting.push_back(QueuedTask::Turn(prompt));
        Ok(())
    }

    /// Queues a compaction.
    ///
    /// # Errors
    /// The queue is full.
    pub(super) fn push_compaction(&mut self, compaction: Compaction) -> Result<(), Failure> {
        check_capacity(self.waiting.len())?;
        self.waiting.push_back(QueuedTask::Compaction(compaction));
        Ok(())
    }

    /// Queues a task before all others.
    pub(super) fn push_first(&mut self, task: QueuedTask) {
        self.waiting.push_front(task);
    }

    /// Takes the next task out of the queue.
    pub(super) fn pop(&mut self) -> Option<QueuedTask> {
        self.waiting.pop_front()
    }

    /// Marks an id as used.
    ///
    /// # Errors
    /// It was used before.
    pub(super) fn reserve_turn_id(&mut self, id: &str) -> Result<(), Failure> {
        self.check_turn_id(id)?;
        self.turn_ids.insert(id.to_owned());
        Ok(())
    }

    fn check_turn_id(&self, id: &str) -> Result<(), Failure> {
        if !self.turn_ids.contains(id) {
            return Ok(());
        }
        let why = format!("The id {id:?} was used before");
        Err(Failure::permanent(FailureSource::Protocol, why))
    }

    /// The number of turns so far, including those that wait.
    pub(super) fn turns(&self) -> usize {
        self.turn_ids.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Removes the tasks that wait.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }

    pub(super) fn running_turn(&self) -> Option<&Rc<Turn>> {
        match &self.running {
            Some(Running::Turn(turn)) => Some(turn),
            _ => None,
        }
    }
}

/// # Errors
/// No more tasks are accepted: the queue is full.
pub(super) fn check_capacity(waiting: usize) -> Result<(), Failure> {
    if waiting < CAPACITY {
        return Ok(());
    }
    Err(Failure {
        retryable: true,
        ..Failure::permanent(FailureSource::Protocol, "Too many messages are waiting")
    })
}
