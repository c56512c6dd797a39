//! `conform run`: plays scenarios against an agent.

mod agent;
mod config;
mod required_clauses;
mod run_plan;
mod run_status;

use super::args::{DialectArgs, ReportTarget, report_target};
use super::baseline::{ActiveBaseline, BaselineArgs};
use super::{catalogue, exit::ExitStatus, output, reports, termination};
use crate::baseline::RunExtent;
use crate::detect::detector::DetectError;
use crate::finding::Blame;
use crate::profile::Profile;
use crate::report::ReportBuilder;
use crate::report::{Command, Report};
use crate::reporter::terminal;
use crate::runner::retry::RetryPolicy;
use crate::runner::sandbox::SandboxRoot;
use crate::runner::scheduler::{self, SuiteEnd, SuiteSettings};
use crate::runner::selection::Shard;
use crate::runner::transcripts::KeepTranscripts;
use crate::runner::{adopt_orphans, kill_stray_processes};
use required_clauses::RequiredClauses;
use run_plan::RunPlan;
use run_status::{AgentProgress, RunFacts};
use std::ffi::OsString;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Play scripted conversations with an agent and judge every line
#[derive(Debug, clap::Args)]
pub(super) struct RunArgs {
    /// The agent's program and its arguments; none: the bundled reference agent, every dialect
    ///
    /// Without arguments the dialect's launch recipe supplies them. `{llm_url}`, `{workspace}` and `{home}` are replaced. Options of
    /// conform come before the program.
    #[arg(value_name = "AGENT", trailing_var_arg = true)]
    pub(super) agent: Vec<OsString>,
    #[command(flatten)]
    pub(super) dialect: DialectArgs,
    /// Play without listening first whether the agent speaks the dialect that is named
    #[arg(long)]
    pub(super) no_probe: bool,
    /// Scenarios of your own, files or folders, in place of the built-in ones; repeatable
    #[arg(long, value_name = "PATH")]
    pub(super) scenarios: Vec<PathBuf>,
    /// Only scenarios whose id holds this text, or fits it as a pattern if there is a `*` or `?` in it; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(super) only: Vec<String>,
    /// Only scenarios with this tag; repeatable
    #[arg(long, value_name = "TAG")]
    pub(super) tag: Vec<String>,
    /// How many scenarios to play at once [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub(super) jobs: Option<NonZeroUsize>,
    /// Only the K-th of N parts of the suite
    #[arg(long, value_name = "K/N")]
    pub(super) shard: Option<Shard>,
    /// Stretch every time budget by this factor
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = factor)]
    pub(super) time_scale: f64,
    /// How severe to be
    #[arg(long, value_enum, default_value_t)]
    pub(super) profile: Profile,
    /// The seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
    /// The wire of the launch recipe to serve the model over [default: the first one]
    #[arg(long, value_name = "NAME")]
    pub(super) wire: Option<String>,
    /// Also give the agent this environment variable: a value, or the one that conform itself has; repeatable
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub(super) env: Vec<String>,
    /// The agent does not have this command or capability: skip what needs it; repeatable
    #[arg(long, value_name = "NAME")]
    pub(super) lacks: Vec<String>,
    /// Play a scenario again that failed by more than the baseline knows, up to N times; one that passes then is flaky, which is shown
    /// and does not fail
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) retries: u32,
    #[command(flatten)]
    baseline: BaselineArgs,
    /// Also write a report; repeatable; `-` as the path is standard output
    #[arg(long = "report", value_name = "FORMAT=PATH", value_parser = report_target)]
    pub(super) reports: Vec<ReportTarget>,
    /// Write every scenario's transcript here
    #[arg(long, value_name = "DIR")]
    pub(super) transcripts: Option<PathBuf>,
}

/// How long folders may take to be removed, and pipes to be let go, when all is over.
const CLEARING: Duration = Duration::from_secs(10);

/// Why nothing was played.
#[derive(Debug)]
struct RunError {
    status: ExitStatus,
    message: String,
}

impl RunError {
    fn usage(message: impl Into<String>) -> Self {
        RunError {
            status: ExitStatus::Usage,
            message: message.into(),
        }
    }

    fn incomplete(message: impl Into<String>) -> Self {
        RunError {
            status: ExitStatus::Incomplete,
            message: message.into(),
        }
    }

    fn harness(message: impl Into<String>) -> Self {
        RunError {
            status: ExitStatus::Harness,
            message: message.into(),
        }
    }
}

pub(super) fn run(args: &RunArgs) -> ExitStatus {
    adopt_orphans();
    let played = play(args);
    let strays = kill_stray_processes();
    if strays > 0 {
        output::warning(format_args!(
            "{strays} processes that agents had left behind, out of sight, were killed"
        ));
    }
    played.unwrap_or_else(|RunError { status, message }| {
        output::error(message);
        status
    })
}

