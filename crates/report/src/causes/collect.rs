//! Groups the findings of all scenarios by their causes, and orders the causes by how much they explain. Pure.

use super::advice;
use super::echoes;
use super::shape::{place, slug, without_values};
use super::{last_words, same_steps, siblings, start_settings};
use crate::verdict_rules::{UNFORESEEN, is_of_a_step};
use crate::{Cause, CauseExample, ReasonGroup, ScenarioReport, Verdict};
use conform_judge::dialect::clause_names::is_about_member;
use conform_judge::finding::{Baselined, BaselinedKind, Blame, Finding};
use indexmap::{IndexMap, IndexSet};
use spanned_yaml::last_step;
use std::cmp::Reverse;

/// A finding with its scenario: the last try of it, or an earlier one.
#[derive(Clone, Copy)]
struct Occurrence<'a> {
    scenario: &'a ScenarioReport,
    finding: &'a Finding,
    /// Whether the next try of the scenario did not have the cause.
    went_away: bool,
}

/// Gives every finding without a cause its cause.
fn attribute_all(scenarios: &mut [ScenarioReport]) {
    for scenario in scenarios {
        let mut findings = scenario.findings.iter();
        if findings.any(|finding| finding.cause.is_empty()) {
            echoes::attribute(&mut scenario.findings);
        }
        attribute_all(&mut scenario.tries);
    }
}

/// The causes of all findings: open ones first, then by level, then by the number of scenarios that they explain. Findings that have no
/// cause yet get theirs. `side` is the side that is judged; the causes of the other side come last.
#[must_use]
pub fn collect(scenarios: &mut [ScenarioReport], side: Blame) -> Vec<Cause> {
    attribute_all(scenarios);
    let mut groups: IndexMap<&str, Vec<Occurrence<'_>>> = IndexMap::new();
    let mut sorted: Vec<&ScenarioReport> = scenarios.iter().collect();
    sorted.sort_by(|a, b| a.id.cmp(&b.id));
    for scenario in &sorted {
        for one in occurrences(scenario) {
            groups.entry(&one.finding.cause).or_default().push(one);
        }
    }
    let causes = groups.into_values().flat_map(by_last_words).map(|group| {
        let origins = group.iter().filter(|one| !one.finding.is_echo());
        let frames =
            origins.map(|one| (&*one.scenario.id, &*one.scenario.transcript, one.finding.at));
        Some((cause(&group)?, frames.collect()))
    });
    let mut ids = IndexSet::new();
    let causes = causes
        .flatten()
        .map(|(cause, frames)| (with_own_id(cause, &mut ids), frames));
    let causes = siblings::join(causes.collect());
    let mut causes = same_steps::join(start_settings::join(causes, &sorted));
    causes.sort_by_cached_key(|cause| {
        (
            cause.blame != side,
            cause.baseline.is_some(),
            Reverse(cause.level),
            cause.flaky,
            Reverse(cause.scenarios.len()),
            is_of_a_step(&cause.rule),
            Reverse(cause.findings + cause.echoes),
            cause.id.clone(),
        )
    });
    causes
}

/// The findings of a scenario, and those of earlier tries whose cause the last try did not have.
fn occurrences<'a>(last: &'a ScenarioReport) -> impl Iterator<Item = Occurrence<'a>> {
    let of = move |scenario: &'a ScenarioReport| {
        let findings = scenario.findings.iter();
        findings.map(move |finding| Occurrence {
            scenario,
            finding,
            went_away: !std::ptr::eq(scenario, last),
        })
    };
    let has = |cause: &str| last.findings.iter().any(|one| one.cause == cause);
    let earlier = last.tries.iter().flat_map(of);
    of(last).chain(earlier.filter(move |one| !has(&one.finding.cause)))
}

/// How many ends of one cause are distinguished by the agent's words on stderr. If there are more, they are the same end in different
/// words.
const ENDS: usize = 4;

/// The findings of a cause, separated by the agent's last words on stderr.
fn by_last_words(group: Vec<Occurrence<'_>>) -> Vec<Vec<Occurrence<'_>>> {
    let mut ends: IndexMap<String, Vec<Occurrence<'_>>> = IndexMap::new();
    for one in &group {
        ends.entry(one.last_words()).or_default().push(*one);
    }
    let different = ends.keys().filter(|words| !words.is_empty()).count();
    match different {
        2..=ENDS => ends.into_values().collect(),
        _ => vec![group],
    }
}

impl Occurrence<'_> {
    /// What the agent wrote to stderr when it ended, if its cause is about that.
    fn last_words(&self) -> String {
        let origin = self.finding.follows_from.unwrap_or_default();
        let origin = self.scenario.findings.get(origin.wrapping_sub(1));
        if last_words::is_about_an_end(origin.unwrap_or(self.finding)) {
            last_words::words(&self.scenario.stderr)
        } else {
            String::new()
        }
    }
}

