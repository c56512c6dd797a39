//! `conform provider`: the scripted model alone.

use super::{exit::ExitStatus, output};
use std::path::PathBuf;

/// Serve the scripted model alone, over the wires of the real LLM APIs
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The model script, or a scenario whose model part is played
    #[arg(long, value_name = "FILE")]
    pub(super) script: PathBuf,
    /// Where to listen; port 0 picks a free one, and the address is printed
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(super) listen: std::net::SocketAddr,
}

pub(super) fn run(_args: Args) -> ExitStatus {
    output::error("`conform provider` is not part of this build");
    ExitStatus::Harness
}
