//! `conform run`: plays scenarios against an agent.

use super::args::{DialectArgs, ReportTarget, report_target};
use super::{exit::ExitStatus, output};
use crate::profile::Profile;
use std::ffi::OsString;
use std::path::PathBuf;

/// Play scripted conversations with an agent and judge every line
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent's program and its arguments; none: the bundled reference agent, every dialect
    ///
    /// Without arguments the dialect's launch recipe supplies them. `{llm_url}`, `{workspace}` and `{home}` are replaced. Options of
    /// conform come before the program.
    #[arg(value_name = "AGENT", trailing_var_arg = true)]
    pub(super) agent: Vec<OsString>,
    #[command(flatten)]
    pub(super) dialect: DialectArgs,
    /// Only scenarios whose id contains this text
    #[arg(long, value_name = "PATTERN")]
    pub(super) only: Vec<String>,
    /// Only scenarios with this tag
    #[arg(long, value_name = "TAG")]
    pub(super) tag: Vec<String>,
    /// How many scenarios to play at once [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub(super) jobs: Option<std::num::NonZeroUsize>,
    /// Only the K-th of N parts of the suite
    #[arg(long, value_name = "K/N")]
    pub(super) shard: Option<String>,
    /// Stretch every time budget by this factor
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub(super) time_scale: f64,
    /// How severe to be
    #[arg(long, value_enum, default_value_t)]
    pub(super) profile: Profile,
    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
    /// Also write a report; repeatable
    #[arg(long = "report", value_name = "FORMAT=PATH", value_parser = report_target)]
    pub(super) reports: Vec<ReportTarget>,
    /// Write every scenario's transcript here
    #[arg(long, value_name = "DIR")]
    pub(super) transcripts: Option<PathBuf>,
}

pub(super) fn run(_args: Args) -> ExitStatus {
    output::error("`conform run` is not part of this build");
    ExitStatus::Harness
}
