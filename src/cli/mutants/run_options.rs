//! The options of `conform run` that decide how the agent is started and what it plays.

use crate::cli::args::DialectArgs;
use crate::cli::run::RunRequest;
use std::ffi::OsString;
use std::path::PathBuf;

/// Options as in `conform run`.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct RunOptions {
    /// With an agent: scenarios of your own, files or folders, instead of the built-in ones; repeatable
    #[arg(long, value_name = "PATH")]
    scenarios: Vec<PathBuf>,
    /// With an agent: the model API (wire) of the launch recipe [default: the first one]
    #[arg(long, value_name = "NAME")]
    wire: Option<String>,
    /// With an agent: set this environment variable for it; repeatable
    #[arg(long, value_name = "NAME[=VALUE]")]
    env: Vec<String>,
    /// With an agent: it lacks this command, capability or wire; repeatable
    #[arg(long, value_name = "NAME")]
    lacks: Vec<String>,
    /// With an agent: only scenarios whose id contains this text, or matches it as a pattern; repeatable
    #[arg(long, value_name = "PATTERN")]
    scenario: Vec<String>,
}

impl RunOptions {
    /// The run of this agent that the options ask for.
    pub(super) fn request(&self, dialect: &DialectArgs, agent: &[OsString]) -> RunRequest {
        RunRequest {
            agent: agent.to_vec(),
            dialect: dialect.clone(),
            scenarios: self.scenarios.clone(),
            only: self.scenario.clone(),
            wire: self.wire.clone(),
            env: self.env.clone(),
            lacks: self.lacks.clone(),
            time_scale: 1.0,
            ..RunRequest::default()
        }
    }
}
