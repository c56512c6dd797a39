//! Turns that failed, and are tried again: after a wait, or after a compaction where the context was too long.

use super::compaction::{Compaction, is_overflow};
use super::event::CompactionReason;
use super::event::Event;
use super::failure::Failure;
use super::session::Session;
use super::settings::RetryPolicy;
use super::turn::Turn;
use std::cell::Cell;
use tokio::sync::Notify;

/// The attempts for the turn at hand.
#[derive(Debug)]
pub(crate) struct RetryState {
    /// Whether the host wants any.
    pub(crate) on: Cell<bool>,
    attempt: Cell<u32>,
    waiting: Cell<bool>,
    stopped: Notify,
    /// A compaction has been tried for the prompt at hand.
    compacted: Cell<bool>,
}

impl Default for RetryState {
    fn default() -> Self {
        RetryState {
            on: Cell::new(true),
            attempt: Cell::new(0),
            waiting: Cell::new(false),
            stopped: Notify::new(),
            compacted: Cell::new(false),
        }
    }
}

/// What comes after a turn.
pub(crate) enum AfterTurn {
    Nothing,
    /// The same again.
    Again,
    Compact(Compaction),
}

impl RetryState {
    /// Ends the wait for the next attempt, if there is one.
    pub(crate) fn stop(&self) -> bool {
        if self.waiting.get() {
            self.stopped.notify_one();
        }
        self.waiting.get()
    }

    /// Whether a turn has failed and will be tried again.
    pub(crate) fn follows(&self, session: &Session, turn: &Turn) -> bool {
        let failure = turn.failure.take();
        let follows = failure.as_ref().zip(session.settings.turn_retries);
        let follows = follows.is_some_and(|(failure, plan)| self.may_follow(failure, plan));
        turn.failure.set(failure);
        follows
    }

    fn may_follow(&self, failure: &Failure, plan: RetryPolicy) -> bool {
        let left = self.attempt.get() < plan.attempts;
        failure.retryable && self.on.get() && left && !is_overflow(failure)
    }

    /// Waits where a turn failed and is to be tried again, and says so.
    pub(crate) async fn after(&self, session: &Session, turn: &Turn) -> AfterTurn {
        let failure = turn.failure.take();
        let Some(plan) = session.settings.turn_retries else {
            return AfterTurn::Nothing;
        };
        let Some(failure) = failure else {
            self.compacted.set(false);
            self.end(session, None);
            return AfterTurn::Nothing;
        };
        if is_overflow(&failure) {
            self.end(session, Some(&failure.message));
            let may = session.auto_compaction.get() && !self.compacted.replace(true);
            return match may {
                true => AfterTurn::Compact(Compaction::because(CompactionReason::Overflow)),
                false => AfterTurn::Nothing,
            };
        }
        let refused = !failure.retryable && self.attempt.get() < plan.attempts;
        let right = self.may_follow(&failure, plan);
        if !session.hooks.retries_turn(right, refused) {
            self.end(session, Some(&failure.message));
            return AfterTurn::Nothing;
        }
        self.wait(session, plan, &failure).await
    }

    async fn wait(&self, session: &Session, plan: RetryPolicy, failure: &Failure) -> AfterTurn {
        let attempt = self.attempt.get() + 1;
        self.attempt.set(attempt);
        let delay = plan.wait(attempt);
        session.events.emit(&Event::RetryStart {
            attempt,
            of: plan.attempts,
            delay,
            failure,
        });
        self.waiting.set(true);
        let again = tokio::select! {
            biased;
            () = self.stopped.notified() => false,
            () = session.closed() => false,
            () = tokio::time::sleep(delay) => true,
        };
        self.waiting.set(false);
        if again {
            return AfterTurn::Again;
        }
        self.end(session, Some("Retry cancelled"));
        AfterTurn::Nothing
    }

    fn end(&self, session: &Session, error: Option<&str>) {
        let attempt = self.attempt.take();
        if attempt > 0 {
            session.events.emit(&Event::RetryEnd { attempt, error });
        }
    }
}
