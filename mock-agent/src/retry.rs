//! Turns that failed, and are tried again: after a wait, or after a compaction where the context was too long.

use super::compaction::{Compaction, Reason, is_overflow};
use super::event::{Event, Failure};
use super::faults::Bug;
use super::session::Session;
use super::turn::Turn;
use std::cell::Cell;
use std::time::Duration;
use tokio::sync::Notify;

/// How turns are tried again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// How often at most.
    pub(super) attempts: u32,
    /// The wait before the first; each further one is twice as long.
    pub(super) delay: Duration,
    /// Whether summaries are tried again too.
    pub(super) summaries: bool,
}

impl Plan {
    /// The wait before this attempt, counted from 1.
    pub(super) fn wait(&self, attempt: u32) -> Duration {
        self.delay * 2u32.saturating_pow(attempt - 1)
    }
}

/// The attempts for the turn at hand.
#[derive(Debug)]
pub(super) struct Retry {
    /// Whether the host wants any.
    pub(super) on: Cell<bool>,
    attempt: Cell<u32>,
    waiting: Cell<bool>,
    stopped: Notify,
    /// A compaction has been tried for the prompt at hand.
    compacted: Cell<bool>,
}

impl Default for Retry {
    fn default() -> Self {
        Retry {
            on: Cell::new(true),
            attempt: Cell::new(0),
            waiting: Cell::new(false),
            stopped: Notify::new(),
            compacted: Cell::new(false),
        }
    }
}

/// What comes after a turn.
pub(super) enum Next {
    Nothing,
    /// The same again.
    Again,
    Compact(Compaction),
}

impl Retry {
    /// Ends the wait for the next attempt, if there is one.
    pub(super) fn stop(&self) -> bool {
        if self.waiting.get() {
            self.stopped.notify_one();
        }
        self.waiting.get()
    }

    /// Whether a turn has failed and will be tried again.
    pub(super) fn follows(&self, session: &Session, turn: &Turn) -> bool {
        let failure = turn.failure.take();
        let follows = failure.as_ref().zip(session.settings.again);
        let follows = follows.is_some_and(|(failure, plan)| self.may_follow(failure, plan));
        turn.failure.set(failure);
        follows
    }

    fn may_follow(&self, failure: &Failure, plan: Plan) -> bool {
        let left = self.attempt.get() < plan.attempts;
        failure.retryable && self.on.get() && left && !is_overflow(failure)
    }

    /// Waits where a turn failed and is to be tried again, and says so.
    pub(super) async fn after(&self, session: &Session, turn: &Turn) -> Next {
        let failure = turn.failure.take();
        let Some(plan) = session.settings.again else {
            return Next::Nothing;
        };
        let Some(failure) = failure else {
            self.compacted.set(false);
            self.end(session, None);
            return Next::Nothing;
        };
        if is_overflow(&failure) {
            self.end(session, Some(&failure.message));
            let may = session.auto_compaction.get() && !self.compacted.replace(true);
            return match may {
                true => Next::Compact(Compaction::because(Reason::Overflow)),
                false => Next::Nothing,
            };
        }
        let refusal = !failure.retryable && self.attempt.get() < plan.attempts;
        let stubborn = refusal && session.faults.plays(Bug::RetriesRefusals);
        if !stubborn && !self.may_follow(&failure, plan) || session.faults.plays(Bug::RetriesNever)
        {
            self.end(session, Some(&failure.message));
            return Next::Nothing;
        }
        self.wait(session, plan, &failure).await
    }

    async fn wait(&self, session: &Session, plan: Plan, failure: &Failure) -> Next {
        let attempt = self.attempt.get() + 1;
        self.attempt.set(attempt);
        let delay = plan.wait(attempt);
        session.voice.say(&Event::RetryStart {
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
            return Next::Again;
        }
        self.end(session, Some("Retry cancelled"));
        Next::Nothing
    }

    fn end(&self, session: &Session, error: Option<&str>) {
        let attempt = self.attempt.take();
        if attempt > 0 {
            session.voice.say(&Event::RetryEnd { attempt, error });
        }
    }
}
