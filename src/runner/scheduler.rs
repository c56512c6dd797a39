//! Plays many scenarios, several at a time, and tells of each as it ends.

use super::agent::Agent;
use super::play::context::SuiteContext;
use super::play::scenario_result::ScenarioResult;
use super::retry::{Attempts, RetryPolicy, first, kept, reported, tries};
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
    /// The dialect that it is to speak.
    pub dialect: Arc<Dialect>,
    /// The wire of the recipe that the model is served over, where a scenario does not say; the recipe's first if `None`.
    pub wire: Option<String>,
    /// What is played.
    pub scenarios: Vec<Scenario>,
}

/// How a suite is played.
#[derive(Debug, Clone)]
pub struct SuiteSettings {
    /// How many scenarios are played at a time.
    pub jobs: usize,
    /// How hard levels are taken.
    pub profile: Profile,
    /// By how much all budgets are stretched.
    pub time_scale: f64,
    /// The seed of everything random.
    pub seed: u64,
    /// Which transcripts are kept, and where.
    pub keep: KeepTranscripts,
    /// What is played again, and how often.
    pub again: RetryPolicy,
}

/// A scenario that was played, or was left out.
#[derive(Debug, Clone)]
pub struct ScenarioRun {
    /// For the report.
    pub report: ScenarioReport,
    /// The transcripts that were kept, one a life of the agent.
    pub transcripts: Vec<PathBuf>,
    /// For each finding of the report the life of the agent, from 0, in which it was found.
    pub sessions: Vec<usize>,
    /// What it exercised.
    pub exercised: Exercised,
    /// Whether the agent wrote any event of its dialect.
    pub spoke: bool,
    /// Whether the agent came as far as a turn.
    pub turn: bool,
    /// Whether the scenario scripts the model, and so means the agent to come as far as a turn.
    pub wants_turn: bool,
    /// From the first preparation to the last clearing up.
    pub wall: Duration,
    /// How much of that no agent was alive: what the harness itself costs.
    pub overhead: Duration,
}

/// A suite came to its end, or was ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SuiteEnd {
    /// Every scenario was played.
    Complete,
    /// The run was interrupted.
    Interrupted,
    /// The agent never wrote an event in any of the first scenarios, and the rest was left out.
    Silent,
    /// The agent could not be started; the sentence says why.
    NotStarted(String),
}

/// One scenario that waits for its turn.
struct Waiting {
    suite: Arc<SuiteContext>,
    scenario: Arc<Scenario>,
}

impl Waiting {
    fn id(&self) -> String {
        format!("{}/{}", self.suite.dialect.id(), self.scenario.id)
    }
}

