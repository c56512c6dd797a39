//! What a run says about a pattern of scenarios: whether all of them were judged, and whether there are any.

use super::entry::ScenarioPattern;
use crate::{Report, ScenarioReport, Verdict};

/// How much of the suite a run covers, which decides whether an unmatched entry is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunExtent {
    /// All of it.
    Whole,
    /// A selection: an entry whose scenarios may have been left out is not stale.
    Part,
}

/// Whether the scenario has a verdict about the agent.
pub(super) fn is_judged(scenario: &ScenarioReport) -> bool {
    matches!(
        scenario.verdict,
        Verdict::Pass | Verdict::Fail | Verdict::Warn
    )
}

impl ScenarioPattern {
    /// Whether all scenarios that it matches have a verdict, so that an unmatched entry is stale. For a pattern of several scenarios this
    /// needs the whole run.
    pub(super) fn was_judged(&self, report: &Report, extent: RunExtent) -> bool {
        self.all_were(report, extent, is_judged)
    }

    /// Whether all scenarios that it matches have a verdict or were skipped.
    pub(super) fn was_judged_or_skipped(&self, report: &Report, extent: RunExtent) -> bool {
        let is_done = |s: &ScenarioReport| is_judged(s) || s.verdict == Verdict::Skipped;
        self.all_were(report, extent, is_done)
    }

    fn all_were(
        &self,
        report: &Report,
        extent: RunExtent,
        were: impl Fn(&ScenarioReport) -> bool,
    ) -> bool {
        (extent == RunExtent::Whole || !self.is_wide())
            && self.of(report).next().is_some()
            && self.of(report).all(were)
    }

    /// Whether the whole suite of its dialect was run and has no scenario that it matches.
    pub(super) fn matches_no_scenario(&self, report: &Report, extent: RunExtent) -> bool {
        let was_run = self
            .dialect()
            .is_some_and(|dialect| report.dialect.iter().any(|id| id == dialect));
        extent == RunExtent::Whole && was_run && self.of(report).next().is_none()
    }

    fn of<'a>(&'a self, report: &'a Report) -> impl Iterator<Item = &'a ScenarioReport> {
        let scenarios = report.scenarios.iter();
        scenarios.filter(|scenario| self.matches(&scenario.id))
    }
}
