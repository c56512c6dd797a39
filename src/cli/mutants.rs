//! `conform mutants`: mutation testing of the suite. Plays faults of the reference agent, or of any agent, and prints the kill matrix.

mod explored;
mod faults;
mod generic_faults;
mod legal;
mod proof;
mod published;
mod suites;

use super::agent_surroundings::CLEANUP_TIMEOUT;
use super::args::{DialectArgs, SideArg, at_least_one, folder};
use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::run::{AgentStart, RunRequest};
use super::{output, termination};
use conform_runner::selection::{Shard, sample};
use conform_runner::trials::cores;
use serde::de::DeserializeOwned;
use spanned_yaml::suggestion;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use tokio::runtime::Runtime;

pub(super) use published::{matrix as published_matrix, read as read_matrix};
pub(super) use suites::reference_suite;

/// The options of `conform run` that decide how the agent is started and what it plays.
#[derive(Debug, clap::Args)]
struct RunOptions {
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

/// Play every fault against the suite, and print what caught it
///
/// A fault is killed if a rule or scenario that is named for it catches it, at the frame where it happened, and no other rule has a
/// finding. Errors are: a fault that is never played, changes nothing, or is caught by another rule or at another frame, and a rule that
/// kills no fault.
///
/// Without an agent, the reference agent plays its own faults. With an agent, the faults of the dialect's `faults.yaml` are played on its
/// frames, by a filter between it and the judge: so the author of a dialect proves its rules. The agent must pass the suite first. A
/// dialect without `faults.yaml` gets generic faults, made from the frames that the agent sends: dropped, doubled, swapped, late, torn, a
/// member of another type, an id that nobody knows. What nothing catches is a question for the author, not an error, unless --accepted
/// lists the answers.
///
/// With --legal, the legal variants of the dialect are played with full budgets, in every scenario in which they can take effect. Errors are
/// a finding, a scenario without a result that has one otherwise, and a variant that never takes effect. What is found is played again,
/// to tell a loaded machine from an accusation.
///
/// Exit status: 0 all killed, 1 survivors or an agent with findings, 3 faults that were never active.
#[derive(Debug, clap::Args)]
pub(super) struct MutantsArgs {
    /// The agent's program and its arguments, as in `conform run` [default: the bundled reference agent]
    #[arg(value_name = "AGENT", trailing_var_arg = true)]
    agent: Vec<OsString>,
    #[command(flatten)]
    dialect: DialectArgs,
    #[command(flatten)]
    run: RunOptions,
    /// Only the faults of one side: `host` judges the bad hosts of `hosts.yaml`, and starts no agent
    #[arg(long, value_enum, conflicts_with_all = ["agent", "generic"])]
    side: Option<SideArg>,
    /// Play generic faults, even if the dialect has a `faults.yaml`
    #[arg(long)]
    generic: bool,
    /// Play the legal variants of `variants.yaml`, in which nothing may be found, alone and in combinations; exit status 1 if something is
    #[arg(long, conflicts_with_all = ["generic", "side"])]
    legal: bool,
    /// With --legal: how many random combinations of variants to play
    #[arg(long, value_name = "N", default_value_t = 8, requires = "legal")]
    combinations: u64,
    /// Play each fault of the reference agent in the first N sessions of `conform explore` instead of the suite, until something is found,
    /// and print what was found and what was missed
    #[arg(long, value_name = "N", conflicts_with_all = ["agent", "generic", "legal", "side", "publish", "compare"])]
    explore: Option<NonZeroUsize>,
    /// The seed of --sample, of --combinations, and of the sessions of --explore
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Play only N of the faults of each dialect, which --seed chooses
    ///
    /// With --legal, every variant is played, each in at most N scenarios: spread over the suite, beside the one in which it took effect when
    /// the matrix of --compare was published. One that is not active in them is left out.
    #[arg(long, value_name = "N")]
    sample: Option<NonZeroUsize>,
    /// Generic faults that may survive, a YAML map from their ids to reasons; others that survive fail
    #[arg(long, value_name = "FILE")]
    accepted: Option<PathBuf>,
    /// Known findings of the agent; scenarios that have some are left out
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Only faults whose id contains this text; repeatable
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Only the K-th of N parts of the faults
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// How many faults to play at once [default: three a core]
    #[arg(short, long, value_name = "N", value_parser = at_least_one::<NonZeroUsize>)]
    jobs: Option<NonZeroUsize>,
    /// Stretch every time budget by this factor; a fault that hangs uses its whole budget. What is not killed is played again with full budgets
    #[arg(long, value_name = "X", default_value_t = 0.2)]
    time_scale: f64,
    /// Write each dialect's matrix into this folder, as `NAME@VERSION.json` and as a page to read; faults that are not played keep their rows
    #[arg(long, value_name = "DIR")]
    publish: Option<PathBuf>,
    /// Fail where a matrix differs from the one in this folder: a fault that is new or gone, or has another text, expectation or fate
    #[arg(long, value_name = "DIR", value_parser = folder)]
    compare: Option<PathBuf>,
}

impl RunOptions {
    /// The run of this agent that the options request.
    fn request(&self, dialect: &DialectArgs, agent: &[OsString]) -> RunRequest {
        RunRequest {
            start: AgentStart {
                agent: agent.to_vec(),
                dialect: dialect.clone(),
                wire: self.wire.clone(),
                env: self.env.clone(),
                lacks: self.lacks.clone(),
                time_scale: 1.0,
                ..AgentStart::default()
            },
            scenarios: self.scenarios.clone(),
            only: self.scenario.clone(),
            ..RunRequest::default()
        }
    }
}

impl MutantsArgs {
    /// Whether every fault is played.
    fn is_whole(&self) -> bool {
        self.only.is_empty() && self.shard.is_none() && self.sample.is_none()
    }