/// Plays every scenario, and hands over each as it ends. `cancel` turning true ends the run: agents are killed, and what was not
/// played is left out.
pub async fn run(
    parts: Vec<DialectSuite>,
    settings: &SuiteSettings,
    sandboxes: Arc<SandboxRoot>,
    cancel: watch::Receiver<bool>,
    hand_over: &mut dyn FnMut(ScenarioRun),
) -> SuiteEnd {
    let mut queue: VecDeque<Waiting> = VecDeque::new();
    for part in parts {
        let suite = Arc::new(SuiteContext {
            agent: part.agent,
            dialect: part.dialect,
            wire: part.wire,
            profile: settings.profile,
            time_scale: settings.time_scale,
            seed: settings.seed,
            sandboxes: Arc::clone(&sandboxes),
            cancel: cancel.clone(),
        });
        queue.extend(part.scenarios.into_iter().map(|scenario| Waiting {
            suite: Arc::clone(&suite),
            scenario: Arc::new(scenario),
        }));
    }
    let again = Arc::new(settings.again.clone());
    let jobs = settings.jobs.max(1);
    let patience = MUTE_SCENARIOS.max(jobs);
    let mut playing = JoinSet::new();
    let mut names: HashMap<Id, Waiting> = HashMap::new();
    let (mut mute, mut ended) = (Some(0), SuiteEnd::Complete);
    loop {
        while playing.len() < jobs && ended == SuiteEnd::Complete && !*cancel.borrow() {
            let Some(waiting) = queue.pop_front() else {
                break;
            };
            let (suite, scenario) = (Arc::clone(&waiting.suite), Arc::clone(&waiting.scenario));
            let handle = playing.spawn(tries(suite, scenario, Arc::clone(&again)));
            names.insert(handle.id(), waiting);
        }
        let Some(joined) = playing.join_next_with_id().await else {
            break;
        };
        let (waiting, played) = match joined {
            Ok((id, played)) => (names.remove(&id), played),
            Err(error) => (
                names.remove(&error.id()),
                Ok(Attempts::only(ScenarioResult::broken(
                    crash(error),
                    Duration::ZERO,
                ))),
            ),
        };
        let Some(waiting) = waiting else { continue };
        match played {
            Err(why) => ended = SuiteEnd::NotStarted(why),
            Ok(played) => {
                let entry = entry(&waiting, played, settings);
                let silent = !entry.spoke && FAILURES.contains(&entry.report.verdict);
                mute = mute.filter(|_| silent).map(|before| before + 1);
                hand_over(entry);
                if ended == SuiteEnd::Complete && mute.is_some_and(|mute| mute >= patience) {
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
        for waiting in queue {
            hand_over(left_out(&waiting));
        }
    }
    ended
}

/// What an agent without a word comes to.
const FAILURES: [Verdict; 2] = [Verdict::Fail, Verdict::Inconclusive];
/// How many scenarios an agent may spend without a word before the rest is left out.
const MUTE_SCENARIOS: usize = 3;

fn entry(waiting: &Waiting, tries: Attempts, settings: &SuiteSettings) -> ScenarioRun {
    let id = waiting.id();
    let (wall, overhead) = tries.spent();
    let Attempts {
        earlier,
        last: mut played,
    } = tries;
    let transcripts = kept(&settings.keep, &id, played.verdict, &played.transcripts);
    let began = std::time::Instant::now();
    played.clear();
    let clearing = began.elapsed();
    tracing::debug!(id, ?wall, ?overhead, ?clearing, "played");
    let passed = matches!(played.verdict, Verdict::Pass | Verdict::Skipped);
    ScenarioRun {
        spoke: played.spoke || earlier.iter().any(|one| one.spoke),
        turn: played.turn || earlier.iter().any(|one| one.turn),
        report: ScenarioReport {
            verdict: played.verdict,
            reason: played.reason,
            flaky: !earlier.is_empty() && verdict_rules::is_flaky(played.verdict),
            tries: reported(&id, earlier, &settings.keep),
            id,
            duration_ms: u64::try_from((played.wall + clearing).as_millis()).unwrap_or(u64::MAX),
            frames: played.frames,
            findings: played.findings,
            findings_dropped: played.findings_dropped,
            transcript: first(&transcripts),
            stderr: if passed { Vec::new() } else { played.stderr },
        },
        transcripts,
        sessions: played.sessions,
        exercised: played.exercised,
        wants_turn: wants_turn(&waiting.scenario),
        wall: wall + clearing,
        overhead: overhead + clearing,
    }
}

fn left_out(waiting: &Waiting) -> ScenarioRun {
    let why = "not played: the agent wrote nothing in the scenarios before";
    ScenarioRun {
        report: ScenarioReport {
            id: waiting.id(),
            verdict: Verdict::Inconclusive,
            reason: why.to_owned(),
            ..ScenarioReport::default()
        },
        transcripts: Vec::new(),
        sessions: Vec::new(),
        exercised: Exercised::default(),
        spoke: false,
        turn: false,
        wants_turn: wants_turn(&waiting.scenario),
        wall: Duration::ZERO,
        overhead: Duration::ZERO,
    }
}

fn wants_turn(scenario: &Scenario) -> bool {
    scenario
        .model
        .as_array()
        .is_some_and(|replies| !replies.is_empty())
}

fn crash(error: JoinError) -> String {
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
