//! `conform explore`: plays sessions that nobody wrote, and makes those with findings small.

mod causes_found;
mod explored_dialect;
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
use conform_report::baseline::RunExtent;
use conform_runner::explore::{Session, SituationCounts, Walker};
use conform_runner::retry::RetryOptions;
use conform_runner::scenario_run::ScenarioRun;
use conform_runner::scheduler::{RunEvent, SuiteEnd, SuiteSettings};
use conform_runner::transcripts::KeepTranscripts;
use explored_dialect::{ExploredDialect, explored_dialects};
use run_status::{AgentProgress, RunFacts};
use shrunk_file::Shrinker;
use spanned_yaml::TimeSpan;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How many sessions of each dialect are played, if the command line does not say.
const USUAL_SESSIONS: usize = 200;
/// How many sessions a round has for each job, where the time decides how many are played.
const ROUND: usize = 4;

/// Play sessions that nobody wrote, judged by the same rules, and make those with findings small
///
/// A dialect says in its `explore.yaml` what a host and a model can do, and at which moments. Sessions are walks over these moves with data
/// of many kinds: of one seed always the same ones, and each heads for what was not walked yet. The first session with a finding is made
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
    /// How many sessions to play in parallel [default: twelve a core]
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

/// How long exploration goes on.
#[derive(Debug, Clone, Copy)]
enum Extent {
    /// So many sessions.
    Sessions(usize),
    /// For so long.
    Time(Duration),
    /// One session, by its number.
    One(usize),
}

/// A session that was played.
struct PlayedSession {
    session: Session,
    run: ScenarioRun,
}

/// The sessions of one dialect that were played.
struct Played {
    sessions: Vec<PlayedSession>,
    counts: SituationCounts,
    end: SuiteEnd,
}

pub(super) fn run(mut args: ExploreArgs) -> Result<ExitStatus, CommandError> {
    let began = Instant::now();
    let mut start = std::mem::take(&mut args.start);
    start.take_configured_agent()?;
    reports::check(&args.reports)?;
    let baseline = args.baseline.read()?;
    let request = RunRequest {
        start,
        makes_scenarios: true,
        ..RunRequest::default()
    };
    with_agents(args.network, async |surroundings| {
        let (sandboxes, cancelled) = (&surroundings.sandboxes, &surroundings.cancelled);
        let none = LastFailures::default();
        let mut plan = run_plan(&request, sandboxes, cancelled, &none).await?;
        let dialects = explored_dialects(&mut plan, &request.start)?;
        let exploration = Exploration {
            args: &args,
            start: &request.start,
            plan: &plan,
            baseline: &baseline,
            surroundings,
        };
        exploration.explore(&dialects, began).await
    })
}

/// What an exploration is made with.
struct Exploration<'a> {
    args: &'a ExploreArgs,
    start: &'a AgentStart,
    plan: &'a RunPlan,
    baseline: &'a ActiveBaseline,
    surroundings: &'a AgentSurroundings,
}

