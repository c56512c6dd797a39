//! `conform list`.

use super::{exit::ExitStatus, output};

/// List what conform knows
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args) -> ExitStatus {
    output::error("`conform list` is not part of this build");
    ExitStatus::Harness
}
