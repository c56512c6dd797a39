//! Lays a baseline over a report.

use super::file::fits;
use super::{Baseline, Date, Entry, Kind};
use crate::finding::{Baselined, BaselinedKind, Finding};
use crate::judgement;
use crate::report::{Report, ScenarioReport};
use crate::verdict::Verdict;

/// An entry that has to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// The entry.
    pub entry: Entry,
    /// Why it has to go.
    pub why: String,
}

impl Stale {
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

/// Marks the findings that the baseline covers, judges every scenario anew by the others, and returns the entries that have to go.
/// Entries about scenarios that this run left out are not held to account.
#[must_use]
pub fn apply(report: &mut Report, baseline: &Baseline, today: Date) -> Vec<Stale> {
    let mut met = vec![false; baseline.entries.len()];
    let expired = |entry: &Entry| entry.expires.is_some_and(|day| day < today);
    for scenario in &mut report.scenarios {
        for finding in &mut scenario.findings {
            let covers =
                |entry: &&Entry| entry.covers(&scenario.id, &finding.rule) && !expired(entry);
            let Some(n) = baseline.entries.iter().position(|e| covers(&e)) else {
                continue;
            };
            met[n] = true;
            finding.baseline = Some(baselined(&baseline.entries[n]));
        }
        judge_anew(scenario, report.side);
    }
    let mut summary = judgement::summary(&report.scenarios);
    let marks = report
        .scenarios
        .iter()
        .flat_map(|s| &s.findings)
        .filter_map(|f| f.baseline.as_ref());
    for mark in marks {
        match mark.kind {
            BaselinedKind::Known => summary.known += 1,
            BaselinedKind::Flaky => summary.flaky += 1,
        }
    }
    report.summary = summary;
    let entries = baseline.entries.iter().zip(met);
    let stale = entries.filter_map(|(entry, met)| {
        let ran =
            |s: &ScenarioReport| fits(&entry.scenario, &s.id) && s.verdict != Verdict::Skipped;
        let why = if expired(entry) {
            format!("it expired on {}", entry.expires?)
        } else if !met && entry.kind == Kind::Known && report.scenarios.iter().any(ran) {
            "nothing matched it in this run".to_owned()
        } else {
            return None;
        };
        Some(Stale {
            entry: entry.clone(),
            why,
        })
    });
    stale.collect()
}

fn baselined(entry: &Entry) -> Baselined {
    Baselined {
        kind: match entry.kind {
            Kind::Known => BaselinedKind::Known,
            Kind::Flaky => BaselinedKind::Flaky,
        },
        reason: entry.reason.clone(),
    }
}

fn judge_anew(scenario: &mut ScenarioReport, side: crate::finding::Blame) {
    if !scenario.findings.iter().any(|f| f.baseline.is_some()) {
        return;
    }
    if matches!(scenario.verdict, Verdict::Fail | Verdict::Warn) {
        let open: Vec<Finding> = scenario
            .findings
            .iter()
            .filter(|f| f.baseline.is_none())
            .cloned()
            .collect();
        scenario.verdict = judgement::verdict(&open, side, true);
    }
}
