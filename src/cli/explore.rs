//! `conform explore`: plays generated sessions, and shrinks those with findings.

mod explorations;
mod finding_text;
mod shrunk_file;

use super::agent_surroundings::{AgentSurroundings, with_agents};
use super::args::{self, DetailsArg, ProfileArg, ReportTarget, report_target};
use super::baseline::{ActiveBaseline, BaselineArgs};
use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::network::NetworkArg;
use super::run::{
    AgentStart, LastFailures, Progress, RunPlan, RunRequest, close, complete, report_builder,
    run_plan, run_status, usual_jobs,
};
use super::{output, reports};
use conform_report::ReportCommand;
use conform_report::baseline::RunExtent;
use conform_runner::trials::{
    Exploration, ExploredSessions, Extent, KeepTranscripts, PlayedSession, RetryOptions,
    SessionEvent, SuiteEnd, SuiteSettings,
};
use explorations::explorations;
use run_status::{AgentProgress, RunFacts};
use spanned_yaml::TimeSpan;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

/// How many sessions of each dialect are played, if the command line does not specify it.
const USUAL_SESSIONS: usize = 200;

/// Play sessions that nobody wrote, judged by the same rules, and make those with findings small
///
/// A dialect says in its `explore.yaml` what a host and a model can do, and at which moments. Every second session is a walk over these moves
/// with data of many kinds, the others play several scenarios one after the other, judged by rules alone: of one seed always the same
/// sessions, and each heads for what did not come yet. The first session with a finding is made
/// smaller while the finding stays, and is written as a scenario that fails by itself: `conform run --scenarios FILE` plays it.
///
/// Exit status: as for `conform run`.
#[derive(Debug, clap::Args)]
pub(super) struct ExploreArgs {
    #[command(flatten)]
    start: AgentStart,
    /// How many sessions of each dialect to play [default: 200]
    #[arg(long, value_name = "N", value_parser = args::at_least_one::<NonZeroUsize>)]
    sessions: Option<NonZeroUsize>,
    /// For how long to play sessions of each dialect, such as `5m`; making them smaller comes on top
    #[arg(long, value_name = "TIME", conflicts_with = "sessions", value_parser = args::time_span)]
    time: Option<TimeSpan>,
    /// Only the session with this number of the seed, as the findings name it
    #[arg(long, value_name = "N", conflicts_with_all = ["sessions", "time"], value_parser = args::at_least_one::<NonZeroUsize>)]
    session: Option<NonZeroUsize>,
    /// How many sessions to play in parallel [default: sixteen a core]
    #[arg(short, long, value_name = "N", value_parser = args::at_least_one::<NonZeroUsize>)]
    jobs: Option<NonZeroUsize>,
    /// Where to write the sessions with findings
    #[arg(long, value_name = "DIR", default_value = "reports/explore")]
    out: PathBuf,
    /// How many sessions to play at most to make one smaller; 0 writes it as it was found
    #[arg(long, value_name = "N", default_value_t = 200)]
    shrink: usize,
    /// How severe to be
    #[arg(long, value_enum, default_value_t)]
    profile: ProfileArg,
    /// Whether the agent may reach addresses outside of this machine
    #[arg(long, value_enum, default_value_t)]
    network: NetworkArg,
    #[command(flatten)]
    baseline: BaselineArgs,
    /// What to show after the last session
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    details: DetailsArg,
    /// Also write a report; repeatable; `-` as the path is standard output
    #[arg(long = "report", value_name = "FORMAT=PATH", value_parser = report_target)]
    reports: Vec<ReportTarget>,
}

pub(super) fn run(mut args: ExploreArgs) -> Result<ExitStatus, CommandError> {
    let began = Instant::now();
    let mut start = std::mem::take(&mut args.start);
    start.take_configured_agent()?;
    reports::check(&args.reports, args.baseline.path())?;
    let baseline = args.baseline.read()?;
    let request = RunRequest {
        start,
        makes_scenarios: true,
        ..RunRequest::default()
    };
    let ended = with_agents(args.network, async |surroundings| {
        let (sandboxes, cancelled) = (&surroundings.sandboxes, &surroundings.cancelled);
        let none = LastFailures::default();
        let mut plan = run_plan(&request, sandboxes, cancelled, &none).await?;
        let engine = surroundings.engine(args.settings(&request.start));
        let dialects = explorations(&mut plan, &request.start, &engine)?;
        let explorer = Explorer {
            args: &args,
            start: &request.start,
            plan: &plan,
            baseline: &baseline,
            surroundings,
        };
        explorer.explore(dialects, began).await
    });
    reports::with_error(ended, ReportCommand::Run, &args.reports)
}

