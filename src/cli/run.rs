//! `conform run`: plays scenarios against an agent.

mod agent;
mod args;
mod last_failures;
mod progress;
mod required_clauses;
mod rerun;
mod run_plan;
pub(super) mod run_status;
mod transcript_folder;
mod unmatched_names;

use super::agent_surroundings::{AgentSurroundings, with_agents};
use super::args::DetailsArg;
use super::baseline::ActiveBaseline;
use super::command_error::CommandError;
use super::{exit::ExitStatus, output, reports};
pub(super) use agent::agent_of;
pub(super) use args::{AgentStart, RunArgs, RunRequest};
use conform_judge::dialect::DialectSource;
use conform_judge::finding::Blame;
use conform_report::baseline::{RunExtent, dialect_of};
use conform_report::reporter::terminal;
use conform_report::{Report, ReportBuilder, ReportCommand, ScenarioReport, Verdict};
use conform_runner::explore::MoveTable;
use conform_runner::step_rules;
use conform_runner::trials::{
    KeepTranscripts, RetryOptions, RunEvent, SMOKE_FAILED, SuiteEnd, SuiteSettings, cores,
};
pub(super) use last_failures::LastFailures;
pub(super) use progress::Progress;
use required_clauses::RequiredClauses;
pub(super) use run_plan::{RunPlan, run_plan};
use run_status::{AgentProgress, RunFacts};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub(super) fn run(mut args: RunArgs) -> Result<ExitStatus, CommandError> {
    let began = Instant::now();
    let start = &mut args.request.start;
    start.take_configured_agent()?;
    if start.agent.is_empty() && start.agent_script.is_none() {
        output::note("no agent is named: the bundled mock-agent is tested");
    }
    reports::check(&args.reports, args.baseline.path())?;
    let baseline = args.baseline.read()?;
    if let Some(folder) = &args.transcripts {
        transcript_folder::make_folder(folder)?;
    }
    let last_failures = LastFailures::read(&args.request.start.agent);
    let ended = with_agents(args.network, async |surroundings| {
        let (sandboxes, cancelled) = (&surroundings.sandboxes, &surroundings.cancelled);
        let plan = run_plan(&args.request, sandboxes, cancelled, &last_failures).await?;
        perform(&args, plan, baseline, last_failures, began, surroundings).await
    });
    reports::with_error(ended, ReportCommand::Run, &args.reports)
}

/// Plays the scenarios of the plan, and writes the report.
async fn perform(
    args: &RunArgs,
    mut plan: RunPlan,
    mut baseline: ActiveBaseline,
    mut last_failures: LastFailures,
    began: Instant,
    surroundings: &AgentSurroundings,
) -> Result<ExitStatus, CommandError> {
    let engine = surroundings.engine(settings(args, &baseline));
    let mut suites = std::mem::take(&mut plan.suites);
    if baseline.has_file() {
        let source = DialectSource::new(plan.dialect_dir.clone());
        let known = source.ids();
        let is_known = |dialect: &str| known.iter().any(|id| id == dialect);
        baseline.note_absent(|pattern| dialect_of(pattern).is_some_and(|id| !is_known(id)));
        for suite in &mut suites {
            suite.moments = MoveTable::load(&source, &suite.dialect, None)?.map(Arc::new);
        }
    }
    let mut report = report_builder();
    for part in &suites {
        report.add_dialect(&part.dialect);
    }
    let required = RequiredClauses::new(&suites);
    let total = suites.iter().map(|part| part.scenarios.len()).sum();
    let mut progress = Progress::new(&args.reports, total);
    let mut shown = AgentProgress::default();
    let mut behind_smoke = 0;
    let mut on_event = |event| {
        match event {
        RunEvent::Started(id) => progress.started(id),
        RunEvent::Busy(why) => progress.note(&format!(
            "{why}; fewer scenarios are played at a time now. Play those that stay inconclusive again on a quieter machine, with `-j` or `--time-scale`"
        )),
        RunEvent::Ended(mut entry) => {
            let rerun = plan.rerun.line(&entry.report.id);
            let failed = complete(&mut entry.report, &rerun, &baseline);
            if entry.played {
                let again = failed || entry.report.verdict == Verdict::Inconclusive;
                last_failures.note(&entry.report.id, again);
            }
            behind_smoke += usize::from(!entry.played && entry.report.reason == SMOKE_FAILED);
            shown.note(&entry);
            progress.ended(&entry, failed);
            report.add(entry.report, entry.check.coverage);
        }
    }
    };
    let ended = engine.play(suites, &mut on_event).await?;
    let mut report = plan.report(report, engine.settings.seed, began, surroundings);
    let is_whole = extent(args) == RunExtent::Whole;
    last_failures.write(
        &args.request.start.agent,
        is_whole && ended == SuiteEnd::Complete,
    );
    let applied = match ended {
        SuiteEnd::Complete => baseline.apply(&mut report, extent(args)),
        _ => {
            baseline.skip_update();
            Ok(())
        }
    };
    let folder = kept_transcripts(&report, &engine.settings.keep);
    let folder = folder.map(|folder| ("Transcripts", folder.display().to_string()));
    let lines: Vec<_> = lanes_line(&report).into_iter().chain(folder).collect();
    close(&report, args.details, &lines, progress).map_err(output::failure)?;
    if let Err(error) = reports::write(&report, &args.reports).and(applied) {
        output::error(&error);
        return Ok(error.status);
    }
    Ok(run_status::status(&RunFacts {
        ended: &ended,
        summary: &report.summary,
        objection: args.baseline.is_failed_by(&report),
        shown,
        unexercised: &required.unexercised(&report),
        behind_smoke,
    }))
}

