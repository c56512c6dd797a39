//! Plays scenarios of a dialect with a fault of the tested agent, and reads where the fault took effect.

use super::tested_agent::TestedAgent;
use conform_judge::dialect::Dialect;
use conform_judge::profile::Profile;
use conform_runner::mutation::fault_trace::FaultTrace;
use conform_runner::mutation::kill_analysis::PlayedScenario;
use conform_runner::retry::RetryOptions;
use conform_runner::sandbox_root::SandboxRoot;
use conform_runner::scenario::Scenario;
use conform_runner::scenario_run::ScenarioRun;
use conform_runner::scheduler::{self, DialectSuite, RunEvent, SuiteEnd, SuiteSettings};
use conform_runner::transcripts::KeepTranscripts;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use tokio::sync::watch;

/// How many scenarios are played in parallel with one fault: most of the time is spent in timeouts.
const PARALLEL_SCENARIOS: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// The suite of a dialect, and the agent that it is played with.
pub(in crate::cli) struct SuitePlayer {
    pub(super) agent: TestedAgent,
    pub(super) dialect: Arc<Dialect>,
    pub(in crate::cli) scenarios: Vec<Scenario>,
    /// The wire of the model; the recipe's first one if `None`.
    pub(super) wire: Option<String>,
    pub(super) sandboxes: Arc<SandboxRoot>,
    /// How many scenarios are played in parallel.
    pub(super) jobs: NonZeroUsize,
    /// How often a scenario is played again while something is found.
    pub(super) retries: u32,
    /// After how many failed scenarios the rest is left out.
    pub(super) max_fail: Option<NonZeroU32>,
}

impl SuitePlayer {
    /// A player of faults, with the usual wire.
    pub(super) fn new(
        agent: TestedAgent,
        dialect: Arc<Dialect>,
        scenarios: Vec<Scenario>,
        sandboxes: Arc<SandboxRoot>,
    ) -> Self {
        SuitePlayer {
            agent,
            dialect,
            scenarios,
            wire: None,
            sandboxes,
            jobs: PARALLEL_SCENARIOS,
            retries: 0,
            max_fail: None,
        }
    }

    /// The full id of a scenario.
    pub(super) fn id(&self, scenario: &Scenario) -> String {
        format!("{}/{}", self.dialect.id(), scenario.id)
    }

    /// Plays a fault in the selected scenarios.
    pub(super) async fn attempt(
        &self,
        fault: &str,
        selected: &dyn Fn(&String) -> bool,
        time_scale: f64,
    ) -> Result<Vec<PlayedScenario>, String> {
        let scenarios = self.scenarios.iter().filter(|s| selected(&self.id(s)));
        let scenarios: Vec<Scenario> = scenarios.cloned().collect();
        if scenarios.is_empty() {
            return Ok(Vec::new());
        }
        let entries = self.play(Some(fault), scenarios, time_scale).await?;
        let played = entries.into_iter().map(|entry| self.played(fault, entry));
        Ok(played.collect())
    }

    fn played(&self, fault: &str, entry: ScenarioRun) -> PlayedScenario {
        let own = |(id, line): (&str, u64)| (id == fault).then_some(line);
        let played_at = |text: &str| frame_faults::parse_entry(text).and_then(own);
        let held_at = |text: &str| frame_faults::parse_held(text).and_then(own);
        let traces = entry.frames.iter();
        let traces =
            traces.map(|frames| FaultTrace::read(frames, &self.dialect, played_at, held_at));
        PlayedScenario {
            id: entry.report.id,
            findings: entry.report.findings,
            traces: traces.collect(),
        }
    }

    /// Plays scenarios with a fault, or without one.
    pub(in crate::cli) async fn play(
        &self,
        fault: Option<&str>,
        scenarios: Vec<Scenario>,
        time_scale: f64,
    ) -> Result<Vec<ScenarioRun>, String> {
        let agent = self.agent.with_fault(fault, &self.dialect);
        let part = DialectSuite {
            agent: agent.map_err(|error| error.to_string())?,
            dialect: Arc::clone(&self.dialect),
            wire: self.wire.clone(),
            moments: None,
            scenarios,
        };
        let settings = SuiteSettings {
            jobs: self.jobs,
            smoke_first: false,
            max_fail: self.max_fail,
            settle: true,
            profile: Profile::Spec,
            time_scale,
            seed: 0,
            retry: RetryOptions {
                max_retries: self.retries,
                retry_warnings: true,
                baseline: None,
            },
            keep: KeepTranscripts::Nothing,
            with_frames: true,
        };
        let (_keep, cancelled) = watch::channel(false);
        let mut entries = Vec::new();
        let ended = scheduler::run(
            vec![part],
            &settings,
            Arc::clone(&self.sandboxes),
            cancelled,
            &mut |event| {
                if let RunEvent::Ended(entry) = event {
                    entries.push(*entry);
                }
            },
        )
        .await;
        match ended {
            SuiteEnd::NotStarted(why) => Err(why),
            SuiteEnd::Complete | SuiteEnd::CutShort | SuiteEnd::Interrupted(_) => Ok(entries),
        }
    }
}

/// Runs tasks at once, and gives their results in the order of the tasks.
pub(super) async fn in_order<T: 'static>(
    tasks: impl Iterator<Item: Future<Output = Result<T, String>> + 'static>,
) -> Result<Vec<T>, String> {
    let tasks: Vec<_> = tasks.map(tokio::task::spawn_local).collect();
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.map_err(|error| error.to_string())??);
    }
    Ok(results)
}
