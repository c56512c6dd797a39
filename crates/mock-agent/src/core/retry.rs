//! Retries of failed turns: after a delay, or after a compaction where the context was too long.

use super::compaction::{Compaction, is_context_overflow};
use super::event::{CompactionReason, Event};
use super::failure::Failure;
use super::settings::RetryPolicy;
use super::state::SessionState;
use crate::faults::Bug;
use std::cell::Cell;
use tokio::sync::Notify;

/// The retries of the current prompt.
#[derive(Debug)]
pub(crate) struct RetryState {
    /// Whether the host allows retries.
    pub(crate) enabled: Cell<bool>,
    attempt: Cell<u32>,
    waiting: Cell<bool>,
    cancelled: Notify,
    /// Whether a compaction was tried for the current prompt.
    compacted: Cell<bool>,
}

impl Default for RetryState {
    fn default() -> Self {
        RetryState {
            enabled: Cell::new(true),
            attempt: Cell::new(0),
            waiting: Cell::new(false),
            cancelled: Notify::new(),
            compacted: Cell::new(false),
        }
    }
}

/// What follows a turn.
pub(super) enum AfterTurn {
    Nothing,
    Retry,
    Compact(Compaction),
}

impl RetryState {
    /// Cancels the wait for the next retry. False if there is none.
    pub(crate) fn cancel(&self) -> bool {
        if self.waiting.get() {
            self.cancelled.notify_one();
        }
        self.waiting.get()
    }

    /// Whether a turn with this failure will be retried.
    pub(super) fn will_retry(&self, state: &SessionState, failure: Option<&Failure>) -> bool {
        let retry = failure.zip(state.settings.turn_retries);
        retry.is_some_and(|(failure, policy)| self.may_retry(failure, policy))
    }

    fn may_retry(&self, failure: &Failure, policy: RetryPolicy) -> bool {
        let attempts_left = self.attempt.get() < policy.attempts;
        failure.retryable && self.enabled.get() && attempts_left && !is_context_overflow(failure)
    }

    /// Decides what follows a turn, and waits for the delay of a retry.
    pub(super) async fn after_turn(
        &self,
        state: &SessionState,
        failure: Option<Failure>,
    ) -> AfterTurn {
        let Some(policy) = state.settings.turn_retries else {
            return AfterTurn::Nothing;
        };
        let Some(failure) = failure else {
            self.compacted.set(false);
            self.end(state, None);
            return AfterTurn::Nothing;
        };
        if is_context_overflow(&failure) {
            self.end(state, Some(&failure.message));
            let compact = state.auto_compaction.get() && !self.compacted.replace(true);
            return match compact {
                true => AfterTurn::Compact(Compaction::automatic(CompactionReason::Overflow)),
                false => AfterTurn::Nothing,
            };
        }
        let refused = !failure.retryable && self.attempt.get() < policy.attempts;
        let retries = match self.may_retry(&failure, policy) {
            true => !state.faults.triggers(Bug::RetriesNever),
            false => refused && state.faults.triggers(Bug::RetriesRefusals),
        };
        if !retries {
            self.end(state, Some(&failure.message));
            return AfterTurn::Nothing;
        }
        self.wait(state, policy, &failure).await
    }

    async fn wait(
        &self,
        state: &SessionState,
        policy: RetryPolicy,
        failure: &Failure,
    ) -> AfterTurn {
        let attempt = self.attempt.get() + 1;
        self.attempt.set(attempt);
        let delay = policy.wait(attempt);
        state.events.emit(&Event::RetryStart {
            attempt,
            of: policy.attempts,
            delay,
            failure,
        });
        self.waiting.set(true);
        let retry = tokio::select! {
            biased;
            () = self.cancelled.notified() => false,
            () = state.wait_until_closed() => false,
            () = tokio::time::sleep(delay) => true,
        };
        self.waiting.set(false);
        if retry {
            return AfterTurn::Retry;
        }
        self.end(state, Some("Retry cancelled"));
        AfterTurn::Nothing
    }

    /// Ends the retries of the current prompt.
    fn end(&self, state: &SessionState, error: Option<&str>) {
        let attempt = self.attempt.take();
        if attempt > 0 {
            state.events.emit(&Event::RetryEnd { attempt, error });
        }
    }
}
