//! Entries and patterns that must be deleted: nothing matches them any more, or they have expired.

use super::date::Date;
use super::entry::{Baseline, BaselineEntry, EntryKind, ScenarioPattern};
use super::extent::RunExtent;
use crate::Report;

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
            let covering = baseline.covering(&scenario.id, finding, today);
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
