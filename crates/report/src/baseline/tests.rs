//! Baselines that are written from a report and applied to it again.

use super::{Baseline, Date, EntryKind, RunExtent, apply, load, stale_entries, update};
use crate::causes::cause_id;
use crate::{Report, ScenarioReport, Try, Verdict};
use conform_judge::finding::{Finding, Level};

fn finding(rule: &str) -> Finding {
    Finding {
        rule: rule.into(),
        cause: format!("{rule}-1"),
        level: Level::Must,
        at: 3,
        message: format!("{rule} is \"broken\""),
        ..Finding::default()
    }
}

fn report(findings: &[(&str, &[&str])]) -> Report {
    let scenarios = findings.iter().map(|(id, rules)| ScenarioReport {
        id: (*id).into(),
        verdict: if rules.is_empty() {
            Verdict::Pass
        } else {
            Verdict::Fail
        },
        findings: rules.iter().map(|rule| finding(rule)).collect(),
        ..ScenarioReport::default()
    });
    Report {
        scenarios: scenarios.collect(),
        ..Report::default()
    }
}

fn today() -> Date {
    "2026-11-21".parse().unwrap()
}

fn updated(baseline: &Baseline, report: &Report) -> String {
    update(baseline, report, today(), RunExtent::Whole)
}

fn applied(report: &mut Report, baseline: &Baseline) -> Vec<String> {
    apply(report, baseline, today(), RunExtent::Whole);
    report.stale.clone()
}

#[test]
fn a_written_baseline_covers_all_findings_and_has_no_stale_entry() {
    let mut found = report(&[("a@1/1", &["r", "s"]), ("a@1/2", &[])]);
    let text = updated(&Baseline::default(), &found);
    let baseline = load("b.yaml".into(), &text).unwrap();
    assert_eq!(baseline.entries.len(), 2);
    assert!(applied(&mut found, &baseline).is_empty());
    assert_eq!(found.scenarios[0].verdict, Verdict::Pass);
    assert_eq!((found.summary.known, found.summary.failed), (2, 0));
    assert_eq!(
        updated(&baseline, &found),
        text,
        "updating again changes nothing"
    );
}

#[test]
fn a_fixed_finding_makes_its_entry_stale_and_updating_removes_it() {
    let text = updated(&Baseline::default(), &report(&[("a@1/1", &["r"])]));
    let baseline = load("b.yaml".into(), &text).unwrap();
    let mut clean = report(&[("a@1/1", &[])]);
    assert_eq!(
        applied(&mut clean, &baseline),
        ["b.yaml:4: delete this entry (r-1 in a@1/1): nothing matched it in this run"]
    );
    assert!(updated(&baseline, &clean).ends_with("causes: []\n"));
    let mut elsewhere = report(&[("b@1/1", &[])]);
    assert!(
        applied(&mut elsewhere, &baseline).is_empty(),
        "its scenario did not run"
    );
    assert_eq!(updated(&baseline, &elsewhere), text);
    elsewhere.dialect = vec!["a@1".into()];
    let stale = applied(&mut elsewhere, &baseline);
    assert!(
        stale[0].ends_with("there is no such scenario"),
        "its dialect did run"
    );
}

#[test]
fn a_scenario_without_a_verdict_makes_no_entry_stale() {
    let text = updated(&Baseline::default(), &report(&[("a@1/1", &["r"])]));
    let baseline = load("b.yaml".into(), &text).unwrap();
    for verdict in [
        Verdict::Skipped,
        Verdict::Inconclusive,
        Verdict::Broken,
        Verdict::NotExercised,
    ] {
        let mut open = report(&[("a@1/1", &[])]);
        open.scenarios[0].verdict = verdict;
        assert!(applied(&mut open, &baseline).is_empty(), "{verdict:?}");
        assert_eq!(updated(&baseline, &open), text, "{verdict:?}");
    }
}

#[test]
fn a_partial_run_makes_no_pattern_stale() {
    let text = "findings:\n  - { scenario: 'a@1/*', rule: r, kind: known, reason: x }\n";
    let baseline = load("b.yaml".into(), text).unwrap();
    let clean = report(&[("a@1/1", &[])]);
    assert_eq!(
        stale_entries(&clean, &baseline, today(), RunExtent::Part),
        []
    );
    assert_eq!(
        stale_entries(&clean, &baseline, today(), RunExtent::Whole).len(),
        1
    );
    let kept = update(&baseline, &clean, today(), RunExtent::Part);
    assert!(kept.contains("a@1/*"), "{kept}");
}

