//! `conform explain`.

use super::{exit::ExitStatus, output};

/// Explain a rule, a clause, a fault or a scenario
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args) -> ExitStatus {
    output::error("`conform explain` is not part of this build");
    ExitStatus::Harness
}
