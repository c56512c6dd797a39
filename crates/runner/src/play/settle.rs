//! The early end of a wait whose event can no longer come: all work has ended, and the agent is silent and idle.
//!
//! All of this must hold for the `settle` budget: every turn and every command that the host has sent has come to its end, as the dialect
//! defines it (`session.work`), an event has come since the host last sent a line, the model has no open request, no line is unfinished,
//! nobody has asked the agent to end, and its processes sleep. Whatever is in doubt gets the whole budget of the wait.
//!
//! The smoke scenario, which answers in seconds whether the agent works at all, also ends a wait in the middle of the work, when the agent
//! has been silent and idle for the `smoke` budget and waits for nothing of ours.

use super::event_loop::EventWait;
use super::player::ScenarioPlayer;
use crate::process::activity::ProcessActivity;
use tokio::time::Instant;

/// Watches for the moment when nothing more can come.
#[derive(Debug)]
pub(super) struct SettleWatch {
    quiet_since: Instant,
    /// Since when every look found the agent idle.
    idle_since: Instant,
    /// The activity of the agent's processes in the middle of the quiet time.
    before: Option<ProcessActivity>,
}

/// Why a wait ends before its budget runs out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EarlyEnd {
    /// Nothing more can come.
    Settled,
    /// The agent does nothing, although its work is not over.
    Idle,
}

impl SettleWatch {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        SettleWatch {
            quiet_since: now,
            idle_since: now,
            before: None,
        }
    }

    /// Something has happened.
    pub(super) fn restart(&mut self) {
        *self = SettleWatch::new();
    }
}

impl ScenarioPlayer {
    /// When the wait must be looked at again to end it early; `None` if it does not end early.
    pub(super) fn settle_at(&self, wait: &EventWait) -> Option<Instant> {
        let watch = wait
            .settle
            .as_ref()
            .filter(|_| self.suite.settings.settle)?;
        Some(match watch.before {
            None => watch.quiet_since + self.budgets.settle / 2,
            Some(_) => watch.quiet_since + self.budgets.settle,
        })
    }

    /// Why the wait ends now; `None` if it goes on.
    pub(super) fn early_end(&mut self, wait: &mut EventWait) -> Option<EarlyEnd> {
        let may_idle = self.is_smoke && wait.has_usual_budgets();
        let watch = wait.settle.as_mut()?;
        self.queue.read_stdout();
        let is_over = self.is_all_over();
        let activity = match is_over || may_idle && self.is_waited_for() {
            true => self.session.process.activity(),
            false => None,
        };
        match (activity, watch.before.take()) {
            (Some(now), Some(before)) if now.is_idle_since(&before) => {
                if is_over {
                    return Some(EarlyEnd::Settled);
                }
                if watch.idle_since.elapsed() >= self.budgets.smoke {
                    return Some(EarlyEnd::Idle);
                }
                watch.before = Some(now);
                watch.quiet_since += self.budgets.settle / 2;
            }
            (Some(now), None) => watch.before = Some(now),
            _ => watch.restart(),
        }
        None
    }

    /// Whether a wait that has run out of time had nothing more to wait for in its last part.
    pub(super) fn was_over(&self, wait: &EventWait) -> bool {
        let is_quiet = |watch: &SettleWatch| watch.quiet_since.elapsed() >= self.budgets.settle;
        wait.settle.as_ref().is_some_and(is_quiet) && self.is_all_over()
    }

    /// Whether all work between host, agent and model has ended.
    fn is_all_over(&self) -> bool {
        self.session.recorder.is_work_over() && self.is_waited_for()
    }

    /// Whether the agent waits neither for the model nor for its end.
    fn is_waited_for(&self) -> bool {
        self.session.process.is_stdin_open() && !self.session.was_signalled && self.queue.is_quiet()
    }
}
