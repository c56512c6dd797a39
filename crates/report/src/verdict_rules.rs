//! Verdict rules: how findings become the verdict of a scenario or a transcript, for `run` and `check` alike. Pure.

use super::model::Verdict;
use super::model::{ScenarioReport, VerdictCounts};
use conform_judge::finding::{BaselinedKind, Blame, Finding, Level};

/// The verdict over a checked history. The worst finding of the judged side decides; a history in which nothing was exercised does not
/// pass.
#[must_use]
pub fn of_findings(findings: &[Finding], side: Blame, anything_exercised: bool) -> Verdict {
    let worst = findings
        .iter()
        .filter(|finding| finding.blame == side)
        .map(|finding| finding.level)
        .max();
    match worst {
        Some(Level::Must) => Verdict::Fail,
        Some(Level::Should) => Verdict::Warn,
        _ if anything_exercised => Verdict::Pass,
        _ => Verdict::NotExercised,
    }
}

/// The facts about a scenario run that decide its verdict.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScenarioFacts<'a> {
    /// What is wrong with the harness or the scenario itself, if anything.
    pub broken: Option<&'a str>,
    /// Whether the run was interrupted.
    pub interrupted: bool,
    /// The findings of rules and steps.
    pub findings: &'a [Finding],
    /// Whether the agent wrote an event of its dialect, if the scenario waits for one.
    pub came_up: bool,
    /// What the agent lacks that the scenario needs.
    pub skipped: Option<&'a str>,
    /// A request to the model that the script does not expect, if there was one.
    pub unforeseen: Option<&'a str>,
    /// Whether anything was checked.
    pub checked: bool,
    /// The clauses that the scenario claims to check and that neither a step nor a rule exercised.
    pub unmet: &'a [String],
}

/// The prefix of the rule ids under which failed steps are reported.
const STEPS: &str = "scenario.";

/// The verdict over a scenario, with a reason if the findings do not explain it. The first row that applies decides.
#[must_use]
pub fn of_scenario(facts: &ScenarioFacts<'_>) -> (Verdict, String) {
    let reached = |level: Level| {
        let theirs = facts.findings.iter().filter(|f| f.blame == Blame::Agent);
        theirs.filter(move |finding| finding.level >= level)
    };
    let by_a_rule = reached(Level::Must).any(|finding| !finding.rule.starts_with(STEPS));
    let first_violation = reached(Level::Must).next();
    let first_counted = reached(Level::Should).next();
    let plain = |verdict| Some((verdict, String::new()));
    let rows = [
        facts.broken.map(|why| (Verdict::Broken, why.to_owned())),
        (facts.interrupted).then(|| (Verdict::Inconclusive, "interrupted".to_owned())),
        by_a_rule.then_some(()).and_then(|()| plain(Verdict::Fail)),
        first_violation
            .filter(|_| facts.came_up)
            .and_then(|_| plain(Verdict::Fail)),
        first_counted.filter(|_| !facts.came_up).map(|finding| {
            let why = format!("the agent never came up: {}", finding.message);
            (Verdict::Inconclusive, why)
        }),
        facts.skipped.map(|why| (Verdict::Skipped, why.to_owned())),
        facts
            .unforeseen
            .map(|why| (Verdict::Inconclusive, why.to_owned())),
        first_counted.and_then(|_| plain(Verdict::Warn)),
        (!(facts.checked && facts.came_up))
            .then(|| (Verdict::NotExercised, "nothing was checked".to_owned())),
        (!facts.unmet.is_empty()).then(|| {
            let why = format!("nothing checked {}", facts.unmet.join(", "));
            (Verdict::NotExercised, why)
        }),
    ];
    rows.into_iter()
        .flatten()
        .next()
        .unwrap_or((Verdict::Pass, String::new()))
}

/// Whether a scenario with this verdict counts as flaky when it failed in an earlier try, or failed only by findings that a baseline
/// calls flaky.
#[must_use]
pub fn is_flaky(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Pass | Verdict::Warn)
}

