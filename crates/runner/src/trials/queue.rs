//! The scenarios that are still to play: of each suite its smoke scenario first, and the others once that has passed.

use super::scenario_run::ScenarioRun;
use crate::play::context::SuiteContext;
use crate::scenario::Scenario;
use conform_report::Verdict;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Scenarios that wait for so long come first, so that none of them plays alone at the end.
const LONG: Duration = Duration::from_secs(1);

/// A scenario with the context of its suite.
pub(super) struct QueuedScenario {
    pub(super) context: Arc<SuiteContext>,
    pub(super) scenario: Arc<Scenario>,
    /// Whether it was played before, on a machine that was too busy.
    pub(super) again: bool,
}

impl QueuedScenario {
    pub(super) fn id(&self) -> String {
        format!("{}/{}", self.context.dialect.id(), self.scenario.id)
    }

    /// The result of the scenario if it is not played, and why.
    pub(super) fn unplayed(&self, verdict: Verdict, why: impl Into<String>) -> ScenarioRun {
        ScenarioRun::new(&self.context.dialect, &self.scenario).without_result(verdict, why)
    }
}

/// The scenarios of all suites that were not started yet.
#[derive(Default)]
pub(super) struct PlayQueue {
    suites: Vec<SuiteQueue>,
    /// Scenarios that are played again after the others.
    again: Vec<QueuedScenario>,
}

struct SuiteQueue {
    context: Arc<SuiteContext>,
    smoke: Smoke,
    scenarios: VecDeque<Arc<Scenario>>,
}

/// The progress of the smoke scenario of a suite.
#[derive(Debug, PartialEq, Eq)]
enum Smoke {
    /// It is played first, and is at the front of the queue.
    Due,
    /// It is being played; the others wait.
    Playing,
    /// It has passed, or there is none.
    Over,
}

impl PlayQueue {
    /// Adds the scenarios of a suite. If the settings say so, the others wait for the smoke scenario of the dialect, if it is among them.
    pub(super) fn add(&mut self, context: Arc<SuiteContext>, scenarios: Vec<Scenario>) {
        let mut scenarios: VecDeque<Arc<Scenario>> = scenarios.into_iter().map(Arc::new).collect();
        scenarios
            .make_contiguous()
            .sort_by_cached_key(|one| Reverse(one.longest_wait().filter(|time| *time >= LONG)));
        let smoke = context
            .dialect
            .smoke_id()
            .filter(|_| context.settings.smoke_first);
        let at = smoke.and_then(|smoke| scenarios.iter().position(|one| one.id == smoke));
        let first = at.and_then(|at| scenarios.remove(at));
        let smoke = match first {
            Some(first) => {
                scenarios.push_front(first);
                Smoke::Due
            }
            None => Smoke::Over,
        };
        self.suites.push(SuiteQueue {
            context,
            smoke,
            scenarios,
        });
    }

    /// Takes the next scenario that may be played now.
    pub(super) fn next(&mut self) -> Option<QueuedScenario> {
        let due = |suite: &&mut SuiteQueue| suite.smoke == Smoke::Due;
        let open =
            |suite: &&mut SuiteQueue| suite.smoke == Smoke::Over && !suite.scenarios.is_empty();
        let suite = match self.suites.iter_mut().find(due) {
            Some(suite) => {
                suite.smoke = Smoke::Playing;
                suite
            }
            None => match self.suites.iter_mut().find(open) {
                Some(suite) => suite,
                None => return self.again.pop(),
            },
        };
        Some(QueuedScenario {
            context: Arc::clone(&suite.context),
            scenario: suite.scenarios.pop_front()?,
            again: false,
        })
    }

    /// Adds a scenario that is played again, once, after the others.
    pub(super) fn play_again(&mut self, queued: QueuedScenario) {
        self.again.push(QueuedScenario {
            again: true,
            ..queued
        });
    }

    /// Notes that a scenario has ended. If it was the smoke scenario of its suite and has failed, the others are removed and returned.
    pub(super) fn note_end(&mut self, ended: &QueuedScenario, failed: bool) -> Vec<QueuedScenario> {
        let of_it = |suite: &&mut SuiteQueue| Arc::ptr_eq(&suite.context, &ended.context);
        match self.suites.iter_mut().find(of_it) {
            Some(suite) if suite.smoke == Smoke::Playing => {
                suite.smoke = Smoke::Over;
                if failed { suite.drain() } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    /// Removes and returns all scenarios.
    pub(super) fn drain(&mut self) -> Vec<QueuedScenario> {
        let open = self.suites.iter_mut().flat_map(SuiteQueue::drain);
        open.chain(self.again.drain(..)).collect()
    }
}

impl SuiteQueue {
    fn drain(&mut self) -> Vec<QueuedScenario> {
        let queued = |scenario| QueuedScenario {
            context: Arc::clone(&self.context),
            scenario,
            again: false,
        };
        self.scenarios.drain(..).map(queued).collect()
    }
}
