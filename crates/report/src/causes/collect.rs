//! Groups the findings of all scenarios by their causes, and orders the causes by how much they explain. Pure.

use super::echoes;
use super::shape::{place, slug};
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

/// How many ends of one cause are distinguished by the agent's words on stderr. More are the same end in different words.
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
    /// What the agent said on stderr when it ended, if its cause is about that.
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
    let mut groups: IndexMap<(Verdict, &str), Vec<String>> = IndexMap::new();
    for scenario in scenarios.iter().filter(|one| !one.is_judged()) {
        let note = scenario.findings.iter().find(|one| one.rule == UNFORESEEN);
        let reason = note.map_or(scenario.reason.as_str(), |_| ASKS_FOR_MORE);
        let key = (scenario.verdict, reason);
        groups.entry(key).or_default().push(scenario.id.clone());
    }
    let groups = groups
        .into_iter()
        .map(|((verdict, reason), mut scenarios)| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::finding::{Difference, DifferenceKind, Expected, Level};

    fn finding(rule: &str, level: Level) -> Finding {
        Finding {
            rule: rule.into(),
            level,
            message: format!("{rule} is broken"),
            ..Finding::default()
        }
    }

    fn scenario(id: &str, findings: &[Finding]) -> ScenarioReport {
        ScenarioReport {
            id: id.into(),
            verdict: Verdict::Fail,
            findings: findings.to_vec(),
            ..ScenarioReport::default()
        }
    }

    fn rules(causes: &[Cause]) -> Vec<&str> {
        causes.iter().map(|cause| cause.rule.as_str()).collect()
    }

    #[test]
    fn causes_are_ordered_by_level_and_by_the_number_of_their_scenarios() {
        let (rare, often) = (
            finding("p/rare", Level::Must),
            finding("p/often", Level::Must),
        );
        let (weak, note) = (
            finding("p/weak", Level::Should),
            finding("p/note", Level::May),
        );
        let known = Finding {
            baseline: Some(Baselined {
                kind: BaselinedKind::Known,
                reason: "x".into(),
            }),
            ..finding("p/known", Level::Must)
        };
        let mut scenarios = [
            scenario(
                "d/c",
                &[note.clone(), weak.clone(), known.clone(), often.clone()],
            ),
            scenario("d/a", &[note, weak.clone(), known, rare]),
            scenario("d/b", &[weak, often]),
        ];
        let causes = collect(&mut scenarios, Blame::Agent);
        assert_eq!(
            rules(&causes),
            ["p/often", "p/rare", "p/weak", "p/note", "p/known"]
        );
        assert_eq!(causes[0].scenarios, ["d/b", "d/c"]);
        assert_eq!(causes[0].example.scenario, "d/b");
        assert_eq!(
            (causes[0].findings, causes[0].open, causes[4].open),
            (2, 2, 0)
        );
        assert_eq!(causes[4].baseline.as_ref().unwrap().reason, "x");
        scenarios.reverse();
        assert_eq!(
            collect(&mut scenarios, Blame::Agent),
            causes,
            "the order of the scenarios does not matter"
        );
    }

    #[test]
    fn the_causes_of_the_other_side_come_last() {
        let host = Finding {
            blame: Blame::Host,
            ..finding("p/host", Level::Must)
        };
        let weak = finding("p/weak", Level::Should);
        let mut scenarios = [scenario("d/a", &[host, weak])];
        assert_eq!(
            rules(&collect(&mut scenarios, Blame::Agent)),
            ["p/weak", "p/host"]
        );
        assert_eq!(
            rules(&collect(&mut scenarios, Blame::Host)),
            ["p/host", "p/weak"]
        );
    }

    #[test]
    fn echoes_are_counted_and_raise_the_level_of_their_cause() {
        let rule = Finding {
            expected: vec![Expected::Frame {
                name: "end".into(),
                with: Vec::new(),
            }],
            difference: Difference::of_kind(DifferenceKind::Absent),
            ..finding("p/rule", Level::Should)
        };
        let step = Finding {
            difference: Difference::named(DifferenceKind::Absent, "end"),
            ..finding("scenario.expect", Level::Must)
        };
        let mut scenarios = [scenario("d/a", &[step, rule])];
        let causes = collect(&mut scenarios, Blame::Agent);
        assert_eq!(rules(&causes), ["p/rule"]);
        assert_eq!(
            (causes[0].findings, causes[0].echoes, causes[0].open),
            (1, 1, 2)
        );
        assert_eq!(
            (causes[0].level, causes[0].message.as_str()),
            (Level::Must, "p/rule is broken")
        );
        assert!(
            scenarios[0].findings[0].is_echo(),
            "the findings stay where they are"
        );
    }

    #[test]
    fn a_cause_that_went_away_in_the_next_try_is_flaky() {
        let (now, then) = (
            finding("p/now", Level::Must),
            finding("p/then", Level::Must),
        );
        let mut again = scenario("d/a", std::slice::from_ref(&now));
        again.tries = vec![ScenarioReport {
            findings: vec![now, then],
            transcript: "first.jsonl".into(),
            ..ScenarioReport::default()
        }];
        let causes = collect(&mut [again], Blame::Agent);
        assert_eq!(rules(&causes), ["p/now", "p/then"]);
        assert_eq!((causes[0].flaky, causes[1].flaky), (false, true));
        assert_eq!(
            (causes[0].findings, causes[1].example.transcript.as_str()),
            (1, "first.jsonl")
        );
    }

    #[test]
    fn ends_with_other_words_on_stderr_are_causes_of_their_own() {
        let ended = Finding {
            difference: Difference::of_kind(DifferenceKind::Ended),
            ..finding("p/stays", Level::Must)
        };
        let with_stderr = |id: &str, line: &str| ScenarioReport {
            stderr: vec![line.into()],
            ..scenario(id, std::slice::from_ref(&ended))
        };
        let mut scenarios = [
            with_stderr("d/a", "error: no key in /tmp/1"),
            with_stderr("d/b", "error: no key in /tmp/2"),
            with_stderr("d/c", "error: unknown flag"),
        ];
        let causes = collect(&mut scenarios, Blame::Agent);
        let told: Vec<_> = causes
            .iter()
            .map(|cause| (cause.scenarios.len(), cause.message.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                (
                    2,
                    "p/stays is broken; on its stderr: \"error: no key in /tmp/1\""
                ),
                (
                    1,
                    "p/stays is broken; on its stderr: \"error: unknown flag\""
                ),
            ]
        );
        assert_eq!(
            causes[1].id,
            format!("{}~error--unknown-flag", causes[0].id)
        );

        for (n, one) in scenarios.iter_mut().enumerate() {
            one.findings[0].difference = Difference::default();
            one.stderr = vec![format!("error: {n}")];
        }
        let causes = collect(&mut scenarios, Blame::Agent);
        assert_eq!(causes.len(), 1, "it is not about an end: {causes:?}");
    }

    #[test]
    fn the_clause_about_the_wrong_member_comes_first() {
        let clauses = ["p.type", "p.end.messages", "p.end.will-retry"].map(str::to_owned);
        let of = |pointer: &str| Finding {
            clauses: clauses.to_vec(),
            pointer: pointer.into(),
            ..Finding::default()
        };
        let (retry, first) = (nearest_first(&of("/a/willRetry")), &clauses[2]);
        assert_eq!(retry[0], *first);
        assert_eq!(retry[1..], clauses[..2]);
        assert_eq!(nearest_first(&of("")), clauses);
        assert_eq!(nearest_first(&of("/other")), clauses);
    }

    #[test]
    fn scenarios_without_a_result_are_grouped_by_their_reason() {
        let without = |id: &str, reason: &str| ScenarioReport {
            id: id.into(),
            verdict: Verdict::Skipped,
            reason: reason.into(),
            ..ScenarioReport::default()
        };
        let unforeseen = |id: &str| ScenarioReport {
            verdict: Verdict::Inconclusive,
            findings: vec![finding(UNFORESEEN, Level::May)],
            ..without(id, &format!("request 2 of {id} came"))
        };
        let groups = group_by_reason(&[
            unforeseen("d/e"),
            unforeseen("d/f"),
            unforeseen("d/g"),
            without("d/c", "no mcp"),
            without("d/b", "no bash"),
            without("d/a", "no mcp"),
            scenario("d/d", &[]),
        ]);
        let groups: Vec<_> = groups
            .iter()
            .map(|g| (g.reason.as_str(), g.scenarios.join(" ")))
            .collect();
        assert_eq!(
            groups,
            [
                (ASKS_FOR_MORE, "d/e d/f d/g".to_owned()),
                ("no mcp", "d/a d/c".to_owned()),
                ("no bash", "d/b".to_owned())
            ]
        );
    }
}
