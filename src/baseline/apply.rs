//! Lays a baseline over a report.

use super::{Baseline, BaselineEntry, Date, EntryKind};
use crate::finding::{Baselined, BaselinedKind, Blame, Finding};
use crate::report::Verdict;
use crate::report::verdict_rules;
use crate::report::{Report, ScenarioReport};
use std::sync::Arc;

/// An entry that has to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleEntry {
    /// The entry.
    pub entry: BaselineEntry,
    /// Why it has to go.
    pub why: String,
}

impl StaleEntry {
    /// What to tell the user: the place and what to do.
    #[must_use]
    pub fn message(&self, baseline: &Baseline) -> String {
        format!(
            "{}:{}: delete this entry ({} in {}): {}",
            baseline.path.display(),
            self.entry.span.line,
            self.entry.rule,
            self.entry.scenario,
            self.why
        )
    }
}

/// What a run says of the entries that it did not meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunExtent {
    /// Everything was played.
    Whole,
    /// A choice was: entries about what may have been left out are not held to account.
    Part,
}

/// A baseline on a certain day.
#[derive(Debug, Clone)]
pub struct DatedBaseline {
    /// The baseline.
    pub baseline: Arc<Baseline>,
    /// The day.
    pub today: Date,
}

impl DatedBaseline {
    /// Whether a finding in a scenario is put up with.
    #[must_use]
    pub fn covers(&self, scenario: &str, finding: &Finding) -> bool {
        covering(&self.baseline, scenario, finding, self.today).is_some()
    }
}

/// Marks the findings of a scenario that the baseline covers, and judges it again by the others.
pub fn mark(scenario: &mut ScenarioReport, side: Blame, baseline: &Baseline, today: Date) {
    let id = scenario.id.clone();
    let mut marked = false;
    for finding in scenario.all_findings_mut() {
        if let Some(n) = covering(baseline, &id, finding, today) {
            finding.baseline = Some(baselined(&baseline.entries[n]));
            marked = true;
        }
    }
    if marked && matches!(scenario.verdict, Verdict::Fail | Verdict::Warn) {
        judge_again(scenario, side);
    }
}

/// The entries that have to go, after the scenarios were marked.
#[must_use]
pub fn stale(
    report: &Report,
    baseline: &Baseline,
    today: Date,
    extent: RunExtent,
) -> Vec<StaleEntry> {
    let mut met = vec![false; baseline.entries.len()];
    for scenario in &report.scenarios {
        for finding in scenario.all_findings() {
            if let Some(n) = covering(baseline, &scenario.id, finding, today) {
                met[n] = true;
            }
        }
    }
    let entries = baseline.entries.iter().zip(met);
    let stale = entries.filter_map(|(entry, met)| {
        let why = if entry.is_expired(today) {
            format!("it expired on {}", entry.expires?)
        } else if met {
            return None;
        } else if entry.names_nothing(report, extent) {
            "there is no such scenario".to_owned()
        } else if entry.kind == EntryKind::Known && entry.was_tried(report, extent) {
            "nothing matched it in this run".to_owned()
        } else {
            return None;
        };
        Some(StaleEntry {
            entry: entry.clone(),
            why,
        })
    });
    stale.collect()
}

/// Marks every scenario, counts again, and notes the entries that have to go.
pub fn apply(report: &mut Report, baseline: &Baseline, today: Date, extent: RunExtent) {
    for scenario in &mut report.scenarios {
        mark(scenario, report.side, baseline, today);
    }
    report.summary = verdict_rules::summary(&report.scenarios);
    report.stale = stale(report, baseline, today, extent)
        .iter()
        .map(|entry| entry.message(baseline))
        .collect();
}

fn covering(baseline: &Baseline, id: &str, finding: &Finding, today: Date) -> Option<usize> {
    let covers =
        |entry: &BaselineEntry| entry.covers(id, &finding.rule) && !entry.is_expired(today);
    baseline.entries.iter().position(covers)
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

fn judge_again(scenario: &mut ScenarioReport, side: Blame) {
    let (covered, open): (Vec<Finding>, Vec<Finding>) = scenario
        .findings
        .iter()
        .cloned()
        .partition(|finding| finding.baseline.is_some());
    scenario.verdict = verdict_rules::of_findings(&open, side, true);
    let comes_and_goes = |finding: &Finding| {
        let mark = finding.baseline.as_ref();
        mark.is_some_and(|mark| mark.kind == BaselinedKind::Flaky)
    };
    scenario.flaky |=
        verdict_rules::is_flaky(scenario.verdict) && covered.iter().any(comes_and_goes);
}

impl BaselineEntry {
    /// Whether its last day has passed.
    pub(super) fn is_expired(&self, today: Date) -> bool {
        self.expires.is_some_and(|day| day < today)
    }

    /// Whether what it is about was judged, so that not meeting it means that it is gone. A pattern needs the whole run for that.
    pub(super) fn was_tried(&self, report: &Report, extent: RunExtent) -> bool {
        let judged =
            |s: &ScenarioReport| matches!(s.verdict, Verdict::Pass | Verdict::Fail | Verdict::Warn);
        (extent == RunExtent::Whole || !self.scenario.contains('*'))
            && self.about(report).next().is_some()
            && self.about(report).all(judged)
    }

    /// Whether it names a scenario of a dialect that was played as a whole, and there is none.
    pub(super) fn names_nothing(&self, report: &Report, extent: RunExtent) -> bool {
        let dialect = self.scenario.split('/').next();
        extent == RunExtent::Whole
            && report.dialect.iter().any(|id| Some(id.as_str()) == dialect)
            && self.about(report).next().is_none()
    }

    fn about<'a>(&'a self, report: &'a Report) -> impl Iterator<Item = &'a ScenarioReport> {
        let scenarios = report.scenarios.iter();
        scenarios.filter(|scenario| super::file::fits(&self.scenario, &scenario.id))
    }
}
