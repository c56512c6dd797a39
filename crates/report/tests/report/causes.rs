//! The causes of a report.

use crate::sample::rendered;
use conform_judge::finding::{
    Baselined, BaselinedKind, Blame, Difference, DifferenceKind, Expected, Finding, Level,
};
use conform_report::causes::{collect, group_by_reason};
use conform_report::verdict_rules::UNFORESEEN;
use conform_report::{Cause, Report, ScenarioReport, Verdict};

/// The reason of scenarios whose agent sent more requests to its model.
const ASKS_FOR_MORE: &str = "the agent asked its model for more than the scenario foresees, so what its steps found from there on is not judged (`scenario.unforeseen`)";

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
fn what_only_inconclusive_scenarios_have_is_no_cause_to_fix() {
    let inconclusive = |id: &str, findings: &[Finding]| ScenarioReport {
        verdict: Verdict::Inconclusive,
        reason: "the agent never came up".into(),
        ..scenario(id, findings)
    };
    let (start, both) = (
        finding("scenario.expect", Level::Must),
        finding("p/both", Level::Must),
    );
    let mut report = Report {
        scenarios: vec![
            inconclusive(
                "d/a",
                &[start, both.clone(), finding(UNFORESEEN, Level::May)],
            ),
            scenario("d/b", &[both]),
        ],
        ..Report::default()
    };
    report.summarize();
    assert_eq!(rules(&report.causes), ["p/both"]);
    assert_eq!(rules(&report.inconclusive), ["scenario.expect", UNFORESEEN]);
    assert!(report.inconclusive.iter().all(|one| !one.advice.is_empty()));

    let terminal = rendered("terminal", &report);
    for part in [
        "INCONCLUSIVE 1 of 2",
        "CAUSE 1 of 1",
        "To do",
        "1 cause of 2 findings",
    ] {
        assert!(terminal.contains(part), "{terminal}");
    }
    let github = rendered("github", &report);
    assert_eq!(github.matches("::error").count(), 1, "{github}");
    assert!(
        github.contains("To do: start the agent by hand"),
        "{github}"
    );
    let page = rendered("markdown", &report);
    assert!(page.contains("Inconclusive, and no cause to fix"), "{page}");
}

#[test]
fn the_clause_about_the_wrong_member_comes_first() {
    let clauses = ["p.type", "p.end.messages", "p.end.will-retry"].map(str::to_owned);
    let of = |pointer: &str| Finding {
        clauses: clauses.to_vec(),
        pointer: pointer.into(),
        ..Finding::default()
    };
    let cited = |pointer: &str| {
        let mut scenarios = [scenario("d/a", &[of(pointer)])];
        collect(&mut scenarios, Blame::Agent).remove(0).clauses
    };
    let retry = cited("/a/willRetry");
    assert_eq!(retry[0], clauses[2]);
    assert_eq!(retry[1..], clauses[..2]);
    assert_eq!(cited(""), clauses);
    assert_eq!(cited("/other"), clauses);
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
        without("d/h", "call_7 of /tmp/a did not come"),
        without("d/i", "call_8 of /tmp/b did not come"),
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
            ("call_7 of /tmp/a did not come", "d/h d/i".to_owned()),
            ("no bash", "d/b".to_owned())
        ]
    );
}
