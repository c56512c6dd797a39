//! Applies a baseline to a report: marks accepted findings, recomputes verdicts, finds stale entries.

use super::date::Date;
use super::file::{Baseline, BaselineEntry, EntryKind, matches_pattern};
use crate::finding::{Baselined, BaselinedKind, Blame, Finding};
use crate::report::Verdict;
use crate::report::verdict_rules;
use crate::report::{Report, ScenarioReport};
use std::sync::Arc;

/// An entry that must be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleEntry {
    /// The entry.
    pub entry: BaselineEntry,
    /// The reason.
    pub why: String,
}

impl StaleEntry {
    /// The message for the user: the location, and what to do.
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

/// How much of the suite a run covers, which decides whether an unmatched entry is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunExtent {
    /// All of it.
    Whole,
    /// A selection: an entry whose scenarios may have been left out is not stale.
    Part,
}

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
        covering(&self.baseline, scenario, finding, self.today).is_some()
    }
}

/// Marks the findings of a scenario that the baseline covers, and recomputes its verdict from the others.
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
        recompute_verdict(scenario, side);
    }
}

/// The stale entries, after the scenarios were marked.
#[must_use]
pub fn stale_entries(
    report: &Report,
    baseline: &Baseline,
    today: Date,
    extent: RunExtent,
) -> Vec<StaleEntry> {
    let mut matched = vec![false; baseline.entries.len()];
    for scenario in &report.scenarios {
        for finding in scenario.all_findings() {
            if let Some(n) = covering(baseline, &scenario.id, finding, today) {
                matched[n] = true;
            }
        }
    }
    let entries = baseline.entries.iter().zip(matched);
    let stale = entries.filter_map(|(entry, matched)| {
        let why = if entry.is_expired(today) {
            format!("it expired on {}", entry.expires?)
        } else if matched {
            return None;
        } else if entry.matches_no_scenario(report, extent) {
            "there is no such scenario".to_owned()
        } else if entry.kind == EntryKind::Known && entry.was_judged(report, extent) {
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

/// Applies the baseline to every scenario, recomputes the summary, and lists the stale entries.
pub fn apply(report: &mut Report, baseline: &Baseline, today: Date, extent: RunExtent) {
    for scenario in &mut report.scenarios {
        mark(scenario, report.side, baseline, today);
    }
    report.summarize();
    report.stale = stale_entries(report, baseline, today, extent)
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

impl BaselineEntry {
    /// Whether it has expired.
    pub(super) fn is_expired(&self, today: Date) -> bool {
        self.expires.is_some_and(|day| day < today)
    }

    /// Whether all scenarios that it matches have a verdict, so that an unmatched entry is stale. For a pattern this needs the whole run.
    pub(super) fn was_judged(&self, report: &Report, extent: RunExtent) -> bool {
        let judged =
            |s: &ScenarioReport| matches!(s.verdict, Verdict::Pass | Verdict::Fail | Verdict::Warn);
        (extent == RunExtent::Whole || !self.scenario.contains('*'))
            && self.scenarios(report).next().is_some()
            && self.scenarios(report).all(judged)
    }

    /// Whether the whole suite of its dialect was run and has no scenario that it matches.
    pub(super) fn matches_no_scenario(&self, report: &Report, extent: RunExtent) -> bool {
        let dialect = self.scenario.split('/').next();
        extent == RunExtent::Whole
            && report.dialect.iter().any(|id| Some(id.as_str()) == dialect)
            && self.scenarios(report).next().is_none()
    }

    fn scenarios<'a>(&'a self, report: &'a Report) -> impl Iterator<Item = &'a ScenarioReport> {
        let scenarios = report.scenarios.iter();
        scenarios.filter(|scenario| matches_pattern(&self.scenario, &scenario.id))
    }
}
