//! `conform relay-guard`: the process that cleans up after a recorder that was killed. Started by `conform record`, not by people.

use super::exit::ExitStatus;
use super::output;
use std::ffi::OsString;

/// Kill the agent of a recorder that was killed
#[derive(Debug, clap::Args)]
pub(super) struct RelayGuardArgs {
    /// The name of the environment variable that marks the agent's processes
    mark: OsString,
}

pub(super) fn run(args: &RelayGuardArgs) -> ExitStatus {
    match conform_relay::serve_guard(&args.mark) {
        Ok(()) => ExitStatus::Conformant,
        Err(error) => {
            output::error(error);
            ExitStatus::Harness
        }
    }
}
