//! The times of an agent that a run is measured by (`--timings`).

use std::time::Duration;

/// When an agent wrote its first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstLine {
    /// The time since the agent was started.
    pub after: Duration,
    /// The CPU time that the agent had taken by then, if it was measured ([`SuiteSettings::timings`]).
    ///
    /// [`SuiteSettings::timings`]: crate::scheduler::SuiteSettings::timings
    pub cpu: Option<Duration>,
}

/// The CPU time that the agents of a scenario took, with their descendants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgentCpu {
    /// Until the first line.
    pub start: Duration,
    /// From there until stdin was closed.
    pub work: Duration,
    /// From there until the process had ended.
    pub exit: Duration,
}

impl AgentCpu {
    /// The CPU time of one agent, by what it had taken at its first line, when its stdin was closed, and at its end.
    pub(super) fn between(first_line: Duration, stdin_closed: Duration, end: Duration) -> Self {
        AgentCpu {
            start: first_line,
            work: stdin_closed.saturating_sub(first_line),
            exit: end.saturating_sub(stdin_closed.max(first_line)),
        }
    }

    /// What it took after the first line.
    #[must_use]
    pub fn after_first_line(&self) -> Duration {
        self.work + self.exit
    }
}

impl std::ops::AddAssign for AgentCpu {
    fn add_assign(&mut self, other: Self) {
        self.start += other.start;
        self.work += other.work;
        self.exit += other.exit;
    }
}
