//! How many scenarios are played in parallel: as many as the settings allow, and fewer where an agent is slow or the machine too busy.

use super::engine::cores;
use std::time::Duration;

/// An agent that needs so long for a scenario that it plays alone is slow. Many of it at a time leave each other no CPU.
const SLOW: Duration = Duration::from_millis(500);

/// How many scenarios are played in parallel in a run.
#[derive(Debug)]
pub(super) struct Pace {
    /// How many are played at most.
    most: usize,
    /// How many are played now.
    jobs: usize,
    /// How long a slow agent needed for the smoke scenario, which it played alone.
    slow: Option<Duration>,
    /// Whether the machine was too busy for an agent.
    is_busy: bool,
}

impl Pace {
    pub(super) fn new(most: usize) -> Self {
        Pace {
            most,
            jobs: most,
            slow: None,
            is_busy: false,
        }
    }

    /// How many scenarios are played in parallel now.
    pub(super) fn jobs(&self) -> usize {
        self.jobs
    }

    /// Whether the machine was too busy for an agent.
    pub(super) fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// The smoke scenario was played alone, and took so long: few scenarios of a slow agent are played at a time at first.
    pub(super) fn smoke_took(&mut self, time: Duration) {
        if time >= SLOW {
            self.slow = Some(time);
            self.jobs = self.jobs.min(2 * cores().get());
        }
    }

    /// A scenario took so long: one more of a slow agent is played if it took hardly longer than the one that was played alone.
    pub(super) fn took(&mut self, time: Duration) {
        if self.slow.is_some_and(|alone| time <= alone * 3 / 2) && !self.is_busy {
            self.jobs = self.most.min(self.jobs + 1);
        }
    }

    /// The machine was too busy for an agent that was one of `jobs`: from now on at most half as many are played.
    pub(super) fn starved(&mut self, jobs: usize) {
        self.jobs = self.jobs.min((jobs / 2).max(1));
        self.is_busy = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_agent_begins_with_few_and_gets_more_while_it_does_not_become_slower() {
        let few = 2 * cores().get();
        let mut pace = Pace::new(few + 2);
        pace.smoke_took(SLOW * 2);
        assert_eq!(pace.jobs(), few);
        pace.took(SLOW * 4);
        assert_eq!(pace.jobs(), few);
        for jobs in [few + 1, few + 2, few + 2] {
            pace.took(SLOW * 3);
            assert_eq!(pace.jobs(), jobs);
        }
    }

    #[test]
    fn a_quick_agent_is_played_as_often_as_the_settings_allow() {
        let mut pace = Pace::new(64);
        pace.smoke_took(SLOW / 2);
        assert_eq!(pace.jobs(), 64);
    }

    #[test]
    fn all_that_were_started_together_halve_their_number_once() {
        let mut pace = Pace::new(32);
        for _ in 0..20 {
            pace.starved(32);
        }
        assert_eq!((pace.jobs(), pace.is_busy()), (16, true));
        pace.starved(16);
        assert_eq!(pace.jobs(), 8);
        pace.starved(1);
        assert_eq!(pace.jobs(), 1);
    }
}
