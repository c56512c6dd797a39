//! What the program says to its caller.

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

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> ExitCode {
        ExitCode::from(status as u8)
    }
}