/// The settings of an exploration.
struct Explorer<'a> {
    args: &'a ExploreArgs,
    start: &'a AgentStart,
    plan: &'a RunPlan,
    baseline: &'a ActiveBaseline,
    surroundings: &'a AgentSurroundings,
}

impl Explorer<'_> {
    /// Plays the sessions, shrinks those with findings, and writes the report.
    async fn explore(
        &self,
        dialects: Vec<Exploration>,
        began: Instant,
    ) -> Result<ExitStatus, CommandError> {
        let mut progress = Progress::of_failures(&self.args.reports);
        let mut report = report_builder();
        let mut shown = AgentProgress::default();
        let mut lines = Vec::new();
        let mut ended = SuiteEnd::Complete;
        for exploration in dialects {
            report.add_dialect(&exploration.suite.dialect);
            let mut played = self.play(&exploration, &mut progress).await?;
            lines.extend(
                self.write_shrunk(&exploration, &mut played.sessions)
                    .await?,
            );
            lines.push(summary(&exploration, &played));
            for PlayedSession { run, .. } in played.sessions {
                shown.note(&run);
                report.add(run.report, run.check.coverage);
            }
            ended = played.end;
            if ended != SuiteEnd::Complete {
                break;
            }
        }
        let seed = self.start.seed;
        let mut report = self.plan.report(report, seed, began, self.surroundings);
        let baseline = self.args.baseline.read()?;
        match ended {
            SuiteEnd::Complete => baseline.apply(&mut report, RunExtent::Part)?,
            _ => baseline.skip_update(),
        }
        close(&report, self.args.details, &lines, progress).map_err(output::failure)?;
        if let Err(error) = reports::write(&report, &self.args.reports) {
            output::error(&error);
            return Ok(error.status);
        }
        Ok(run_status::status(&RunFacts {
            ended: &ended,
            summary: &report.summary,
            objection: self.args.baseline.is_failed_by(&report),
            shown,
            unexercised: &[],
            behind_smoke: 0,
        }))
    }

    /// Plays the sessions of a dialect, and shows how they end.
    async fn play(
        &self,
        exploration: &Exploration,
        progress: &mut Progress,
    ) -> Result<ExploredSessions, CommandError> {
        let (id, seed) = (exploration.suite.dialect.id(), self.start.seed);
        let on_event = &mut |event: SessionEvent<'_>| match event {
            SessionEvent::Planned(more) => progress.expect_more(more),
            SessionEvent::Started(id) => progress.started(id),
            SessionEvent::Ended(PlayedSession { number, run, .. }) => {
                let rerun = self.plan.rerun.explore_line(&id, seed, *number);
                let failed = complete(&mut run.report, &rerun, self.baseline);
                progress.ended(run, failed);
            }
        };
        Ok(exploration.play(self.args.extent(), on_event).await?)
    }
}

impl ExploreArgs {
    fn extent(&self) -> Extent {
        match (self.time, self.session) {
            (Some(time), _) => Extent::Time(time.0),
            (None, Some(one)) => Extent::One(one.get()),
            (None, None) => {
                Extent::Sessions(self.sessions.map_or(USUAL_SESSIONS, NonZeroUsize::get))
            }
        }
    }

    fn settings(&self, start: &AgentStart) -> SuiteSettings {
        SuiteSettings {
            jobs: self.jobs.unwrap_or_else(usual_jobs),
            smoke_first: false,
            max_fail: None,
            profile: self.profile.into(),
            time_scale: start.time_scale,
            settle: !start.no_settle,
            seed: start.seed,
            keep: KeepTranscripts::Nothing,
            with_frames: false,
            retry: RetryOptions::default(),
        }
    }
}

/// The coverage of the sessions of a dialect, as a line.
fn summary(exploration: &Exploration, played: &ExploredSessions) -> (&'static str, String) {
    let (table, counts) = (&exploration.tables.walked, &played.counts);
    let moves = counts.moves_at_moments(table);
    let pairs = counts.moves_in_a_row(table);
    let data = counts.data_at_places(table);
    let text = format!(
        "{}: {} sessions; {} pairs of scenarios, {} of {} moves at moments, {} of {} moves in a row, {} of {} classes of data at places",
        exploration.suite.dialect.id(),
        played.sessions.len(),
        played.pairs,
        moves.met,
        moves.all,
        pairs.met,
        pairs.all,
        data.met,
        data.all
    );
    ("Explored", text)
}