#[test]
fn an_expired_entry_covers_nothing_and_stays_for_a_person_to_decide() {
    let text = "findings:\n  - { scenario: 'a@1/*', rule: r, kind: known, reason: x, expires: 2026-11-20 }\n";
    let baseline = load("b.yaml".into(), text).unwrap();
    let mut found = report(&[("a@1/1", &["r"])]);
    let stale = applied(&mut found, &baseline);
    assert!(stale[0].ends_with("it expired on 2026-11-20"), "{stale:?}");
    assert_eq!(found.scenarios[0].verdict, Verdict::Fail);
    assert!(updated(&baseline, &found).contains("expires: 2026-11-20"));
    assert!(updated(&baseline, &report(&[("a@1/1", &[])])).ends_with("causes: []\n"));
}

#[test]
fn a_flaky_entry_need_not_match_and_makes_its_scenario_flaky() {
    let text = "findings:\n  - { scenario: a@1/1, rule: r, kind: flaky, reason: x }\n";
    let baseline = load("b.yaml".into(), text).unwrap();
    assert!(applied(&mut report(&[("a@1/1", &[])]), &baseline).is_empty());
    let mut found = report(&[("a@1/1", &["r"])]);
    assert!(applied(&mut found, &baseline).is_empty());
    assert_eq!((found.summary.flaky, found.summary.passed), (1, 0));
    let mut found = report(&[("a@1/1", &["r", "t"])]);
    assert!(applied(&mut found, &baseline).is_empty());
    assert_eq!(
        (found.summary.flaky, found.summary.failed),
        (0, 1),
        "another finding still counts"
    );
}

#[test]
fn a_finding_of_an_earlier_try_alone_is_written_as_flaky() {
    let mut again = report(&[("a@1/1", &[]), ("a@1/2", &["r"])]);
    for scenario in &mut again.scenarios {
        scenario.tries = vec![Try {
            verdict: Verdict::Fail,
            findings: vec![finding("r")],
            ..Try::default()
        }];
    }
    again.scenarios[0].flaky = true;
    let written = load("b.yaml".into(), &updated(&Baseline::default(), &again)).unwrap();
    let kinds: Vec<_> = written.entries.iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [EntryKind::Flaky, EntryKind::Known]);
}

#[test]
fn an_entry_matches_a_finding_of_an_earlier_try() {
    let text = updated(&Baseline::default(), &report(&[("a@1/1", &["r"])]));
    let baseline = load("b.yaml".into(), &text).unwrap();
    let mut again = report(&[("a@1/1", &[])]);
    again.scenarios[0].flaky = true;
    again.scenarios[0].tries = vec![Try {
        verdict: Verdict::Fail,
        findings: vec![finding("r")],
        ..Try::default()
    }];
    assert!(applied(&mut again, &baseline).is_empty());
    assert_eq!((again.summary.flaky, again.summary.known), (1, 1));
    assert_eq!(updated(&baseline, &again), text);
}

#[test]
fn one_entry_covers_a_cause_in_many_scenarios_and_its_echoes() {
    let mut found = report(&[
        ("a@1/x/1", &["r"]),
        ("a@1/x/2", &["r"]),
        ("a@1/y/1", &["r"]),
    ]);
    let echo = Finding {
        cause: "r-1".into(),
        echo: true,
        ..finding("scenario.expect")
    };
    found.scenarios[0].findings.insert(0, echo);
    let text = updated(&Baseline::default(), &found);
    let baseline = load("b.yaml".into(), &text).unwrap();
    assert_eq!(baseline.entries.len(), 1, "{text}");
    let entry = &baseline.entries[0];
    assert_eq!(
        (entry.what.as_str(), entry.reason.as_str()),
        ("r: r is \"broken\"", "")
    );
    let patterns: Vec<_> = entry.scenarios.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(patterns, ["a@1/x/*", "a@1/y/1"]);
    assert!(applied(&mut found, &baseline).is_empty());
    assert_eq!((found.summary.known, found.summary.failed), (4, 0));
    assert_eq!(found.baseline.unwrap().without_reason, 1);
}

