//! Applies a baseline to a report: marks accepted findings, recomputes verdicts, and lists the entries and patterns that must be deleted,
//! because nothing matches them any more or they have expired.

use super::date::Date;
use super::entry::{Baseline, BaselineEntry};
use super::run_extent::{NOT_THERE, RunExtent, why_stale};
use crate::id_pattern::matches_id;
use crate::verdict_rules;
use crate::{BaselineUse, Report, ScenarioReport, Verdict};
use conform_judge::finding::{Baselined, BaselinedKind, Blame, Finding};
use std::collections::HashSet;
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
        let covering = self.baseline.covering(scenario, finding, self.today);
        covering.is_some()
    }
}

/// Marks the findings of a scenario that the baseline covers, and recomputes its verdict from the others.
pub fn mark(scenario: &mut ScenarioReport, side: Blame, baseline: &Baseline, today: Date) {
    let id = scenario.id.clone();
    let mut marked = false;
    for finding in scenario.all_findings_mut() {
        if let Some(n) = baseline.covering(&id, finding, today) {
            let BaselineEntry { kind, reason, .. } = &baseline.entries[n];
            let (kind, reason) = (*kind, reason.clone());
            finding.baseline = Some(Baselined { kind, reason });
            marked = true;
        }
    }
    let findings = &scenario.findings;
    let open = || findings.iter().filter(|one| one.baseline.is_none());
    let is_decided = match scenario.verdict {
        Verdict::Fail | Verdict::Warn => true,
        // What made it inconclusive is accepted.
        Verdict::Inconclusive => !open().any(verdict_rules::counts),
        _ => false,
    };
    if marked && is_decided {
        let open = open();
        let mut marks = findings.iter().filter_map(|one| one.baseline.as_ref());
        scenario.verdict = verdict_rules::of_findings(open, side, true);
        scenario.flaky |= verdict_rules::is_flaky(scenario.verdict)
            && marks.any(|mark| mark.kind == BaselinedKind::Flaky);
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
    leave_out_known_frames(report);
    report.stale = stale(report, baseline, today, extent);
}

/// Removes the frames of accepted findings, and those of scenarios that have no others, unless they are the example of a cause: a known
/// cause is often found in most scenarios, and its example shows it.
fn leave_out_known_frames(report: &mut Report) {
    let examples = report.causes.iter().map(|cause| &cause.example);
    let examples: HashSet<(&str, u64)> = examples
        .map(|example| (example.scenario.as_str(), example.at))
        .collect();
    for scenario in &mut report.scenarios {
        let id = scenario.id.clone();
        let is_known = |finding: &Finding| {
            finding.baseline.is_some() && !examples.contains(&(id.as_str(), finding.at))
        };
        for finding in scenario.all_findings_mut() {
            if is_known(finding) {
                finding.evidence.clear();
            }
        }
        let is_known = scenario.findings.iter().all(is_known);
        if is_known && scenario.verdict == Verdict::Pass {
            scenario.excerpt.clear();
        }
    }
}

/// What must be deleted, after the scenarios were marked: the place, and why.
fn stale(report: &Report, baseline: &Baseline, today: Date, extent: RunExtent) -> Vec<String> {
    let mut stale = Vec::new();
    for (entry, matched) in baseline
        .entries
        .iter()
        .zip(matched(report, baseline, today))
    {
        let mut delete = |what, scenarios: &str, why: &str| {
            let (path, line, subject) = (baseline.path.display(), entry.span.line, entry.subject());
            let what = format!("delete {what} ({subject} in {scenarios})");
            stale.push(format!("{path}:{line}: {what}: {why}"));
        };
        let all = entry.places();
        if let Some(day) = entry.expires.filter(|_| entry.is_expired(today)) {
            delete("this entry", &all, &format!("it expired on {day}"));
            continue;
        }
        let is_flaky = entry.kind == BaselinedKind::Flaky;
        let patterns = entry.scenarios.iter().zip(matched);
        let unmatched = patterns.filter(|(_, matched)| !matched);
        let why = |pattern: &'_ String| match baseline.absent.contains(pattern) {
            true => Some(NOT_THERE),
            false => why_stale(pattern, is_flaky, report, extent),
        };
        let unmatched: Vec<_> = unmatched
            .filter_map(|(pattern, _)| Some((pattern, why(pattern)?)))
            .collect();
        match &unmatched[..] {
            [(_, why), ..]
                if unmatched.len() == entry.scenarios.len() && entry.situations.is_empty() =>
            {
                delete("this entry", &all, why);
            }
            some => {
                let what = "this pattern of the entry";
                some.iter().for_each(|(one, why)| delete(what, one, why));
            }
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
                        *matched |= matches_id(pattern, &scenario.id);
                    }
                }
            }
        }
    }
    matched
}
