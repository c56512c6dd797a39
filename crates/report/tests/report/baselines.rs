//! Baselines that are written from a report and applied to it again.

use conform_judge::finding::{BaselinedKind, Evidence, Finding, Level};
use conform_report::baseline::{Accepted, Baseline, Date, RunExtent, apply, load, update};
use conform_report::causes::attribute;
use conform_report::{Report, ScenarioReport, Verdict};

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

/// A report of scenarios, each with the rules that it breaks: `a@1/1: r s`.
fn report(scenarios: &[&str]) -> Report {
    let scenario = |text: &&str| {
        let (id, rules) = text.split_once(':').unwrap();
        let findings: Vec<_> = rules.split_whitespace().map(finding).collect();
        ScenarioReport {
            id: id.into(),
            verdict: if findings.is_empty() {
                Verdict::Pass
            } else {
                Verdict::Fail
            },
            findings,
            ..ScenarioReport::default()
        }
    };
    Report {
        scenarios: scenarios.iter().map(scenario).collect(),
        ..Report::default()
    }
}

/// A scenario that broke a rule in an earlier try.
fn tried_again(scenario: &mut ScenarioReport, rule: &str) {
    scenario.flaky = scenario.findings.is_empty();
    scenario.tries = vec![ScenarioReport {
        verdict: Verdict::Fail,
        findings: vec![finding(rule)],
        ..ScenarioReport::default()
    }];
}

fn echo(of: &str, finding: Finding) -> Finding {
    Finding {
        cause: of.into(),
        follows_from: Some(1),
        ..finding
    }
}

fn baseline(text: &str) -> Baseline {
    load("b.yaml".into(), text).unwrap()
}

/// A baseline with one entry, of the old form if it names a rule.
fn entry(members: &str) -> Baseline {
    let list = if members.contains("rule:") {
        "findings"
    } else {
        "causes"
    };
    baseline(&format!("{list}:\n  - {{ {members}, reason: Jo knows }}\n"))
}

fn today() -> Date {
    "2026-11-21".parse().unwrap()
}

fn updated(baseline: &Baseline, report: &Report) -> String {
    update(baseline, report, today(), RunExtent::Whole)
}

/// The stale entries, and the numbers of failed and passed scenarios, known findings and flaky scenarios.
fn applied(report: &mut Report, baseline: &Baseline) -> (Vec<String>, [u32; 4]) {
    apply(report, baseline, today(), RunExtent::Whole);
    let counts = &report.summary;
    let counts = [counts.failed, counts.passed, counts.known, counts.flaky];
    (report.stale.clone(), counts)
}

#[test]
fn the_frames_of_a_known_cause_are_those_of_its_example() {
    let mut report = report(&["a@1/1: r", "a@1/2: r", "a@1/3: r s"]);
    let frame = Evidence {
        frame: 3,
        micros: 0,
        dir: "from_agent".to_owned(),
        text: "{}".to_owned(),
        here: true,
    };
    for scenario in &mut report.scenarios {
        scenario.excerpt = vec![frame.clone()];
        for finding in &mut scenario.findings {
            finding.evidence = vec![frame.clone()];
        }
    }
    applied(
        &mut report,
        &entry("scenario: 'a@1/*', rule: r, kind: known"),
    );
    let kept = report.scenarios.iter().map(|one| {
        let evidence = one.findings.iter().map(|finding| finding.evidence.len());
        (one.excerpt.len(), evidence.collect::<Vec<_>>())
    });
    let kept: Vec<_> = kept.collect();
    assert_eq!(kept, [(1, vec![1]), (0, vec![0]), (1, vec![1, 1])]);
    let before = report.causes.clone();
    report.summarize();
    assert_eq!(report.causes, before);
}

#[test]
fn an_entry_covers_its_findings_or_is_stale() {
    let known = "scenario: 'a@1/*', rule: r, kind: known";
    let flaky = "scenario: a@1/1, rule: r, kind: flaky";
    let every = "cause: 'r-*', scenarios: ['a@1/x/*']";
    let nothing = "b.yaml:2: delete this entry (r in a@1/*): nothing matched it in this run";
    for (members, scenarios, stale, counts) in [
        (known, &["a@1/1: r", "a@1/2:"][..], "", [0, 2, 1, 0]),
        (known, &["a@1/1: r s"], "", [1, 0, 1, 0]),
        (known, &["a@1/1:"], nothing, [0, 1, 0, 0]),
        (known, &["b@1/1:"], "", [0, 1, 0, 0]),
        (flaky, &["a@1/1:"], "", [0, 1, 0, 0]),
        (flaky, &["a@1/1: r"], "", [0, 0, 0, 1]),
        (flaky, &["a@1/1: r t"], "", [1, 0, 0, 0]),
        (every, &["a@1/x/1: r", "a@1/x/2: r"], "", [0, 2, 2, 0]),
        (every, &["a@1/x/1: rs r", "a@1/y/1: r"], "", [2, 0, 1, 0]),
        (every, &["a@1/explore/seed-0/00001: r"], "", [0, 1, 1, 0]),
        (
            "scenario: 'a@1/*', rule: r, kind: known, expires: 2026-11-20",
            &["a@1/1: r"],
            "b.yaml:2: delete this entry (r in a@1/*): it expired on 2026-11-20",
            [1, 0, 0, 0],
        ),
        (
            "cause: r-1, scenarios: [a@1/1, a@1/2]",
            &["a@1/1: r", "a@1/2:"],
            "b.yaml:2: delete this pattern of the entry (r-1 in a@1/2): nothing matched it in this run",
            [0, 2, 1, 0],
        ),
    ] {
        let (found, counted) = applied(&mut report(scenarios), &entry(members));
        assert_eq!(
            (found.concat().as_str(), counted),
            (stale, counts),
            "{members} {scenarios:?}"
        );
    }
}

