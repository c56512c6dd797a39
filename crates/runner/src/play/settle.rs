//! The early end of a wait whose event can no longer come: all work has ended, and the agent is silent and idle.
//!
//! All of this must hold for the `settle` budget: every turn and every command that the host has sent has ended, as the dialect
//! defines it (`session.work`), an event has come since the host last sent a line, the model has no open request, no line is unfinished,
//! the agent has not been asked to end, and its processes sleep. In case of doubt, the wait gets its whole budget.
//!
//! The smoke scenario, which answers in seconds whether the agent works at all, also ends a wait in the middle of the work, when the agent
//! has been silent and idle for the `smoke` budget and waits for nothing from conform.

use super::client::SessionClient;
use super::context::EarlyStop;
use super::event_loop::{EventWait, WaitResult};
use super::player::ScenarioPlayer;
use crate::process::quiet_watch::QuietWatch;
use std::time::Duration;
use tokio::time::Instant;

/// Why a wait ends before its budget runs out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EarlyEnd {
    /// Nothing more can come.
    Settled,
    /// The agent does nothing, although its work is not over.
    Idle,
}

impl ScenarioPlayer {
    /// When the wait must be checked again to end it early; `None` if it does not end early.
    pub(super) fn settle_at(&self, wait: &EventWait) -> Option<Instant> {
        let watch = wait.settle.as_ref();
        let watch = watch.filter(|_| self.suite.settings.settle)?;
        Some(watch.next_look())
    }

    /// Why the wait ends now; `None` if it continues.
    pub(super) fn early_end(&mut self, wait: &mut EventWait) -> Option<EarlyEnd> {
        let may_idle = self.is_smoke && wait.has_usual_budgets();
        let watch = wait.settle.as_mut()?;
        self.queue.read_stdout();
        let is_over = self.is_all_over();
        let activity = if is_over || may_idle && self.is_waited_for() {
            self.session.process.activity()
        } else {
            None
        };
        let quiet = watch.look(activity)?;
        if is_over && quiet >= self.budgets.settle {
            return Some(EarlyEnd::Settled);
        }
        (quiet >= self.budgets.smoke).then_some(EarlyEnd::Idle)
    }

    /// Before the next action of the host, which may excuse the agent, waits for the frames that the agent must send by itself.
    pub(super) async fn wait_for_obligations(&mut self) -> Result<(), EarlyStop> {
        while self.session.unhandled_sends == 0
            && self.session.process.is_stdin_open()
            && !self.session.was_signalled
            && let Some(overdue) = self.session.recorder.checker().overdue_at()
        {
            // The frame that the host sends next must be later than that.
            let overdue = self.session.started + Duration::from_micros(overdue.saturating_add(1));
            let left = overdue.saturating_duration_since(Instant::now());
            let mut wait = EventWait::for_event_within(("response", left));
            if left.is_zero() || !matches!(self.next_event(&mut wait).await?, WaitResult::Event) {
                break;
            }
        }
        Ok(())
    }

    /// Whether a wait that has run out of time had nothing more to wait for in its last part.
    pub(super) fn was_over(&self, wait: &EventWait) -> bool {
        let is_quiet = |watch: &QuietWatch| watch.quiet_time() >= self.budgets.settle;
        wait.settle.as_ref().is_some_and(is_quiet) && self.is_all_over()
    }

    /// Whether all work between host, agent and model has ended. In a scenario that only rules judge, answers to all requests show that too.
    pub(super) fn is_all_over(&self) -> bool {
        let checker = self.session.recorder.checker();
        let is_over =
            checker.is_work_over() || self.scenario.rules_only && checker.is_all_answered();
        is_over && self.is_waited_for()
    }

    /// Whether the agent waits neither for the model nor for its end.
    pub(super) fn is_waited_for(&self) -> bool {
        let owes_nothing = self
            .session
            .client
            .as_ref()
            .is_none_or(SessionClient::owes_nothing);
        self.session.process.is_stdin_open()
            && !self.session.was_signalled
            && owes_nothing
            && self.queue.is_quiet()
    }
}