/// The report of a run, with the rules of the steps.
pub(super) fn report_builder() -> ReportBuilder {
    let mut report = ReportBuilder::new(ReportCommand::Run, Blame::Agent);
    for rule in step_rules::RULES {
        report.add_rule(rule.id, rule.doc);
    }
    report
}

/// Gives the findings of a scenario the command that plays it again, and marks the known ones. Returns whether it failed.
pub(super) fn complete(
    scenario: &mut ScenarioReport,
    rerun: &str,
    baseline: &ActiveBaseline,
) -> bool {
    for finding in scenario.all_findings_mut() {
        rerun.clone_into(&mut finding.rerun);
    }
    baseline.mark(scenario, Blame::Agent);
    matches!(scenario.verdict, Verdict::Fail | Verdict::Broken)
}

fn settings(args: &RunArgs, baseline: &ActiveBaseline) -> SuiteSettings {
    SuiteSettings {
        jobs: args.jobs.unwrap_or_else(usual_jobs),
        smoke_first: !args.keep_going && !args.baseline.update_baseline,
        max_fail: args.max_fail.or(args.fail_fast.then_some(NonZeroU32::MIN)),
        profile: args.profile.into(),
        time_scale: args.request.start.time_scale,
        settle: !args.request.start.no_settle,
        seed: args.request.start.seed,
        keep: match &args.transcripts {
            Some(folder) => KeepTranscripts::All(folder.clone()),
            None => KeepTranscripts::Failures(transcript_folder::transcript_folder()),
        },
        with_frames: false,
        retry: RetryOptions {
            // A cause that the next try does not have is recorded as flaky.
            max_retries: args.retries.max(u32::from(args.baseline.update_baseline)),
            retry_warnings: args.baseline.deny_warnings,
            baseline: Some(baseline.dated()),
        },
    }
}

/// How many scenarios are played in parallel by default: agents mostly wait, and the number that start at a time is limited separately.
pub(super) fn usual_jobs() -> NonZeroUsize {
    const A_CORE: NonZeroUsize = NonZeroUsize::new(16).unwrap();
    cores().saturating_mul(A_CORE)
}

/// Shows the end of a run: the causes, and these lines.
pub(super) fn close(
    report: &Report,
    details: DetailsArg,
    lines: &[(&str, String)],
    progress: Progress,
) -> io::Result<()> {
    let mut screen = progress.finish()?;
    terminal::closing(report, details.into(), &mut *screen)?;
    for (word, text) in lines {
        writeln!(screen, "{word:>13} {text}")?;
    }
    screen.flush()
}

/// The agent's own requests to the model, by lane, as a line; `None` if there were none.
fn lanes_line(report: &Report) -> Option<(&'static str, String)> {
    let mut counts = BTreeMap::<&str, u64>::new();
    for (lane, count) in report.scenarios.iter().flat_map(|scenario| &scenario.lanes) {
        *counts.entry(lane).or_default() += count;
    }
    let counts: Vec<_> = counts
        .iter()
        .map(|(lane, count)| format!("{lane} {count}"))
        .collect();
    (!counts.is_empty()).then(|| ("Own requests", counts.join(", ")))
}

/// The folder with the transcripts of this run, if there are any.
fn kept_transcripts<'a>(report: &Report, keep: &'a KeepTranscripts) -> Option<&'a Path> {
    let kept = |scenario: &ScenarioReport| {
        let tries = scenario.tries.iter().map(|one| &one.transcript);
        tries
            .chain([&scenario.transcript])
            .any(|path| !path.is_empty())
    };
    match keep {
        KeepTranscripts::Failures(folder) | KeepTranscripts::All(folder) => {
            report.scenarios.iter().any(kept).then_some(folder)
        }
        KeepTranscripts::Nothing => None,
    }
}

/// Whether the command line leaves any scenario out.
fn extent(args: &RunArgs) -> RunExtent {
    let RunRequest {
        only,
        tag,
        scenarios,
        ..
    } = &args.request;
    let is_selected = !only.is_empty() || !tag.is_empty() || !scenarios.is_empty();
    if !is_selected && args.request.shard.is_none() && !args.request.failed {
        RunExtent::Whole
    } else {
        RunExtent::Part
    }
}