#[test]
fn a_written_baseline_covers_all_findings_and_has_no_stale_entry() {
    let mut found = report(&["a@1/1: r s", "a@1/2:"]);
    let text = updated(&Baseline::default(), &found);
    assert!(text.starts_with("# Known causes, "), "{text}");
    let written = baseline(&text);
    assert_eq!(written.entries.len(), 2);
    assert_eq!(applied(&mut found, &written), (vec![], [0, 2, 2, 0]));
    assert_eq!(
        updated(&written, &found),
        text,
        "updating again changes nothing"
    );
}

#[test]
fn an_entry_of_scenarios_that_were_not_judged_stays() {
    let text = updated(&Baseline::default(), &report(&["a@1/1: r"]));
    let written = baseline(&text);
    let clean = report(&["a@1/1:"]);
    assert!(updated(&written, &clean).ends_with("causes: []\n"));
    use Verdict::{Broken, Inconclusive, NotExercised, Skipped};
    for verdict in [Skipped, Inconclusive, Broken, NotExercised] {
        let mut open = clean.clone();
        open.scenarios[0].verdict = verdict;
        assert_eq!(applied(&mut open, &written).0, [""; 0], "{verdict:?}");
        assert_eq!(updated(&written, &open), text, "{verdict:?}");
    }
    let mut elsewhere = report(&["b@1/1:"]);
    assert_eq!(updated(&written, &elsewhere), text);
    elsewhere.dialect = vec!["a@1".into()];
    let (stale, _) = applied(&mut elsewhere, &written);
    assert!(
        stale[0].ends_with("there is no such scenario"),
        "its dialect did run: {stale:?}"
    );
    let wide = entry("scenario: 'a@1/*', rule: r, kind: known");
    let mut part = clean.clone();
    apply(&mut part, &wide, today(), RunExtent::Part);
    assert_eq!(part.stale, [""; 0]);
    let kept = update(&wide, &clean, today(), RunExtent::Part);
    assert!(kept.contains("a@1/*"), "{kept}");
}

#[test]
fn an_expired_entry_stays_for_a_person_to_decide() {
    let expired = entry("scenario: 'a@1/*', rule: r, kind: known, expires: 2026-11-20");
    assert!(updated(&expired, &report(&["a@1/1: r"])).contains("expires: 2026-11-20"));
    assert!(updated(&expired, &report(&["a@1/1:"])).ends_with("causes: []\n"));
}

#[test]
fn a_finding_of_an_earlier_try_alone_is_written_as_flaky() {
    let mut again = report(&["a@1/1:", "a@1/2: r"]);
    again
        .scenarios
        .iter_mut()
        .for_each(|one| tried_again(one, "r"));
    let written = baseline(&updated(&Baseline::default(), &again));
    let kinds: Vec<_> = written.entries.iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [BaselinedKind::Flaky, BaselinedKind::Known]);
}

#[test]
fn a_cause_that_comes_and_goes_is_written_by_its_situation() {
    let in_situation = |scenario: &mut ScenarioReport, situation: &str| {
        let findings = scenario.all_findings_mut();
        findings.for_each(|one| one.situation = situation.into());
    };
    let mut again = report(&["a@1/1:", "a@1/2:", "a@1/3:"]);
    for (scenario, situation) in
        again
            .scenarios
            .iter_mut()
            .zip(["stop at tool", "stop at tool", "end at tool"])
    {
        tried_again(scenario, "r");
        in_situation(scenario, situation);
    }
    let text = updated(&Baseline::default(), &again);
    let written = baseline(&text);
    let [entry] = &written.entries[..] else {
        panic!("{text}")
    };
    assert_eq!(entry.places(), "stop at tool, end at tool");
    assert_eq!(updated(&written, &again), text);
    for (situation, counts) in [
        ("stop at tool", [0, 0, 0, 1]),
        ("stop at rest", [1, 0, 0, 0]),
    ] {
        let mut next = report(&["a@1/4: r"]);
        in_situation(&mut next.scenarios[0], situation);
        assert_eq!(
            applied(&mut next, &written),
            (vec![], counts),
            "{situation}"
        );
        assert_eq!(updated(&written, &report(&["a@1/1:"])), text);
    }
}