fn play(args: &RunArgs) -> Result<ExitStatus, RunError> {
    let began = Instant::now();
    let baseline = args.baseline.read().map_err(RunError::usage)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| RunError::harness(format!("cannot start: {error}")))?;
    let sandboxes = SandboxRoot::new().map_err(|error| {
        RunError::harness(format!("cannot make a folder for sandboxes: {error}"))
    })?;
    let sandboxes = Arc::new(sandboxes);
    let (cancel, cancelled) = watch::channel(false);
    let result = runtime.block_on(async {
        termination::cancel_on_signal(cancel);
        let plan = run_plan::run_plan(args, &sandboxes, &cancelled).await?;
        perform(args, plan, baseline, &sandboxes, cancelled, began).await
    });
    // What is still being cleared up may end.
    runtime.shutdown_timeout(CLEARING);
    result
}

/// Plays what is plan, and reports.
async fn perform(
    args: &RunArgs,
    plan: RunPlan,
    baseline: ActiveBaseline,
    sandboxes: &Arc<SandboxRoot>,
    cancelled: watch::Receiver<bool>,
    began: Instant,
) -> Result<ExitStatus, RunError> {
    let settings = SuiteSettings {
        jobs: args.jobs.map_or_else(cores, NonZeroUsize::get),
        profile: args.profile,
        time_scale: args.time_scale,
        seed: args.seed,
        keep: match &args.transcripts {
            Some(folder) => KeepTranscripts::All(folder.clone()),
            None => KeepTranscripts::Failures(own_folder()),
        },
        retry: RetryPolicy {
            max_retries: args.retries,
            retry_warnings: args.baseline.deny_warnings,
            baseline: Some(baseline.dated()),
        },
    };
    let mut report = ReportBuilder::new(Command::Run, Blame::Agent);
    for part in &plan.suites {
        report.add_dialect(&part.dialect);
    }
    let claims = RequiredClauses::of(&plan.suites);
    let mut screen = reports::screen(&args.reports);
    let mut shown = AgentProgress::default();
    let mut failed = None;
    let ended = scheduler::run(
        plan.suites,
        &settings,
        Arc::clone(sandboxes),
        cancelled,
        &mut |mut entry| {
            let rerun = plan.rerun.of(&entry.report.id);
            for finding in entry.report.all_findings_mut() {
                finding.rerun.clone_from(&rerun);
            }
            baseline.mark(&mut entry.report, Blame::Agent);
            shown.note(&entry);
            let said = terminal::line(&entry.report, &mut *screen).and_then(|()| screen.flush());
            failed = failed.take().or(said.err());
            report.add(entry.report, entry.exercised);
        },
    )
    .await;
    if let SuiteEnd::NotStarted(why) = &ended {
        return Err(RunError::usage(why.as_str()));
    }
    let mut report = Report {
        agent: plan.agent_command,
        seed: args.seed,
        duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        ..report.finish()
    };
    match ended {
        SuiteEnd::Complete => baseline
            .settle(&mut report, extent(args))
            .map_err(RunError::usage)?,
        _ => baseline.abandon(),
    }
    let said = terminal::closing(&report, &mut *screen).and_then(|()| screen.flush());
    drop(screen);
    if let Some(error) = failed.or(said.err()) {
        return Err(RunError::harness(format!(
            "cannot write the output: {error}"
        )));
    }
    reports::write(&report, &args.reports).map_err(RunError::usage)?;
    Ok(run_status::status(&RunFacts {
        ended: &ended,
        summary: &report.summary,
        objection: args.baseline.objects(&report),
        shown,
        unmet: &claims.unmet(&report),
    }))
}

/// Whether the command line leaves anything out.
fn extent(args: &RunArgs) -> RunExtent {
    let all = args.only.is_empty()
        && args.tag.is_empty()
        && args.scenarios.is_empty()
        && args.shard.is_none();
    if all {
        RunExtent::Whole
    } else {
        RunExtent::Part
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Where the transcripts of failures go if the user names no place.
fn own_folder() -> PathBuf {
    std::env::temp_dir().join(format!("conform-transcripts-{}", std::process::id()))
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(factor),
        _ => Err("expected a factor above 0, such as 0.5 or 3".to_owned()),
    }
}

impl From<io::Error> for RunError {
    fn from(error: io::Error) -> Self {
        RunError::harness(error.to_string())
    }
}

impl From<DetectError> for RunError {
    fn from(error: DetectError) -> Self {
        match error {
            DetectError::Dialect(errors) => RunError::usage(catalogue::told(&errors)),
            DetectError::Usage(message) => RunError::usage(message),
            DetectError::Incomplete(message) => RunError::incomplete(message),
            DetectError::Internal(message) => RunError::harness(message),
        }
    }
}
