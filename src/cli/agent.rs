//! `conform agent`: the reference agent inside the one executable.

use std::ffi::OsString;

/// Be the bundled reference agent, as the program `mock-agent` is
#[derive(Debug, clap::Args)]
pub(super) struct AgentArgs {
    /// The flags of the agent it stands in for, and its own; `--help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(super) args: Vec<OsString>,
}
