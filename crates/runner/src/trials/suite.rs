//! The suite that trials are selected from: scenarios of a dialect, and the agent that plays them, with faults or without.

use super::engine::{DialectSuite, Engine, RunEvent, SuiteSettings, cores};
use super::retry::RetryOptions;
use super::scenario_run::ScenarioRun;
use super::transcripts::KeepTranscripts;
use super::{FaultsBy, TrialError};
use crate::agent::Agent;
use crate::mutation::fault_trace::FaultTrace;
use crate::mutation::kill_analysis::PlayedScenario;
use crate::sandbox_root::SandboxRoot;
use crate::scenario::Scenario;
use conform_judge::dialect::Dialect;
use conform_judge::frame::Body;
use conform_judge::profile::Profile;
use frame_faults::{parse_entry, parse_held};
use indexmap::IndexSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::sync::watch;

/// How many scenarios are played in parallel with one fault: most of the time is spent in timeouts.
const PARALLEL_SCENARIOS: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// The same without a fault, for each core: nothing else is played then.
const A_CORE: NonZeroUsize = NonZeroUsize::new(16).unwrap();
/// How often a scenario is played again while something is found without a fault: the load of the machine must not decide the result.
const RETRIES: u32 = 2;

/// The setting that makes the reference agent log where each of its faults would take effect.
pub(super) const REHEARSAL: &str = "*";

/// Scenarios of a dialect, and the agent that plays them.
pub struct TrialSuite {
    /// The agent.
    pub agent: Agent,
    /// What plays the faults.
    pub faults_by: FaultsBy,
    /// The dialect.
    pub dialect: Arc<Dialect>,
    /// The scenarios that can be selected.
    pub scenarios: Vec<Scenario>,
    /// The wire of the model; the recipe's first one if `None`.
    pub wire: Option<String>,
    /// Where and how they are played.
    pub engine: Engine,
}

impl TrialSuite {
    /// A suite with the usual wire and settings.
    pub fn new(
        agent: Agent,
        faults_by: FaultsBy,
        dialect: Arc<Dialect>,
        scenarios: Vec<Scenario>,
        sandboxes: Arc<SandboxRoot>,
    ) -> Self {
        let settings = SuiteSettings {
            jobs: PARALLEL_SCENARIOS,
            smoke_first: false,
            max_fail: None,
            settle: true,
            profile: Profile::Spec,
            time_scale: 1.0,
            seed: 0,
            retry: RetryOptions {
                retry_warnings: true,
                ..RetryOptions::default()
            },
            keep: KeepTranscripts::Nothing,
            with_frames: true,
        };
        TrialSuite {
            agent,
            faults_by,
            dialect,
            scenarios,
            wire: None,
            engine: Engine {
                sandboxes,
                cancelled: watch::channel(false).1,
                settings,
            },
        }
    }

    /// Whether a filter process plays the faults, and not the agent itself.
    pub(super) fn is_filtered(&self) -> bool {
        matches!(self.faults_by, FaultsBy::Filter(..))
    }

    /// The full id of a scenario.
    pub(super) fn id(&self, scenario: &Scenario) -> String {
        format!("{}/{}", self.dialect.id(), scenario.id)
    }

    /// The scenarios whose full ids are selected.
    pub(super) fn selected(&self, is_selected: impl Fn(&String) -> bool) -> Vec<Scenario> {
        let scenarios = self.scenarios.iter();
        let selected = scenarios.filter(|one| is_selected(&self.id(one)));
        selected.cloned().collect()
    }

    /// Plays scenarios with a fault, or without one. The results have the order of the scenarios, independent of which one ends first.
    ///
    /// # Errors
    /// The agent cannot be started.
    pub(super) async fn play(
        &self,
        fault: Option<&str>,
        scenarios: Vec<Scenario>,
        time_scale: f64,
    ) -> Result<Vec<ScenarioRun>, TrialError> {
        self.play_each(fault, scenarios, time_scale, &mut |_| ())
            .await
    }

    /// The same, and shows each result to `on_end` as it comes.
    pub(super) async fn play_each(
        &self,
        fault: Option<&str>,
        scenarios: Vec<Scenario>,
        time_scale: f64,
        on_end: &mut dyn FnMut(&mut ScenarioRun),
    ) -> Result<Vec<ScenarioRun>, TrialError> {
        if scenarios.is_empty() {
            return Ok(Vec::new());
        }
        let order: IndexSet<String> = scenarios.iter().map(|one| self.id(one)).collect();
        let suite = DialectSuite {
            agent: match fault {
                Some(fault) => self.faults_by.applied(&self.agent, fault),
                None => self.agent.clone(),
            },
            dialect: Arc::clone(&self.dialect),
            wire: self.wire.clone(),
            moments: None,
            scenarios,
        };
        let mut engine = self.engine.clone();
        let settings = &mut engine.settings;
        settings.time_scale = time_scale;
        if fault.is_none() {
            settings.jobs = settings.jobs.max(cores().saturating_mul(A_CORE));
            settings.retry.max_retries = settings.retry.max_retries.max(RETRIES);
        }
        let mut runs = Vec::new();
        let mut on_event = |event| {
            if let RunEvent::Ended(mut run) = event {
                on_end(&mut run);
                runs.push(*run);
            }
        };
        engine.play(vec![suite], &mut on_event).await?;
        runs.sort_by_key(|run| order.get_index_of(&run.report.id));
        Ok(runs)
    }

    /// Plays scenarios with a fault, and finds out where it took effect.
    pub(super) async fn attempt(
        &self,
        fault: &str,
        scenarios: Vec<Scenario>,
        time_scale: f64,
    ) -> Result<Vec<PlayedScenario>, TrialError> {
        let runs = self.play(Some(fault), scenarios, time_scale).await?;
        let played = runs.into_iter().map(|run| {
            let sessions = run.sessions.iter();
            let traces =
                sessions.map(|one| FaultTrace::read(&one.frames, &self.dialect, Some(fault)));
            PlayedScenario {
                id: run.report.id,
                traces: traces.collect(),
                findings: run.report.findings,
            }
        });
        Ok(played.collect())
    }
}

/// The faults that the logs of a played scenario name.
pub(super) fn logged(run: &ScenarioRun) -> impl Iterator<Item = String> {
    let frames = run.sessions.iter().flat_map(|session| &session.frames);
    frames.filter_map(|one| {
        let Body::Stderr(line) = &one.frame.body else {
            return None;
        };
        let text = line.text();
        let (id, _) = parse_entry(&text).or_else(|| parse_held(&text))?;
        Some(id.to_owned())
    })
}
