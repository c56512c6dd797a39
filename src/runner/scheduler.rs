//! The scheduler: plays the scenarios of a run in parallel, a number of jobs at a time, and hands over the result of each as it ends.

use super::agent::Agent;
use super::play::context::SuiteContext;
use super::play::scenario_result::ScenarioResult;
use super::retry::{
    Attempts, RetryOptions, failed_attempts, first_path, play_with_retries, store_transcripts,
};
use super::sandbox::SandboxRoot;
use super::transcripts::KeepTranscripts;
use crate::dialect::Dialect;
use crate::profile::Profile;
use crate::report::Exercised;
use crate::report::ScenarioReport;
use crate::report::Verdict;
use crate::report::verdict_rules;
use crate::scenario::Scenario;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{Id, JoinError, JoinSet};

/// The scenarios of one dialect, and the agent that they are played with.
#[derive(Debug, Clone)]
pub struct DialectSuite {
    /// The agent.
    pub agent: Agent,
    /// The dialect that it must speak.
    pub dialect: Arc<Dialect>,
    /// The wire that the model is served over unless a scenario names another; the recipe's first if `None`.
    pub wire: Option<String>,
    /// The scenarios to play.
    pub scenarios: Vec<Scenario>,
}

/// How a suite is played.
#[derive(Debug, Clone)]
pub struct SuiteSettings {
    /// How many scenarios are played in parallel.
    pub jobs: usize,
    /// How severe findings are.
    pub profile: Profile,
    /// The factor by which all timeout budgets are stretched.
    pub time_scale: f64,
    /// The seed of everything random.
    pub seed: u64,
    /// Which transcripts are kept, and where.
    pub keep: KeepTranscripts,
    /// Which failures are retried, and how often.
    pub retry: RetryOptions,
}

