//! `conform run`: plays scenarios against an agent.

mod agent;
mod args;
mod required_clauses;
mod rerun;
mod run_error;
mod run_plan;
mod run_status;

use super::baseline::ActiveBaseline;
use super::{exit::ExitStatus, output, reports, termination};
use crate::baseline::RunExtent;
use crate::finding::Blame;
use crate::report::ReportBuilder;
use crate::report::{Report, ReportCommand};
use crate::reporter::terminal;
use crate::runner::adopt_orphans;
use crate::runner::retry::RetryOptions;
use crate::runner::sandbox::SandboxRoot;
use crate::runner::scheduler::{self, SuiteEnd, SuiteSettings};
use crate::runner::transcripts::KeepTranscripts;
pub(super) use args::RunArgs;
use required_clauses::RequiredClauses;
use run_error::RunError;
use run_plan::RunPlan;
use run_status::{AgentProgress, RunFacts};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How long sandboxes may take to be removed, and pipes to be closed, at the end of a run.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) fn run(args: &RunArgs) -> ExitStatus {
    adopt_orphans();
    let played = play(args);
    termination::kill_strays();
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
    // Cleanup in the background may finish.
    runtime.shutdown_timeout(CLEANUP_TIMEOUT);
    result
}

/// Plays the scenarios of the plan, and writes the report.
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
        retry: RetryOptions {
            max_retries: args.retries,
            retry_warnings: args.baseline.deny_warnings,
            baseline: Some(baseline.dated()),
        },
    };
    let mut report = ReportBuilder::new(ReportCommand::Run, Blame::Agent);
    for part in &plan.suites {
        report.add_dialect(&part.dialect);
    }
    let required = RequiredClauses::of(&plan.suites);
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
            let written = terminal::line(&entry.report, &mut *screen).and_then(|()| screen.flush());
            failed = failed.take().or(written.err());
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
            .apply(&mut report, extent(args))
            .map_err(RunError::usage)?,
        _ => baseline.skip_update(),
    }
    let written = terminal::closing(&report, &mut *screen).and_then(|()| screen.flush());
    drop(screen);
    if let Some(error) = failed.or(written.err()) {
        return Err(RunError::harness(format!(
            "cannot write the output: {error}"
        )));
    }
    reports::write(&report, &args.reports).map_err(RunError::usage)?;
    Ok(run_status::status(&RunFacts {
        ended: &ended,
        summary: &report.summary,
        objection: args.baseline.is_failed_by(&report),
        shown,
        unexercised: &required.unexercised(&report),
    }))
}

/// Whether the command line leaves any scenario out.
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

/// The folder for transcripts of failures, if the user names none.
fn own_folder() -> PathBuf {
    std::env::temp_dir().join(format!("conform-transcripts-{}", std::process::id()))
}
