//! What the program says to its caller.

use crate::report::Summary;
use std::process::ExitCode;

/// The exit status of every command: a contract that scripts rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitStatus {
    /// Everything asked for was checked, and nothing is wrong.
    Conformant = 0,
    /// Something broke a rule.
    Violations = 1,
    /// The command line or an input is wrong, or the agent could not be started.
    Usage = 2,
    /// Nothing was checked, or something required was not exercised. Zero checks is never success.
    Incomplete = 3,
    /// The harness itself is at fault.
    Harness = 4,
}

impl ExitStatus {
    /// What the counts of a run or a check come to, and an `objection` besides: stale entries of the baseline, or warnings where these
    /// are denied. The harness's own fault outweighs everything, since nothing else can be trusted then; a violation outweighs what was left open; and if nothing passed, nothing
    /// was shown.
    #[must_use]
    pub fn of(summary: &Summary, objection: bool) -> Self {
        if summary.broken > 0 {
            ExitStatus::Harness
        } else if summary.failed > 0 || objection {
            ExitStatus::Violations
        } else if summary.inconclusive + summary.not_exercised > 0
            || summary.passed + summary.warned + summary.flaky == 0
        {
            ExitStatus::Incomplete
        } else {
            ExitStatus::Conformant
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_come_to_the_status_that_the_contract_names() {
        let none = Summary::default();
        let cases = [
            (none.clone(), ExitStatus::Incomplete),
            (
                Summary {
                    passed: 1,
                    ..none.clone()
                },
                ExitStatus::Conformant,
            ),
            (
                Summary {
                    warned: 1,
                    ..none.clone()
                },
                ExitStatus::Conformant,
            ),
            (
                Summary {
                    passed: 1,
                    skipped: 1,
                    known: 1,
                    ..none.clone()
                },
                ExitStatus::Conformant,
            ),
            (
                Summary {
                    flaky: 1,
                    ..none.clone()
                },
                ExitStatus::Conformant,
            ),
            (
                Summary {
                    skipped: 9,
                    ..none.clone()
                },
                ExitStatus::Incomplete,
            ),
            (
                Summary {
                    passed: 1,
                    inconclusive: 1,
                    ..none.clone()
                },
                ExitStatus::Incomplete,
            ),
            (
                Summary {
                    passed: 1,
                    not_exercised: 1,
                    ..none.clone()
                },
                ExitStatus::Incomplete,
            ),
            (
                Summary {
                    passed: 1,
                    not_exercised: 1,
                    failed: 1,
                    ..none.clone()
                },
                ExitStatus::Violations,
            ),
            (
                Summary {
                    failed: 1,
                    broken: 1,
                    ..none.clone()
                },
                ExitStatus::Harness,
            ),
        ];
        for (summary, expected) in cases {
            assert_eq!(ExitStatus::of(&summary, false), expected, "{summary:?}");
        }
    }
}