impl Exploration<'_> {
    /// Plays the sessions, makes those with findings small, and writes the report.
    async fn explore(
        &self,
        dialects: &[ExploredDialect],
        began: Instant,
    ) -> Result<ExitStatus, CommandError> {
        let mut progress = Progress::of_failures(&self.args.reports);
        let mut report = report_builder();
        let mut shown = AgentProgress::default();
        let mut lines = Vec::new();
        let mut ended = SuiteEnd::Complete;
        for dialect in dialects {
            report.add_dialect(&dialect.suite.dialect);
            let mut played = self.play(dialect, &mut progress).await?;
            ended = played.end.clone();
            let shrinker = Shrinker {
                exploration: self,
                dialect,
            };
            lines.extend(shrinker.write_all(&mut played.sessions).await?);
            lines.push(summary(dialect, &played));
            for PlayedSession { run, .. } in played.sessions {
                shown.note(&run);
                report.add(run.report, run.check.coverage);
            }
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
        reports::write(&report, &self.args.reports)?;
        Ok(run_status::status(&RunFacts {
            ended: &ended,
            summary: &report.summary,
            objection: self.args.baseline.is_failed_by(&report),
            shown,
            unexercised: &[],
            behind_smoke: 0,
        }))
    }

    /// Plays the sessions of a dialect.
    async fn play(
        &self,
        dialect: &ExploredDialect,
        progress: &mut Progress,
    ) -> Result<Played, CommandError> {
        let began = Instant::now();
        let mut walker = Walker::new(&dialect.table, self.start.seed);
        let mut played = Played {
            sessions: Vec::new(),
            counts: SituationCounts::default(),
            end: SuiteEnd::Complete,
        };
        let mut number = 0;
        while played.end == SuiteEnd::Complete {
            let (skipped, more) = match self.extent() {
                Extent::Sessions(all) => (0, all - number),
                Extent::One(wanted) => (wanted - 1, usize::from(number == 0)),
                Extent::Time(time) if began.elapsed() < time => (0, self.jobs().get() * ROUND),
                Extent::Time(_) => (0, 0),
            };
            if more == 0 {
                break;
            }
            number += skipped;
            let sessions: Vec<Session> = walker.by_ref().skip(skipped).take(more).collect();
            let numbered = sessions.iter().enumerate();
            let numbered = numbered.map(|(n, session)| (self.id(number + n + 1), session));
            let scenarios = dialect.scenarios(numbered)?;
            let first = number;
            number += more;
            progress.expect_more(more);
            let mut on_event = |event| match event {
                RunEvent::Started(id) => progress.started(id),
                RunEvent::Ended(mut run) => {
                    let at = number_of(&run.report.id).saturating_sub(first + 1);
                    let rerun = self.plan.rerun.explore_line(
                        &dialect.suite.dialect.id(),
                        self.start.seed,
                        first + at + 1,
                    );
                    let failed = complete(&mut run.report, &rerun, self.baseline);
                    run.sessions.clear();
                    progress.ended(&run, failed);
                    let session = sessions[at.min(sessions.len() - 1)].clone();
                    played.sessions.push(PlayedSession { session, run: *run });
                }
            };
            played.end = dialect
                .play(
                    scenarios,
                    &self.settings(),
                    self.surroundings,
                    &mut on_event,
                )
                .await;
        }
        if let SuiteEnd::NotStarted(why) = &played.end {
            return Err(CommandError::usage(why.as_str()));
        }
        played
            .sessions
            .sort_by(|a, b| a.run.report.id.cmp(&b.run.report.id));
        played.counts = walker.counts;
        Ok(played)
    }

    fn extent(&self) -> Extent {
        let ExploreArgs {
            sessions,
            time,
            session,
            ..
        } = self.args;
        match (time, session) {
            (Some(time), _) => Extent::Time(time.0),
            (None, Some(one)) => Extent::One(one.get()),
            (None, None) => Extent::Sessions(sessions.map_or(USUAL_SESSIONS, NonZeroUsize::get)),
        }
    }

    fn jobs(&self) -> NonZeroUsize {
        self.args.jobs.unwrap_or_else(usual_jobs)
    }

    /// The id of the session with this number.
    fn id(&self, number: usize) -> String {
        format!("explore/seed-{}/{number:05}", self.start.seed)
    }

    fn settings(&self) -> SuiteSettings {
        SuiteSettings {
            jobs: self.jobs(),
            smoke_first: false,
            max_fail: None,
            profile: self.args.profile.into(),
            time_scale: self.start.time_scale,
            settle: !self.start.no_settle,
            seed: self.start.seed,
            keep: KeepTranscripts::Nothing,
            with_frames: false,
            retry: RetryOptions::default(),
        }
    }
}

/// The number in the id of a session.
fn number_of(id: &str) -> usize {
    let last = id.rsplit('/').next().unwrap_or_default();
    last.parse().unwrap_or_default()
}

/// What the sessions of a dialect have walked, as a line.
fn summary(dialect: &ExploredDialect, played: &Played) -> (&'static str, String) {
    let (table, counts) = (&dialect.table, &played.counts);
    let moves = counts.moves_at_moments(table);
    let pairs = counts.moves_in_a_row(table);
    let data = counts.data_at_places(table);
    let text = format!(
        "{}: {} sessions; {} of {} moves at moments, {} of {} moves in a row, {} of {} classes of data at places",
        dialect.suite.dialect.id(),
        played.sessions.len(),
        moves.met,
        moves.all,
        pairs.met,
        pairs.all,
        data.met,
        data.all
    );
    ("Explored", text)
}