#[test]
fn an_entry_matches_a_finding_of_an_earlier_try() {
    let text = updated(&Baseline::default(), &report(&["a@1/1: r"]));
    let mut again = report(&["a@1/1:"]);
    tried_again(&mut again.scenarios[0], "r");
    assert_eq!(
        applied(&mut again, &baseline(&text)),
        (vec![], [0, 0, 1, 1])
    );
    assert_eq!(updated(&baseline(&text), &again), text);
}

#[test]
fn one_entry_covers_a_cause_in_many_scenarios_and_its_echoes() {
    let mut found = report(&["a@1/x/1: r", "a@1/x/2: r", "a@1/y/1: r"]);
    let step = echo("r-1", finding("scenario.expect"));
    found.scenarios[0].findings.insert(0, step);
    let written = baseline(&updated(&Baseline::default(), &found));
    let [entry] = &written.entries[..] else {
        panic!("{written:?}")
    };
    assert_eq!(
        (entry.what.as_str(), entry.reason.as_str()),
        ("r: r is \"broken\"", "")
    );
    assert_eq!(entry.scenarios, ["a@1/x/*", "a@1/y/1"]);
    assert_eq!(applied(&mut found, &written), (vec![], [0, 3, 4, 0]));
    assert_eq!(found.baseline.unwrap().without_reason, 1);
}

#[test]
fn reasons_of_people_are_kept_and_a_pattern_that_nothing_matches_is_removed() {
    let text = "# Ask Jo.\ncauses:\n  - { cause: r-1, what: r, scenarios: [a@1/1, a@1/2], reason: Jo knows }\n";
    let mut found = report(&["a@1/1: r", "a@1/2:", "a@1/z/3: r"]);
    let text = updated(&baseline(text), &found);
    assert!(text.starts_with("# Ask Jo.\ncauses:\n"), "{text}");
    assert!(
        text.contains(r#"scenarios: ["a@1/1", "a@1/z/3"]"#),
        "{text}"
    );
    assert!(text.contains("Jo knows"), "{text}");
    assert_eq!(applied(&mut found, &baseline(&text)).0, [""; 0]);
    let every = entry("cause: 'r-*', scenarios: ['a@1/*']");
    let text = updated(&every, &found);
    assert_eq!(baseline(&text).entries.len(), 1, "{text}");
}

#[test]
fn entries_by_rule_are_still_valid() {
    let text = "# Accepted findings: x\nfindings:\n  - { scenario: 'a@1/*', rule: r, kind: known, reason: Jo knows }\n  - { scenario: a@1/2, rule: s, kind: flaky, reason: x }\n";
    let mut found = report(&["a@1/1: r", "a@1/2: r s t"]);
    let text = updated(&baseline(text), &found);
    assert!(text.starts_with("# Known causes, "), "{text}");
    let written = baseline(&text);
    let subjects: Vec<_> = written
        .entries
        .iter()
        .map(|entry| match &entry.accepted {
            Accepted::Cause(id) | Accepted::Rule(id) => id.as_str(),
        })
        .collect();
    assert_eq!(subjects, ["t-1", "r", "s"]);
    assert_eq!(applied(&mut found, &written).0, [""; 0]);
    assert_eq!(updated(&written, &found), text);
}

#[test]
fn an_entry_holds_when_its_finding_follows_from_a_cause_that_comes_and_goes() {
    let step = finding("scenario.expect");
    let mut alone = [Finding {
        cause: String::new(),
        ..step.clone()
    }];
    attribute(&mut alone);
    let [alone] = alone;
    let own = alone.cause.clone();
    let text = format!(
        "causes:\n  - {{ cause: {own}, scenarios: [a@1/1], reason: x }}\n  - {{ cause: r-1, scenarios: [a@1/1], kind: flaky, reason: y }}\n"
    );
    for (rules, step, counts) in [
        ("", alone, [0, 1, 1, 0]),
        ("r", echo("r-1", step.clone()), [0, 0, 0, 1]),
        ("s", echo("s-1", step), [1, 0, 1, 0]),
    ] {
        let mut found = report(&[&format!("a@1/1: {rules}")]);
        found.scenarios[0].verdict = Verdict::Fail;
        found.scenarios[0].findings.push(step);
        assert_eq!(
            applied(&mut found, &baseline(&text)),
            (vec![], counts),
            "{rules}"
        );
    }
}