/// A scenario that was played, or left out of a run that ended early.
#[derive(Debug, Clone)]
pub struct ScenarioRun {
    /// Its part of the report.
    pub report: ScenarioReport,
    /// The stored transcripts, one for each session.
    pub transcripts: Vec<PathBuf>,
    /// For each finding of the report the number of its session, from 0.
    pub sessions: Vec<usize>,
    /// What it exercised.
    pub exercised: Exercised,
    /// Whether the agent wrote any event of its dialect.
    pub spoke: bool,
    /// Whether the agent began a turn.
    pub turn: bool,
    /// Whether the scenario scripts the model, so that the agent should begin a turn.
    pub expects_turn: bool,
    /// The time from the first preparation to the last cleanup.
    pub wall: Duration,
    /// The part of that time in which no agent was running: the overhead of the harness.
    pub overhead: Duration,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SuiteEnd {
    /// Every scenario was played.
    Complete,
    /// The run was interrupted.
    Interrupted,
    /// The agent wrote no event in any of the first scenarios, and the rest was left out.
    Silent,
    /// The agent could not be started; the sentence says why.
    NotStarted(String),
}

/// A scenario in the queue of the scheduler.
struct QueuedScenario {
    context: Arc<SuiteContext>,
    scenario: Arc<Scenario>,
}

impl QueuedScenario {
    fn id(&self) -> String {
        format!("{}/{}", self.context.dialect.id(), self.scenario.id)
    }
}

/// Plays every scenario, and hands over the result of each as it ends. When `cancel` turns true, agents are killed and the remaining
/// scenarios are not played.
pub async fn run(
    suites: Vec<DialectSuite>,
    settings: &SuiteSettings,
    sandboxes: Arc<SandboxRoot>,
    cancel: watch::Receiver<bool>,
    on_result: &mut dyn FnMut(ScenarioRun),
) -> SuiteEnd {
    let mut queue: VecDeque<QueuedScenario> = VecDeque::new();
    for suite in suites {
        let context = Arc::new(SuiteContext {
            agent: suite.agent,
            dialect: suite.dialect,
            wire: suite.wire,
            profile: settings.profile,
            time_scale: settings.time_scale,
            seed: settings.seed,
            sandboxes: Arc::clone(&sandboxes),
            cancel: cancel.clone(),
        });
        queue.extend(suite.scenarios.into_iter().map(|scenario| QueuedScenario {
            context: Arc::clone(&context),
            scenario: Arc::new(scenario),
        }));
    }
    let retry = Arc::new(settings.retry.clone());
    let jobs = settings.jobs.max(1);
    let silent_limit = SILENT_SCENARIOS.max(jobs);
    let mut playing = JoinSet::new();
    let mut names: HashMap<Id, QueuedScenario> = HashMap::new();
    let (mut silent_so_far, mut ended) = (Some(0), SuiteEnd::Complete);
    loop {
        while playing.len() < jobs && ended == SuiteEnd::Complete && !*cancel.borrow() {
            let Some(queued) = queue.pop_front() else {
                break;
            };
            let (context, scenario) = (Arc::clone(&queued.context), Arc::clone(&queued.scenario));
            let handle = playing.spawn(play_with_retries(context, scenario, Arc::clone(&retry)));
            names.insert(handle.id(), queued);
        }
        let Some(joined) = playing.join_next_with_id().await else {
            break;
        };
        let (queued, played) = match joined {
            Ok((id, played)) => (names.remove(&id), played),
            Err(error) => (
                names.remove(&error.id()),
                Ok(Attempts::only(ScenarioResult::broken(
                    describe_panic(error),
                    Duration::ZERO,
                ))),
            ),
        };
        let Some(queued) = queued else { continue };
        match played {
            Err(why) => ended = SuiteEnd::NotStarted(why),
            Ok(played) => {
                let entry = entry(&queued, played, settings);
                let is_silent = !entry.spoke && SILENT_VERDICTS.contains(&entry.report.verdict);
                silent_so_far = silent_so_far.filter(|_| is_silent).map(|before| before + 1);
                on_result(entry);
                if ended == SuiteEnd::Complete
                    && silent_so_far.is_some_and(|silent| silent >= silent_limit)
                {
                    ended = SuiteEnd::Silent;
                }
            }
        }
    }
    if *cancel.borrow() {
        return SuiteEnd::Interrupted;
    }
    if ended == SuiteEnd::Silent && queue.is_empty() {
        return SuiteEnd::Complete;
    }
    if ended == SuiteEnd::Silent {
        for queued in queue {
            on_result(left_out(&queued));
        }
    }
    ended
}

/// The verdicts of a scenario in which the agent wrote nothing.
const SILENT_VERDICTS: [Verdict; 2] = [Verdict::Fail, Verdict::Inconclusive];
/// After how many scenarios without an event of the agent the rest is left out.
const SILENT_SCENARIOS: usize = 3;

fn entry(queued: &QueuedScenario, attempts: Attempts, settings: &SuiteSettings) -> ScenarioRun {
    let id = queued.id();
    let (wall, overhead) = attempts.times();
    let Attempts {
        failed,
        last: mut played,
    } = attempts;
    let transcripts = store_transcripts(&settings.keep, &id, played.verdict, &played.transcripts);
    let began = std::time::Instant::now();
    played.remove_sandbox();
    let cleanup = began.elapsed();
    tracing::debug!(id, ?wall, ?overhead, ?cleanup, "played");
    let passed = matches!(played.verdict, Verdict::Pass | Verdict::Skipped);
    ScenarioRun {
        spoke: played.spoke || failed.iter().any(|one| one.spoke),
        turn: played.turn || failed.iter().any(|one| one.turn),
        report: ScenarioReport {
            verdict: played.verdict,
            reason: played.reason,
            flaky: !failed.is_empty() && verdict_rules::is_flaky(played.verdict),
            tries: failed_attempts(&id, failed, &settings.keep),
            id,
            duration_ms: u64::try_from((played.wall + cleanup).as_millis()).unwrap_or(u64::MAX),
            frames: played.frames,
            findings: played.findings,
            findings_dropped: played.findings_dropped,
            excerpt: played.excerpt,
            transcript: first_path(&transcripts),
            stderr: if passed { Vec::new() } else { played.stderr },
        },
        transcripts,
        sessions: played.sessions,
        exercised: played.exercised,
        expects_turn: expects_turn(&queued.scenario),
        wall: wall + cleanup,
        overhead: overhead + cleanup,
    }
}

fn left_out(queued: &QueuedScenario) -> ScenarioRun {
    let why = "not played: the agent wrote nothing in the scenarios before";
    ScenarioRun {
        report: ScenarioReport {
            id: queued.id(),
            verdict: Verdict::Inconclusive,
            reason: why.to_owned(),
            ..ScenarioReport::default()
        },
        transcripts: Vec::new(),
        sessions: Vec::new(),
        exercised: Exercised::default(),
        spoke: false,
        turn: false,
        expects_turn: expects_turn(&queued.scenario),
        wall: Duration::ZERO,
        overhead: Duration::ZERO,
    }
}

fn expects_turn(scenario: &Scenario) -> bool {
    scenario
        .model
        .as_array()
        .is_some_and(|replies| !replies.is_empty())
}

fn describe_panic(error: JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => {
            let said = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied());
            format!("conform itself failed: {}", said.unwrap_or("it panicked"))
        }
        Err(error) => format!("conform itself failed: {error}"),
    }
}
