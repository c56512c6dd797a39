//! From findings to a verdict: one small algebra for `run` and `check`. Pure.

use crate::finding::{Blame, Finding, Level};
use crate::report::{ScenarioReport, Summary};
use crate::verdict::Verdict;

/// The verdict over a history that was judged: the worst finding on the judged side decides, and nothing judged is no pass.
#[must_use]
pub fn verdict(findings: &[Finding], side: Blame, anything_exercised: bool) -> Verdict {
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

/// Counts verdicts. `known` and `flaky` are for those who know of baselines and retries to fill in.
#[must_use]
pub fn summary(scenarios: &[ScenarioReport]) -> Summary {
    let mut counts = Summary::default();
    for scenario in scenarios {
        *match scenario.verdict {
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
    use crate::finding::Source;

    fn finding(level: Level, blame: Blame) -> Finding {
        Finding {
            rule: "r".into(),
            level,
            source: Source::Spec,
            blame,
            clauses: vec![],
            at: 1,
            key: String::new(),
            message: String::new(),
            expected: vec![],
            pointer: String::new(),
            evidence: vec![],
            rerun: String::new(),
            baseline: None,
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
                verdict(&findings, side, exercised),
                expected,
                "{given:?} {side:?}"
            );
        }
    }
}