    /// How many faults are played at once.
    fn jobs(&self) -> usize {
        self.jobs
            .map_or_else(|| 3 * cores().get(), NonZeroUsize::get)
    }

    /// The faults of the shard that `--only` selects, by their ids.
    fn selected<T>(&self, all: impl IntoIterator<Item = T>, id: impl Fn(&T) -> &str) -> Vec<T> {
        let selected: Vec<T> = all
            .into_iter()
            .filter(|one| self.selects(id(one)))
            .collect();
        let size = self.sample.filter(|_| !self.legal);
        let size = size.map_or(selected.len(), NonZeroUsize::get);
        let sampled = sample(selected, size, self.seed).into_iter().enumerate();
        let part = sampled.filter(|(n, _)| self.shard.is_none_or(|shard| shard.holds(*n)));
        part.map(|(_, one)| one).collect()
    }

    /// Whether `--only` selects this id.
    fn selects(&self, id: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| id.contains(part.as_str()))
    }

    /// Checks that each `--only` selects one of these faults.
    fn check_only(&self, known: Vec<String>) -> Result<(), CommandError> {
        let is_known = |pattern: &String| known.iter().any(|id| id.contains(pattern.as_str()));
        if self.only.iter().all(is_known) {
            Ok(())
        } else {
            Err(no_fault(self, &known))
        }
    }

    /// The published result of a dialect to compare with, if one is requested.
    fn published<M: DeserializeOwned>(&self, dialect: &str) -> Result<Option<M>, CommandError> {
        let folder = self.compare.as_ref();
        let read = folder.map(|folder| read_matrix(folder, dialect));
        read.transpose()
    }
}

pub(super) fn run(args: MutantsArgs) -> Result<ExitStatus, CommandError> {
    conform_runner::adopt_orphans();
    let runtime = Runtime::new()?;
    let status = runtime.block_on(async {
        tokio::select! {
            status = play(&args) => status,
            () = termination::termination_requested() => {
                Err(CommandError::incomplete("interrupted before all faults were played"))
            }
        }
    });
    runtime.shutdown_timeout(CLEANUP_TIMEOUT);
    termination::kill_strays();
    status
}

async fn play(args: &MutantsArgs) -> Result<ExitStatus, CommandError> {
    match args.explore {
        _ if args.legal => legal::play(args).await,
        Some(sessions) => explored::play(args, sessions.get()).await,
        None if args.agent.is_empty() && !args.generic => faults::of_reference_agent(args).await,
        None => faults::of_any_agent(args).await,
    }
}

/// The error that no fault is selected, with a suggestion for each pattern.
fn no_fault(args: &MutantsArgs, known: &[String]) -> CommandError {
    let known = || known.iter().map(String::as_str);
    let is_unknown = |pattern: &&String| !known().any(|id| id.contains(pattern.as_str()));
    let patterns = args.only.iter().filter(is_unknown).map(|pattern| {
        let near = suggestion(pattern, known());
        format!("--only {} matches no fault{near}", output::quoted(pattern))
    });
    let mut why: Vec<String> = patterns.collect();
    if why.is_empty() {
        why.push("there is no fault".to_owned());
    }
    let message = format!(
        "nothing was played (`conform list faults` shows what there is): {}",
        why.join("; ")
    );
    CommandError::incomplete(message)
}
