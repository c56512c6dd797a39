//! `conform check`.

use super::{exit::ExitStatus, output};

/// Judge recorded sessions, no process involved
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args) -> ExitStatus {
    output::error("`conform check` is not part of this build");
    ExitStatus::Harness
}
