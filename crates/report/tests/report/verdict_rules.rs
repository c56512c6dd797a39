//! From findings to verdicts.

use conform_judge::finding::Blame::{self, Agent, Host};
use conform_judge::finding::Finding;
use conform_judge::finding::Level::{self, May, Must, Should};
use conform_report::Verdict;
use conform_report::verdict_rules::{ScenarioFacts, of_findings, of_scenario};

fn finding(rule: &str, level: Level, blame: Blame) -> Finding {
    Finding {
        rule: rule.into(),
        level,
        blame,
        ..Finding::default()
    }
}

#[test]
fn the_first_row_that_applies_decides_the_verdict_of_a_scenario() {
    let good = ScenarioFacts {
        came_up: true,
        checked: true,
        ..ScenarioFacts::default()
    };
    let change = |change: &dyn Fn(&mut ScenarioFacts<'_>)| {
        let mut facts = good;
        change(&mut facts);
        facts
    };
    let unmet = ["a.b".to_owned()];
    let silent = change(&|facts| facts.came_up = false);
    let skipped = change(&|facts| facts.skipped = Some("no mcp"));
    let unforeseen = change(&|facts| facts.unforeseen = Some("a title"));
    let unchecked = change(&|facts| facts.checked = false);
    let unmet = ScenarioFacts {
        unmet: &unmet,
        ..good
    };
    let interrupted = change(&|facts| facts.interrupted = true);
    let broken = ScenarioFacts {
        broken: Some("disk"),
        ..interrupted
    };
    let none = &[][..];
    let [must, should, may] = [Must, Should, May].map(|level| [finding("r", level, Agent)]);
    let [failed, weak] = [Must, Should].map(|level| [finding("scenario.expect", level, Agent)]);
    let hosts = [finding("r", Must, Host)];
    for (facts, findings, expected) in [
        (good, none, Verdict::Pass),
        (good, &may, Verdict::Pass),
        (good, &hosts, Verdict::Pass),
        (good, &should, Verdict::Warn),
        (good, &weak, Verdict::Warn),
        (good, &must, Verdict::Fail),
        (good, &failed, Verdict::Fail),
        (silent, &must, Verdict::Fail),
        (silent, &failed, Verdict::Inconclusive),
        (silent, &weak, Verdict::Inconclusive),
        (silent, none, Verdict::NotExercised),
        (skipped, none, Verdict::Skipped),
        (skipped, &should, Verdict::Skipped),
        (skipped, &must, Verdict::Fail),
        (unforeseen, &should, Verdict::Inconclusive),
        (unforeseen, &failed, Verdict::Fail),
        (unchecked, none, Verdict::NotExercised),
        (unmet, none, Verdict::NotExercised),
        (unmet, &should, Verdict::Warn),
        (unmet, &must, Verdict::Fail),
        (interrupted, &must, Verdict::Inconclusive),
        (interrupted, none, Verdict::Inconclusive),
        (broken, &must, Verdict::Broken),
    ] {
        let facts = ScenarioFacts { findings, ..facts };
        assert_eq!(of_scenario(&facts).0, expected, "{facts:?}");
    }
}

#[test]
fn the_worst_finding_of_the_judged_side_decides() {
    for (given, side, exercised, expected) in [
        (&[][..], Agent, true, Verdict::Pass),
        (&[], Agent, false, Verdict::NotExercised),
        (&[(May, Agent)], Agent, true, Verdict::Pass),
        (&[(Should, Agent)], Agent, true, Verdict::Warn),
        (
            &[(Should, Agent), (Must, Agent), (May, Agent)],
            Agent,
            true,
            Verdict::Fail,
        ),
        (&[(Must, Agent)], Agent, false, Verdict::Fail),
        (&[(Must, Host)], Agent, true, Verdict::Pass),
        (&[(Must, Host)], Host, true, Verdict::Fail),
    ] {
        let findings = given
            .iter()
            .map(|&(level, blame)| finding("r", level, blame));
        let findings: Vec<_> = findings.collect();
        assert_eq!(
            of_findings(&findings, side, exercised),
            expected,
            "{given:?} {side:?}"
        );
    }
}
