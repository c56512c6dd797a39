//! Applies a baseline to a report: marks accepted findings, recomputes verdicts, lists stale entries.

use super::date::Date;
use super::entry::{Baseline, BaselineEntry, EntryKind};
use super::extent::RunExtent;
use super::stale::stale_entries;
use crate::verdict_rules;
use crate::{BaselineUse, Report, ScenarioReport, Verdict};
use conform_judge::finding::{Baselined, BaselinedKind, Blame, Finding};
use std::sync::Arc;

/// A baseline as of a certain day.
#[derive(Debug, Clone)]
pub struct DatedBaseline {
    /// The baseline.
    pub baseline: Arc<Baseline>,
    /// The day.
    pub today: Date,
}

impl DatedBaseline {
    /// Whether the baseline covers a finding in a scenario.
    #[must_use]
    pub fn covers(&self, scenario: &str, finding: &Finding) -> bool {
        self.baseline
            .covering(scenario, finding, self.today)
            .is_some()
    }
}

/// Marks the findings of a scenario that the baseline covers, and recomputes its verdict from the others.
pub fn mark(scenario: &mut ScenarioReport, side: Blame, baseline: &Baseline, today: Date) {
    let id = scenario.id.clone();
    let mut marked = false;
    for finding in scenario.all_findings_mut() {
        if let Some(n) = baseline.covering(&id, finding, today) {
            finding.baseline = Some(baselined(&baseline.entries[n]));
            marked = true;
        }
    }
    if marked && matches!(scenario.verdict, Verdict::Fail | Verdict::Warn) {
        recompute_verdict(scenario, side);
    }
}

/// Applies the baseline to every scenario, recomputes the summary, and lists the stale entries.
pub fn apply(report: &mut Report, baseline: &Baseline, today: Date, extent: RunExtent) {
    for scenario in &mut report.scenarios {
        mark(scenario, report.side, baseline, today);
    }
    report.baseline = (!baseline.entries.is_empty()).then(|| BaselineUse {
        entries: baseline.entries.len() as u64,
        without_reason: baseline.without_reason() as u64,
    });
    report.summarize();
    report.stale = stale_entries(report, baseline, today, extent)
        .iter()
        .map(|entry| entry.message(baseline))
        .collect();
}

fn baselined(entry: &BaselineEntry) -> Baselined {
    Baselined {
        kind: match entry.kind {
            EntryKind::Known => BaselinedKind::Known,
            EntryKind::Flaky => BaselinedKind::Flaky,
        },
        reason: entry.reason.clone(),
    }
}

fn recompute_verdict(scenario: &mut ScenarioReport, side: Blame) {
    let (covered, open): (Vec<Finding>, Vec<Finding>) = scenario
        .findings
        .iter()
        .cloned()
        .partition(|finding| finding.baseline.is_some());
    scenario.verdict = verdict_rules::of_findings(&open, side, true);
    let is_known_flaky = |finding: &Finding| {
        let mark = finding.baseline.as_ref();
        mark.is_some_and(|mark| mark.kind == BaselinedKind::Flaky)
    };
    scenario.flaky |=
        verdict_rules::is_flaky(scenario.verdict) && covered.iter().any(is_known_flaky);
}
