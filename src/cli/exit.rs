//! The exit status of the program.

use conform_report::VerdictCounts;
use std::process::ExitCode;

/// The exit status of every command: a contract that scripts rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ExitStatus {
    /// Everything requested was checked, and nothing is wrong.
    Conformant = 0,
    /// Something broke a rule.
    Violations = 1,
    /// The command line or an input is wrong, or the agent could not be started.
    Usage = 2,
    /// Nothing was checked, or something required was not exercised. Zero checks are never a success.
    Incomplete = 3,
    /// The harness itself failed.
    Harness = 4,
}

impl ExitStatus {
    /// The exit status of a run or a check, from its counts and from an `objection`: stale entries of the baseline, or denied warnings.
    ///
    /// An internal error outweighs everything, since then nothing else can be trusted. A violation outweighs what is incomplete. If nothing
    /// passed, the run is incomplete.
    pub(super) fn from_summary(summary: &VerdictCounts, objection: bool) -> Self {
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
