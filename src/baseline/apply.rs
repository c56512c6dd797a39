//! Applies a baseline to a report: marks accepted findings, recomputes verdicts, finds stale entries.

use super::date::Date;
use super::file::{Baseline, BaselineEntry, EntryKind, ScenarioPattern};
use crate::finding::{Baselined, BaselinedKind, Blame, Finding};
use crate::report::Verdict;
use crate::report::verdict_rules;
use crate::report::{BaselineUse, Report, ScenarioReport};
use std::sync::Arc;

/// An entry, or a pattern of its scenarios, that must be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleEntry {
    /// The entry.
    pub entry: BaselineEntry,
    /// The pattern, if others of the same entry stay.
    pub pattern: Option<ScenarioPattern>,
    /// The reason.
    pub why: String,
}

impl StaleEntry {
    /// The message for the user: the location, and what to do.
    #[must_use]
    pub fn message(&self, baseline: &Baseline) -> String {
        let all = || {
            let patterns = self.entry.scenarios.iter().map(|one| one.0.as_str());
            patterns.collect::<Vec<_>>().join(", ")
        };
        let (what, scenarios) = match &self.pattern {
            Some(pattern) => ("this pattern of the entry", pattern.0.clone()),
            None => ("this entry", all()),
        };
        format!(
            "{}:{}: delete {what} ({} in {scenarios}): {}",
            baseline.path.display(),
            self.entry.span.line,
            self.entry.subject(),
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
    let mut stale = Vec::new();
    for (entry, matched) in baseline
        .entries
        .iter()
        .zip(matched(report, baseline, today))
    {
        let one = |pattern, why: String| StaleEntry {
            entry: entry.clone(),
            pattern,
            why,
        };
        if let Some(day) = entry.expires.filter(|_| entry.is_expired(today)) {
            stale.push(one(None, format!("it expired on {day}")));
            continue;
        }
        let why = |(pattern, matched): (&ScenarioPattern, bool)| {
            let is_known = entry.kind == EntryKind::Known;
            let why = match pattern {
                _ if matched => return None,
                pattern if pattern.matches_no_scenario(report, extent) => {
                    "there is no such scenario"
                }
                pattern if is_known && pattern.was_judged(report, extent) => {
                    "nothing matched it in this run"
                }
                _ => return None,
            };
            Some((pattern.clone(), why.to_owned()))
        };
        let unmatched: Vec<_> = entry
            .scenarios
            .iter()
            .zip(matched)
            .filter_map(why)
            .collect();
        match &unmatched[..] {
            [] => {}
            [(_, why), ..] if unmatched.len() == entry.scenarios.len() => {
                stale.push(one(None, why.clone()));
            }
            some => stale.extend(some.iter().cloned().map(|(one_, why)| one(Some(one_), why))),
        }
    }
    stale
}

/// For each entry and each of its patterns, whether a finding matched it.
fn matched(report: &Report, baseline: &Baseline, today: Date) -> Vec<Vec<bool>> {
    let none = |entry: &BaselineEntry| vec![false; entry.scenarios.len()];
    let mut matched: Vec<Vec<bool>> = baseline.entries.iter().map(none).collect();
    for scenario in &report.scenarios {
        for finding in scenario.all_findings() {
            let covering = covering(baseline, &scenario.id, finding, today);
            for (n, (entry, matched)) in baseline.entries.iter().zip(&mut matched).enumerate() {
                if covering == Some(n) || entry.accepts_echo(finding) {
                    for (pattern, matched) in entry.scenarios.iter().zip(matched) {
                        *matched |= pattern.matches(&scenario.id);
                    }
                }
            }
        }
    }
    matched
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

/// The first entry for the cause of a finding, else the first one for what it is itself.
fn covering(baseline: &Baseline, id: &str, finding: &Finding, today: Date) -> Option<usize> {
    let covers = |entry: &&BaselineEntry| entry.covers(id, finding) && !entry.is_expired(today);
    let entries = || baseline.entries.iter();
    let by_cause = |entry: &BaselineEntry| covers(&entry) && entry.accepts_cause(finding);
    entries()
        .position(by_cause)
        .or_else(|| entries().position(|entry| covers(&entry)))
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

/// Whether the scenario has a verdict about the agent.
pub(super) fn is_judged(scenario: &ScenarioReport) -> bool {
    matches!(
        scenario.verdict,
        Verdict::Pass | Verdict::Fail | Verdict::Warn
    )
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
