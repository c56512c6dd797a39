//! The engine of all trials: plays scenarios in parallel, as many at a time as the settings allow, and reports each as it ends.

use super::pace::Pace;
use super::queue::{PlayQueue, QueuedScenario};
use super::retry::{RetryOptions, play_with_retries};
use super::scenario_run::ScenarioRun;
use super::transcripts::KeepTranscripts;
use crate::agent::Agent;
use crate::explore::MoveTable;
use crate::play::context::SuiteContext;
use crate::process::spawn_error::SpawnError;
use crate::sandbox_root::SandboxRoot;
use crate::scenario::Scenario;
use conform_judge::dialect::Dialect;
use conform_judge::profile::Profile;
use conform_report::Verdict;
use std::collections::HashMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, watch};
use tokio::task::{Id, JoinError, JoinSet};

/// Where and how scenarios are played.
#[derive(Debug, Clone)]
pub struct Engine {
    /// Where agents are started.
    pub sandboxes: Arc<SandboxRoot>,
    /// When it turns true, agents are killed and the remaining scenarios are not played.
    pub cancelled: watch::Receiver<bool>,
    /// How scenarios are played.
    pub settings: SuiteSettings,
}

/// The scenarios of one dialect, and the agent that they are played with.
#[derive(Debug, Clone)]
pub struct DialectSuite {
    /// The agent.
    pub agent: Agent,
    /// The dialect that it must speak.
    pub dialect: Arc<Dialect>,
    /// The wire that the model is served over unless a scenario names another; the recipe's first if `None`.
    pub wire: Option<String>,
    /// The moments of the dialect, by which findings get their situations; `None` if they are not needed.
    pub moments: Option<Arc<MoveTable>>,
    /// The scenarios to play.
    pub scenarios: Vec<Scenario>,
}

/// How a suite is played.
#[derive(Debug, Clone)]
pub struct SuiteSettings {
    /// How many scenarios are played in parallel at most.
    pub jobs: NonZeroUsize,
    /// Whether the smoke scenario of a dialect is played first, and the others only if it has no violation that the baseline does not know.
    pub smoke_first: bool,
    /// After how many failed scenarios the rest is left out.
    pub max_fail: Option<NonZeroU32>,
    /// How severe findings are.
    pub profile: Profile,
    /// The factor by which all timeout budgets are stretched.
    pub time_scale: f64,
    /// Whether waits end early when nothing more can come.
    pub settle: bool,
    /// The seed of everything random.
    pub seed: u64,
    /// Which transcripts are kept, and where.
    pub keep: KeepTranscripts,
    /// Whether the result of a scenario has its frames.
    pub with_frames: bool,
    /// Which failures are retried, and how often.
    pub retry: RetryOptions,
}

/// What happens in a run.
#[derive(Debug)]
pub enum RunEvent {
    /// A scenario has been started: its id.
    Started(String),
    /// A scenario has ended, or was left out.
    Ended(Box<ScenarioRun>),
    /// The machine is too busy for the agent, for the first time: a sentence. From now on fewer scenarios are played at a time.
    Busy(String),
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuiteEnd {
    /// Every scenario was played.
    Complete,
    /// The run was interrupted before so many scenarios were started.
    Interrupted(usize),
    /// Scenarios failed, so others were left out.
    CutShort,
}

/// Why scenarios are left out after the smoke scenario has failed.
pub const SMOKE_FAILED: &str = "smoke failed";
/// Why scenarios are left out after too many have failed.
const TOO_MANY_FAILED: &str = "not played: too many scenarios failed before";

impl Engine {
    /// Plays every scenario of these suites, and reports what happens to `on_event`.
    ///
    /// # Errors
    /// The agent cannot be started.
    pub async fn play(
        &self,
        suites: Vec<DialectSuite>,
        on_event: &mut dyn FnMut(RunEvent),
    ) -> Result<SuiteEnd, SpawnError> {
        let (queue, _) = self.queue(suites);
        self.play_queue(queue, &mut || None, on_event).await
    }

    /// Plays scenarios that are made when they can be started: `make` is asked for the next one until it has none, and those of the suite
    /// come first.
    ///
    /// # Errors
    /// The agent cannot be started.
    pub(super) async fn play_made(
        &self,
        suite: DialectSuite,
        make: &mut dyn FnMut() -> Option<Scenario>,
        on_event: &mut dyn FnMut(RunEvent),
    ) -> Result<SuiteEnd, SpawnError> {
        let (queue, contexts) = self.queue(vec![suite]);
        let make = &mut || {
            let (context, scenario) = (contexts.first()?, make()?);
            Some(QueuedScenario {
                context: Arc::clone(context),
                scenario: Arc::new(scenario),
                again: false,
            })
        };
        self.play_queue(queue, make, on_event).await
    }

    async fn play_queue(
        &self,
        queue: PlayQueue,
        make: &mut dyn FnMut() -> Option<QueuedScenario>,
        on_event: &mut dyn FnMut(RunEvent),
    ) -> Result<SuiteEnd, SpawnError> {
        let mut run = Run {
            queue,
            make,
            settings: &self.settings,
            pace: Pace::new(self.settings.jobs.get()),
            playing: JoinSet::new(),
            started: HashMap::new(),
            failed: 0,
            end: Ok(SuiteEnd::Complete),
            on_event,
        };
        loop {
            while !*self.cancelled.borrow() && run.start_next() {}
            match run.playing.join_next_with_id().await {
                None => break,
                Some(Ok((id, played))) => run.ended(id, played),
                Some(Err(error)) => run.panicked(error),
            }
        }
        if *self.cancelled.borrow() {
            return Ok(SuiteEnd::Interrupted(run.queue.drain().len()));
        }
        run.end
    }

