//! `conform lint`: what is wrong with scenario, rule and script files.

use super::{exit::ExitStatus, output};
use std::path::PathBuf;

/// Check scenario, rule and model script files without running anything
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, or folders that are searched for YAML files
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
}

pub(super) fn run(_args: Args) -> ExitStatus {
    output::error("`conform lint` is not part of this build");
    ExitStatus::Harness
}
