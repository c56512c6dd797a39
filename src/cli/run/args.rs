//! The options of `conform run`.

use crate::cli::args::{self, DetailsArg, DialectArgs, ProfileArg, ReportTarget, report_target};
use crate::cli::baseline::BaselineArgs;
use crate::cli::command_error::CommandError;
use crate::cli::network::NetworkArg;
use crate::project_config::read_config;
use conform_judge::dialect::KnownAgent;
use conform_runner::agent::Agent;
use conform_runner::selection::Shard;
use spanned_yaml::{Error, Spanned};
use std::ffi::{OsStr, OsString};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

/// The exit statuses of a run.
const EXIT_STATUS: &str = "\
Exit status:
  0  conformant: every scenario passed, warned or was skipped, and at least one was played
  1  violations: a failed scenario, a stale entry of the baseline, a warning with --deny-warnings
  2  usage: a wrong option or file; the agent's program is not there, cannot be executed, or
     speaks another protocol than the one asked for, or none that is known
  3  incomplete: no scenario matches; the agent started and wrote no event of its protocol, was
     not ready in time, or never began a turn; a scenario is inconclusive; a clause that the
     scenarios claim to check was not exercised; the run was interrupted
  4  a fault of conform itself
The first of 4, 1, 3, 0 that applies decides, but an interrupted run and an agent that never
wrote an event are always 3.";

/// Play scripted conversations with an agent and judge every line
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXIT_STATUS)]
pub(in crate::cli) struct RunArgs {
    #[command(flatten)]
    pub(super) request: RunRequest,
    /// How many scenarios to play in parallel [default: sixteen a core]
    #[arg(short, long, value_name = "N", value_parser = args::at_least_one::<NonZeroUsize>)]
    pub(super) jobs: Option<NonZeroUsize>,
    /// Play all scenarios even if the smoke scenario fails
    ///
    /// The smoke scenario of the dialect (start, one turn, end) is played first. If it has violations that the baseline does not know, the
    /// other scenarios are skipped. `--update-baseline` implies this option.
    #[arg(long)]
    pub(super) keep_going: bool,
    /// Stop after the first failed scenario; as `--max-fail 1`
    #[arg(long, conflicts_with = "max_fail")]
    pub(super) fail_fast: bool,
    /// Stop after N failed scenarios
    #[arg(long, value_name = "N", value_parser = args::at_least_one::<NonZeroU32>)]
    pub(super) max_fail: Option<NonZeroU32>,
    /// How severe to be
    #[arg(long, value_enum, default_value_t)]
    pub(super) profile: ProfileArg,
    /// Whether the agent may reach addresses outside of this machine
    #[arg(long, value_enum, default_value_t)]
    pub(super) network: NetworkArg,
    /// Retry a scenario up to N times if it fails with findings beyond the baseline; one that passes then is shown as flaky and does not
    /// fail
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) retries: u32,
    #[command(flatten)]
    pub(super) baseline: BaselineArgs,
    /// What to show after the last scenario
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(super) details: DetailsArg,
    /// Also write a report; repeatable; `-` as the path is standard output
    #[arg(long = "report", value_name = "FORMAT=PATH", value_parser = report_target)]
    pub(super) reports: Vec<ReportTarget>,
    /// Write every scenario's transcript here
    #[arg(long, value_name = "DIR")]
    pub(super) transcripts: Option<PathBuf>,
}

/// What is played: the agent, how it is started, and which scenarios.
#[derive(Debug, Default, clap::Args)]
pub(in crate::cli) struct RunRequest {
    #[command(flatten)]
    pub(in crate::cli) start: AgentStart,
    /// Scenarios of your own, files or folders, instead of the built-in ones; repeatable
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) scenarios: Vec<PathBuf>,
    /// Only scenarios whose id contains this text, or matches it, with or without its dialect, as a pattern if it has a `*` or `?`; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(in crate::cli) only: Vec<String>,
    /// Only scenarios with this tag; repeatable
    #[arg(long, value_name = "TAG")]
    pub(in crate::cli) tag: Vec<String>,
    /// Only scenarios that failed when this agent was last tested from this folder
    #[arg(long)]
    pub(in crate::cli) failed: bool,
    /// Only the K-th of N parts of the suite
    #[arg(long, value_name = "K/N")]
    pub(in crate::cli) shard: Option<Shard>,
    /// Whether a dialect without scenarios is played too, by a command that makes its own.
    #[arg(skip)]
    pub(in crate::cli) makes_scenarios: bool,
}

