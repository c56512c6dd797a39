//! Why trials cannot be played.

use crate::process::spawn_error::SpawnError;
use spanned_yaml::{Error, render_all};

/// How many findings are shown.
const SHOWN: usize = 5;

/// Why trials cannot be played, or show nothing.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The agent could not be started.
    #[error(transparent)]
    NotStarted(#[from] SpawnError),
    /// The agent has these findings without a fault, so a finding is not evidence about one.
    #[error("the agent has findings without any fault, so a finding proves nothing; mend them, or name a baseline with --baseline\n  {}", some_of(.0))]
    Findings(Vec<String>),
    /// No scenario passes.
    #[error("no scenario passes, so there is nothing that a fault could break")]
    NothingPasses,
    /// A session is not a good scenario, which is a mistake in the moves.
    #[error("{}", render_all(.0))]
    Moves(Vec<Error>),
}

fn some_of(findings: &[String]) -> String {
    let shown = findings[..findings.len().min(SHOWN)].join("\n  ");
    match findings.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}\n  and {more} more"),
    }
}