/// Distinguishes the ids of causes that differ only in the words on stderr.
fn with_own_id(mut cause: Cause, others: &mut IndexSet<String>) -> Cause {
    if others.contains(&cause.id) {
        cause.id = format!(
            "{}~{}",
            cause.id,
            slug(&last_words::words(&cause.example.stderr))
        );
    }
    others.insert(cause.id.clone());
    cause
}

/// The cause of these findings; none if there are none.
fn cause(group: &[Occurrence<'_>]) -> Option<Cause> {
    let preference = |one: &&Occurrence<'_>| {
        let finding = one.finding;
        (finding.is_echo(), finding.baseline.is_some(), one.went_away)
    };
    let Occurrence {
        scenario, finding, ..
    } = group.iter().min_by_key(preference)?;
    let count = |counts: fn(&Finding) -> bool| {
        let counted = group.iter().filter(|one| counts(one.finding));
        counted.count() as u64
    };
    let ids = group.iter().map(|one| one.scenario.id.clone());
    let mut scenarios: Vec<String> = ids.collect();
    scenarios.dedup();
    let has_ended = last_words::is_about_an_end(finding);
    let words = last_words::headline(&scenario.stderr).filter(|_| has_ended);
    let words = words.map(|words| format!("; on its stderr: \"{words}\""));
    Some(Cause {
        id: finding.cause.clone(),
        joined: Vec::new(),
        level: group.iter().map(|one| one.finding.level).max()?,
        source: finding.source,
        blame: finding.blame,
        rule: finding.rule.clone(),
        clauses: nearest_first(finding),
        message: format!("{}{}", finding.message, words.unwrap_or_default()),
        difference: finding.difference.clone(),
        pointer: place(&finding.pointer),
        scenarios,
        findings: count(|one| !one.is_echo()),
        echoes: count(Finding::is_echo),
        open: count(|one| one.baseline.is_none()),
        flaky: group.iter().all(|one| one.went_away),
        baseline: baselined(group),
        advice: advice::of(finding, scenario),
        rerun: finding.rerun.clone(),
        example: CauseExample {
            scenario: scenario.id.clone(),
            at: finding.at,
            origin: finding.origin.clone(),
            pointer: finding.pointer.clone(),
            expected: finding.expected.clone(),
            frames: finding.evidence.clone(),
            transcript: scenario.transcript.clone(),
            stderr: if has_ended {
                scenario.stderr.clone()
            } else {
                Vec::new()
            },
        },
    })
}

/// The clauses of a finding, those about the wrong member first: `demo.end.will-retry` for `/willRetry`.
fn nearest_first(finding: &Finding) -> Vec<String> {
    let member = last_step(&finding.pointer);
    let mut clauses = finding.clauses.clone();
    clauses.sort_by_key(|clause| !is_about_member(clause, &member));
    clauses
}

/// The baseline entry of a cause, if all its findings are covered. A cause that is flaky in some scenarios and known in others is known.
fn baselined(group: &[Occurrence<'_>]) -> Option<Baselined> {
    let marks = group.iter().map(|one| one.finding.baseline.as_ref());
    let marks: Vec<&Baselined> = marks.collect::<Option<_>>()?;
    let mut reasons = marks.iter().map(|mark| &mark.reason);
    let reason = reasons.find(|reason| !reason.is_empty());
    Some(Baselined {
        kind: if marks.iter().all(|mark| mark.kind == BaselinedKind::Flaky) {
            BaselinedKind::Flaky
        } else {
            BaselinedKind::Known
        },
        reason: reason.cloned().unwrap_or_default(),
    })
}

/// The common reason of all scenarios that requests make inconclusive; each scenario has its own details.
const ASKS_FOR_MORE: &str = "the agent asked its model for more than the scenario foresees, so what its steps found from there on is not judged (`scenario.unforeseen`)";

/// The scenarios without a result, grouped by their verdict and the reason.
#[must_use]
pub fn group_by_reason(scenarios: &[ScenarioReport]) -> Vec<ReasonGroup> {
    let mut groups: IndexMap<(Verdict, String), (&str, Vec<String>)> = IndexMap::new();
    for scenario in scenarios.iter().filter(|one| !one.is_judged()) {
        let note = scenario.findings.iter().find(|one| one.rule == UNFORESEEN);
        let reason = note.map_or(scenario.reason.as_str(), |_| ASKS_FOR_MORE);
        let key = (scenario.verdict, without_values(reason));
        let group = groups.entry(key).or_insert((reason, Vec::new()));
        group.1.push(scenario.id.clone());
    }
    let groups = groups
        .into_iter()
        .map(|((verdict, _), (reason, mut scenarios))| {
            scenarios.sort();
            ReasonGroup {
                verdict,
                reason: reason.to_owned(),
                scenarios,
            }
        });
    let mut groups: Vec<_> = groups.collect();
    groups.sort_by_key(|group| Reverse(group.scenarios.len()));
    groups
}