    /// The scenarios of these suites, and the context of each suite.
    fn queue(&self, suites: Vec<DialectSuite>) -> (PlayQueue, Vec<Arc<SuiteContext>>) {
        let (mut queue, mut contexts) = (PlayQueue::default(), Vec::new());
        let settings = Arc::new(self.settings.clone());
        let starting = Arc::new(Semaphore::new(2 * cores().get()));
        let busy = Arc::default();
        for suite in suites {
            let context = SuiteContext {
                agent: suite.agent,
                dialect: suite.dialect,
                wire: suite.wire,
                moments: suite.moments,
                settings: Arc::clone(&settings),
                sandboxes: Arc::clone(&self.sandboxes),
                starting: Arc::clone(&starting),
                busy: Arc::clone(&busy),
                cancel: self.cancelled.clone(),
            };
            let context = Arc::new(context);
            queue.add(Arc::clone(&context), suite.scenarios);
            contexts.push(context);
        }
        (queue, contexts)
    }
}

/// The state of a run.
struct Run<'a> {
    queue: PlayQueue,
    /// Makes another scenario when the queue is empty.
    make: &'a mut dyn FnMut() -> Option<QueuedScenario>,
    settings: &'a SuiteSettings,
    pace: Pace,
    playing: JoinSet<Result<ScenarioRun, SpawnError>>,
    started: HashMap<Id, Started>,
    /// How many scenarios have failed.
    failed: u32,
    end: Result<SuiteEnd, SpawnError>,
    on_event: &'a mut dyn FnMut(RunEvent),
}

/// A scenario that is being played.
struct Started {
    queued: QueuedScenario,
    at: Instant,
    /// How many scenarios were played in parallel when it was started.
    jobs: usize,
}

impl Run<'_> {
    /// Starts the next scenario if the limit allows it; false if none was started.
    fn start_next(&mut self) -> bool {
        if self.playing.len() >= self.pace.jobs() {
            return false;
        }
        let Some(queued) = self.queue.next().or_else(&mut *self.make) else {
            return false;
        };
        (self.on_event)(RunEvent::Started(queued.id()));
        let (context, scenario) = (Arc::clone(&queued.context), Arc::clone(&queued.scenario));
        let play = play_with_retries(context, scenario);
        let started = Started {
            queued,
            at: Instant::now(),
            jobs: self.pace.jobs(),
        };
        self.started.insert(self.playing.spawn(play).id(), started);
        true
    }

    fn panicked(&mut self, error: JoinError) {
        let id = error.id();
        if let Some(Started { queued, .. }) = self.started.get(&id) {
            let why = format!("conform itself failed: {error}");
            let broken = queued.unplayed(Verdict::Broken, why);
            let played = true;
            self.ended(id, Ok(ScenarioRun { played, ..broken }));
        }
    }

    /// Reports a scenario that has ended, and leaves others out if it decides that.
    fn ended(&mut self, id: Id, played: Result<ScenarioRun, SpawnError>) {
        let Some(Started { queued, at, jobs }) = self.started.remove(&id) else {
            return;
        };
        let entry = match played {
            Ok(run) => run,
            Err(error) => {
                self.queue.drain();
                self.end = Err(error);
                return;
            }
        };
        if let Some(why) = &entry.starved {
            let was_alone = jobs == 1 || self.playing.is_empty() && !self.pace.is_busy();
            self.starved(jobs, why);
            if !was_alone && !queued.again {
                let _ = self.queue.note_end(&queued, false);
                self.queue.play_again(queued);
                return;
            }
        } else {
            self.took(at.elapsed());
        }
        let is_failure = self.settings.retry.is_failure(&entry.report);
        (self.on_event)(RunEvent::Ended(Box::new(entry)));

        let left_out = self.queue.note_end(&queued, is_failure);
        self.leave_out(left_out, SMOKE_FAILED);
        self.failed += u32::from(is_failure);
        let most = self.settings.max_fail;
        if most.is_some_and(|most| self.failed >= most.get()) {
            let rest = self.queue.drain();
            self.leave_out(rest, TOO_MANY_FAILED);
        }
    }

    /// Notes how long a scenario took, which sets how many are played at a time.
    fn took(&mut self, time: Duration) {
        if self.settings.smoke_first && self.started.is_empty() {
            self.pace.smoke_took(time);
        } else {
            self.pace.took(time);
        }
    }

    /// Plays fewer scenarios at a time after one that was started as one of `jobs`.
    fn starved(&mut self, jobs: usize, why: &str) {
        if !self.pace.is_busy() {
            (self.on_event)(RunEvent::Busy(why.to_owned()));
        }
        self.pace.starved(jobs);
    }

    fn leave_out(&mut self, scenarios: Vec<QueuedScenario>, why: &str) {
        if !scenarios.is_empty() {
            self.end = Ok(SuiteEnd::CutShort);
        }
        for queued in scenarios {
            let entry = queued.unplayed(Verdict::Skipped, why);
            (self.on_event)(RunEvent::Ended(Box::new(entry)));
        }
    }
}

/// How many cores this process may use.
pub fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
