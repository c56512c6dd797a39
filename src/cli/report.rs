//! `conform report`.

use super::{exit::ExitStatus, output};

/// Render a JSON report in another format
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: Args) -> ExitStatus {
    output::error("`conform report` is not part of this build");
    ExitStatus::Harness
}