#[test]
fn reasons_of_people_are_kept_and_a_pattern_that_nothing_matches_is_removed() {
    let text = "# Ask Jo.\ncauses:\n  - { cause: r-1, what: r, scenarios: [a@1/1, a@1/2], kind: known, reason: Jo knows }\n";
    let baseline = load("b.yaml".into(), text).unwrap();
    let mut found = report(&[("a@1/1", &["r"]), ("a@1/2", &[]), ("a@1/z/3", &["r"])]);
    assert_eq!(
        applied(&mut found.clone(), &baseline),
        [
            "b.yaml:3: delete this pattern of the entry (r-1 in a@1/2): nothing matched it in this run"
        ]
    );
    let text = updated(&baseline, &found);
    assert!(text.starts_with("# Ask Jo.\ncauses:\n"), "{text}");
    assert!(
        text.contains(r#"scenarios: ["a@1/1", "a@1/z/3"]"#),
        "{text}"
    );
    assert!(text.contains("Jo knows"), "{text}");
    assert!(applied(&mut found, &load("b.yaml".into(), &text).unwrap()).is_empty());
}

#[test]
fn entries_by_rule_become_entries_by_cause() {
    let text = "# Accepted findings: x\nfindings:\n  - { scenario: 'a@1/*', rule: r, kind: known, reason: Jo knows }\n  - { scenario: a@1/2, rule: s, kind: flaky, reason: 's is \"broken\"' }\n  - { scenario: b@1/1, rule: r, kind: known, reason: elsewhere }\n";
    let baseline = load("b.yaml".into(), text).unwrap();
    let mut found = report(&[("a@1/1", &["r"]), ("a@1/2", &["r", "s"])]);
    assert!(
        applied(&mut found.clone(), &baseline).is_empty(),
        "old baselines hold as they are"
    );
    let text = updated(&baseline, &found);
    assert!(text.starts_with("# Known causes, "), "{text}");
    let written = load("b.yaml".into(), &text).unwrap();
    let read: Vec<_> = written
        .entries
        .iter()
        .map(|entry| (entry.subject(), entry.kind, entry.reason.as_str()))
        .collect();
    assert_eq!(
        read,
        [
            ("r-1", EntryKind::Known, "Jo knows"),
            ("s-1", EntryKind::Flaky, ""),
            ("r", EntryKind::Known, "elsewhere"),
        ],
        "a message of the program is no reason, and what was not run stays: {text}"
    );
    assert!(applied(&mut found, &written).is_empty());
    assert_eq!(updated(&written, &found), text);
}

#[test]
fn an_entry_by_rule_becomes_one_by_cause_though_some_of_its_scenarios_are_skipped() {
    let text = "findings:\n  - { scenario: 'a@1/x/*', rule: r, kind: known, reason: Jo knows }\n";
    let baseline = load("b.yaml".into(), text).unwrap();
    let mut found = report(&[("a@1/x/1", &["r"]), ("a@1/x/2", &[]), ("a@1/x/3", &[])]);
    found.scenarios[2].verdict = Verdict::Inconclusive;
    assert!(updated(&baseline, &found).contains("rule: \"r\""));
    found.scenarios[2].verdict = Verdict::Skipped;
    let text = updated(&baseline, &found);
    assert!(
        text.contains("cause: \"r-1\"") && !text.contains("findings:"),
        "{text}"
    );
    assert!(
        text.contains("[\"a@1/x/1\"]"),
        "only where it was found: {text}"
    );
}

#[test]
fn an_entry_holds_when_its_finding_follows_from_a_cause_that_comes_and_goes() {
    let step = Finding {
        cause: String::new(),
        ..finding("scenario.expect")
    };
    let own = cause_id(&step);
    let text = format!(
        "causes:\n  - {{ cause: {own}, scenarios: [a@1/1], reason: x }}\n  - {{ cause: r-1, scenarios: [a@1/1], kind: flaky, reason: y }}\n"
    );
    let baseline = load("b.yaml".into(), &text).unwrap();
    let mut alone = report(&[("a@1/1", &["r"])]);
    alone.scenarios[0].findings = vec![Finding {
        cause: own,
        ..step.clone()
    }];
    assert!(applied(&mut alone, &baseline).is_empty());
    let mut echo = report(&[("a@1/1", &["r"])]);
    echo.scenarios[0].findings.push(Finding {
        cause: "r-1".into(),
        echo: true,
        ..step.clone()
    });
    assert!(applied(&mut echo, &baseline).is_empty());
    assert_eq!((echo.summary.failed, echo.summary.known), (0, 0));
    let mut other = report(&[("a@1/1", &["s"])]);
    other.scenarios[0].findings.push(Finding {
        cause: "s-1".into(),
        echo: true,
        ..step
    });
    assert!(applied(&mut other, &baseline).is_empty());
    assert_eq!(other.summary.failed, 1, "the other cause is new");
}

#[test]
fn an_entry_may_accept_every_cause_of_a_rule_in_its_scenarios() {
    let text = "causes:\n  - { cause: 'r-*', scenarios: ['a@1/x/*'], reason: Jo knows }\n";
    let baseline = load("b.yaml".into(), text).unwrap();
    let mut found = report(&[("a@1/x/1", &["r"]), ("a@1/x/2", &["r"])]);
    found.scenarios[1].findings[0].cause = "r-2".into();
    assert!(applied(&mut found, &baseline).is_empty());
    assert_eq!((found.summary.known, found.summary.failed), (2, 0));
    let text = updated(&baseline, &found);
    assert_eq!(
        load("b.yaml".into(), &text).unwrap().entries.len(),
        1,
        "{text}"
    );
    let mut other = report(&[("a@1/x/1", &["rs"]), ("a@1/y/1", &["r"])]);
    applied(&mut other, &baseline);
    assert_eq!((other.summary.known, other.summary.failed), (0, 2));
}