/// The agent, and how it is started and played with.
#[derive(Debug, Default, clap::Args)]
pub(in crate::cli) struct AgentStart {
    /// The agent's program and its arguments [default: the bundled reference agent, with every dialect]
    ///
    /// Arguments of the dialect's launch recipe that are not there are added behind, unless one has a placeholder: `{llm_url}`,
    /// `{workspace}`, `{home}`, or `{args}` for the recipe's. Options of conform come before the program.
    #[arg(value_name = "AGENT", trailing_var_arg = true)]
    pub(in crate::cli) agent: Vec<OsString>,
    /// The bundled agent plays this agent script, for a dialect that it does not speak itself
    #[arg(long, value_name = "FILE", conflicts_with = "agent")]
    pub(in crate::cli) agent_script: Option<PathBuf>,
    /// What is known of the agent: its start, its tools, its own requests to the model; without it, the dialect's file for the program
    #[arg(long, value_name = "FILE", conflicts_with = "agent_script")]
    pub(in crate::cli) agent_file: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) dialect: DialectArgs,
    /// Do not probe first whether the agent speaks the dialect
    #[arg(long)]
    pub(in crate::cli) no_probe: bool,
    /// Stretch every timeout by this factor
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = args::factor)]
    pub(in crate::cli) time_scale: f64,
    /// Wait the whole timeout even if nothing more can come
    ///
    /// A step that waits fails early when its event can no longer come: all turns have ended, all commands are answered, no request to the
    /// model is open, and the agent does nothing. The findings are the same.
    #[arg(long)]
    pub(in crate::cli) no_settle: bool,
    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(in crate::cli) seed: u64,
    /// The model API (wire) of the launch recipe to serve the model over [default: the first one]
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) wire: Option<String>,
    /// Set this environment variable for the agent; without a value, conform's own value is passed on; repeatable
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub(in crate::cli) env: Vec<String>,
    /// The agent lacks this command, capability or wire: skip scenarios that need it; repeatable
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) lacks: Vec<String>,
}

impl AgentStart {
    /// Without an agent on the command line, the one of `conform.yaml` is played, or the first program of the agent file that is there.
    ///
    /// # Errors
    /// A mistake in `conform.yaml` or the agent file, or none of its programs is there.
    pub(in crate::cli) fn take_configured_agent(&mut self) -> Result<(), CommandError> {
        if self.agent_script.is_some() {
            return Ok(());
        }
        let config = read_config()?;
        if self.agent_file.is_none() {
            self.agent_file = config.agent_file;
        }
        if self.agent.is_empty() {
            self.agent = config.agent.into_iter().map(Into::into).collect();
        }
        if let (true, Some(path)) = (self.agent.is_empty(), &self.agent_file) {
            let named = self.dialect.dialect.clone().or(config.dialect);
            let file = KnownAgent::read(path, named.as_deref())?;
            self.agent = vec![program_of(&file)?.into()];
        }
        Ok(())
    }
}

/// The first program of an agent file that is there.
fn program_of(agent: &KnownAgent) -> Result<String, Vec<Error>> {
    let programs = &agent.file.programs;
    let is_there = |program: &&Spanned<String>| Agent::find(OsStr::new(&program.value)).is_ok();
    if let Some(program) = programs.iter().find(is_there) {
        return Ok(program.value.clone());
    }
    let names: Vec<_> = programs
        .iter()
        .map(|name| format!("`{}`", name.value))
        .collect();
    let place = agent.root.nearest("/programs");
    let why = if names.is_empty() {
        "the agent file has no `programs`".to_owned()
    } else {
        format!("{} is not on the PATH", names.join(" or "))
    };
    let message = format!(
        "{why}: install it, or name the program, as in `conform run --agent-file FILE PROGRAM`"
    );
    Err(vec![place.error(message)])
}
