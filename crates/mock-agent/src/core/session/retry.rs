//! Retries of failed turns: after a delay, or after a compaction where the context was too long.

use super::{Session, Task};
use crate::core::compaction::is_context_overflow;
use crate::core::{CompactionReason, Event, Failure, Prompt};
use crate::faults::Bug;
use std::cell::Cell;
use tokio::sync::Notify;

/// The retries of the current prompt.
#[derive(Debug, Default)]
pub(crate) struct RetryState {
    /// Whether the host has switched retries off.
    pub(crate) is_off: Cell<bool>,
    attempt: Cell<u32>,
    waiting: Cell<bool>,
    cancelled: Notify,
    /// Whether a compaction was tried for the current prompt.
    compacted: Cell<bool>,
}

impl RetryState {
    /// Cancels the wait for the next retry. False if there is none.
    pub(crate) fn cancel(&self) -> bool {
        if self.waiting.get() {
            self.cancelled.notify_one();
        }
        self.waiting.get()
    }
}

impl Session {
    /// Whether a turn with this failure will be retried.
    pub(in crate::core) fn will_retry(&self, failure: &Failure) -> bool {
        let policy = self.settings.turn_retries;
        policy.is_some_and(|policy| self.retry.attempt.get() < policy.attempts)
            && failure.retryable
            && !self.retry.is_off.get()
            && !is_context_overflow(failure)
    }

    /// Decides what follows a turn immediately, and waits for the delay of a retry.
    pub(super) async fn after_turn(&self, failure: Option<Failure>) -> Option<Task> {
        let policy = self.settings.turn_retries?;
        let retry = &self.retry;
        let Some(failure) = failure else {
            retry.compacted.set(false);
            return self.end_retries(None);
        };
        if is_context_overflow(&failure) {
            self.end_retries(Some(&failure.message));
            let compacts = !self.never_compacts.get() && !retry.compacted.replace(true);
            return compacts.then(|| Task::compaction(CompactionReason::Overflow, None));
        }
        let attempt = retry.attempt.get() + 1;
        let retries = if self.will_retry(&failure) {
            !self.faults.triggers(Bug::RetriesNever)
        } else {
            !failure.retryable
                && attempt <= policy.attempts
                && self.faults.triggers(Bug::RetriesRefusals)
        };
        if !retries {
            return self.end_retries(Some(&failure.message));
        }
        retry.attempt.set(attempt);
        let scheduled = policy.retry(attempt, &failure);
        self.events.emit(&Event::RetryStart(scheduled));
        retry.waiting.set(true);
        let again = tokio::select! {
            biased;
            () = retry.cancelled.notified() => false,
            () = self.wait_until_closed() => false,
            () = self.clock().sleep(scheduled.delay) => true,
        };
        retry.waiting.set(false);
        if again {
            Some(self.retried_turn(false))
        } else {
            self.end_retries(Some("Retry cancelled"))
        }
    }

    /// A turn that continues where the failed one ended.
    pub(super) fn retried_turn(&self, after_compaction: bool) -> Task {
        let conversation = &mut self.conversation.borrow_mut();
        if !after_compaction && self.faults.triggers(Bug::RetryDoublesPrompt) {
            conversation.repeat_prompt();
        }
        if self.faults.triggers(Bug::RetryStartsOver) {
            conversation.truncate_at_prompt(true);
        }
        Task::turn(Prompt {
            turn: self.next_turn_id(),
            resumes: true,
            ..Prompt::default()
        })
    }

    /// Ends the retries of the current prompt. Nothing follows.
    fn end_retries(&self, error: Option<&str>) -> Option<Task> {
        let attempt = self.retry.attempt.take();
        if attempt > 0 {
            self.events.emit(&Event::RetryEnd { attempt, error });
        }
        None
    }
}