/// The number of scenarios by verdict, and of findings that a baseline calls known.
#[must_use]
pub fn summary(scenarios: &[ScenarioReport]) -> VerdictCounts {
    let mut counts = VerdictCounts::default();
    for scenario in scenarios {
        let marks = scenario.all_findings().filter_map(|f| f.baseline.as_ref());
        let known = marks.filter(|mark| mark.kind == BaselinedKind::Known);
        counts.known += u32::try_from(known.count()).unwrap_or(u32::MAX);
        *match scenario.verdict {
            _ if scenario.flaky => &mut counts.flaky,
            Verdict::Pass => &mut counts.passed,
            Verdict::Fail => &mut counts.failed,
            Verdict::Warn => &mut counts.warned,
            Verdict::Inconclusive => &mut counts.inconclusive,
            Verdict::NotExercised => &mut counts.not_exercised,
            Verdict::Skipped => &mut counts.skipped,
            Verdict::Broken => &mut counts.broken,
        } += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(level: Level, blame: Blame) -> Finding {
        Finding {
            rule: "r".into(),
            level,
            blame,
            at: 1,
            ..Finding::default()
        }
    }

    #[test]
    fn the_first_row_that_applies_decides_the_verdict_of_a_scenario() {
        let rule = |level| finding(level, Blame::Agent);
        let step = |level| Finding {
            rule: "scenario.expect".into(),
            ..finding(level, Blame::Agent)
        };
        let hosts = finding(Level::Must, Blame::Host);
        let unmet = ["a.b".to_owned()];
        let good = ScenarioFacts {
            came_up: true,
            checked: true,
            ..ScenarioFacts::default()
        };
        let silent = ScenarioFacts {
            came_up: false,
            ..good
        };
        let (must, should, may) = (
            [rule(Level::Must)],
            [rule(Level::Should)],
            [rule(Level::May)],
        );
        let (failed, weak, hosts) = ([step(Level::Must)], [step(Level::Should)], [hosts]);
        let found = |findings, facts| ScenarioFacts { findings, ..facts };
        for (facts, expected) in [
            (good, Verdict::Pass),
            (found(&may, good), Verdict::Pass),
            (found(&hosts, good), Verdict::Pass),
            (found(&should, good), Verdict::Warn),
            (found(&weak, good), Verdict::Warn),
            (found(&must, good), Verdict::Fail),
            (found(&failed, good), Verdict::Fail),
            (found(&must, silent), Verdict::Fail),
            (found(&failed, silent), Verdict::Inconclusive),
            (found(&weak, silent), Verdict::Inconclusive),
            (silent, Verdict::NotExercised),
            (
                ScenarioFacts {
                    skipped: Some("no mcp"),
                    ..good
                },
                Verdict::Skipped,
            ),
            (
                ScenarioFacts {
                    skipped: Some("no mcp"),
                    ..found(&should, good)
                },
                Verdict::Skipped,
            ),
            (
                ScenarioFacts {
                    skipped: Some("no mcp"),
                    ..found(&must, good)
                },
                Verdict::Fail,
            ),
            (
                ScenarioFacts {
                    unforeseen: Some("a title"),
                    ..found(&should, good)
                },
                Verdict::Inconclusive,
            ),
            (
                ScenarioFacts {
                    unforeseen: Some("a title"),
                    ..found(&failed, good)
                },
                Verdict::Fail,
            ),
            (
                ScenarioFacts {
                    checked: false,
                    ..good
                },
                Verdict::NotExercised,
            ),
            (
                ScenarioFacts {
                    unmet: &unmet,
                    ..good
                },
                Verdict::NotExercised,
            ),
            (
                ScenarioFacts {
                    unmet: &unmet,
                    ..found(&should, good)
                },
                Verdict::Warn,
            ),
            (
                ScenarioFacts {
                    unmet: &unmet,
                    ..found(&must, good)
                },
                Verdict::Fail,
            ),
            (
                ScenarioFacts {
                    interrupted: true,
                    ..found(&must, good)
                },
                Verdict::Inconclusive,
            ),
            (
                ScenarioFacts {
                    interrupted: true,
                    ..good
                },
                Verdict::Inconclusive,
            ),
            (
                ScenarioFacts {
                    broken: Some("disk"),
                    interrupted: true,
                    ..found(&must, good)
                },
                Verdict::Broken,
            ),
        ] {
            assert_eq!(of_scenario(&facts).0, expected, "{facts:?}");
        }
    }

    #[test]
    fn the_worst_finding_of_the_judged_side_decides() {
        use Blame::{Agent, Host};
        use Level::{May, Must, Should};
        type Case = (&'static [(Level, Blame)], Blame, bool, Verdict);
        let cases: [Case; 8] = [
            (&[], Agent, true, Verdict::Pass),
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
        ];
        for (given, side, exercised, expected) in cases {
            let findings: Vec<_> = given
                .iter()
                .map(|&(level, blame)| finding(level, blame))
                .collect();
            assert_eq!(
                of_findings(&findings, side, exercised),
                expected,
                "{given:?} {side:?}"
            );
        }
    }
}
