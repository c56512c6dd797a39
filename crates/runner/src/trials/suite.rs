//! The suite that trials are selected from: scenarios of a dialect, and the agent that plays them, with faults or without.

use crate::agent::Agent;
use crate::mutation::fault_trace::FaultTrace;
use crate::mutation::kill_analysis::PlayedScenario;
use crate::retry::RetryOptions;
use crate::sandbox_root::SandboxRoot;
use crate::scenario::Scenario;
use crate::scenario_run::ScenarioRun;
use crate::scheduler::{self, DialectSuite, RunEvent, SuiteEnd, SuiteSettings, cores};
use crate::transcripts::KeepTranscripts;
use conform_judge::dialect::Dialect;
use conform_judge::frame::Body;
use conform_judge::profile::Profile;
use frame_faults::{parse_entry, parse_held};
use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::sync::watch;

/// How many scenarios are played in parallel with one fault: most of the time is spent in timeouts.
const PARALLEL_SCENARIOS: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// The same without a fault, for each core: nothing else is played then.
const A_CORE: NonZeroUsize = NonZeroUsize::new(12).unwrap();
/// How often a scenario is played again while something is found without a fault: a busy machine must not decide.
const RETRIES: u32 = 2;

/// The agent of trials.
pub trait TestedAgent {
    /// How it is started with a fault, or without one.
    ///
    /// # Errors
    /// What must be known of this process is not known.
    fn with_fault(&self, fault: Option<&str>, dialect: &Dialect) -> io::Result<Agent>;

    /// Whether a filter process plays the faults, and not the agent itself.
    fn is_filtered(&self) -> bool;
}

/// Scenarios of a dialect, and the agent that plays them.
pub struct TrialSuite {
    /// The agent.
    pub agent: Box<dyn TestedAgent>,
    /// The dialect.
    pub dialect: Arc<Dialect>,
    /// The scenarios that can be selected.
    pub scenarios: Vec<Scenario>,
    /// The wire of the model; the recipe's first one if `None`.
    pub wire: Option<String>,
    /// Where agents are started.
    pub sandboxes: Arc<SandboxRoot>,
    /// How scenarios are played.
    pub settings: SuiteSettings,
}

impl TrialSuite {
    /// A suite with the usual wire and settings.
    pub fn new(
        agent: Box<dyn TestedAgent>,
        dialect: Arc<Dialect>,
        scenarios: Vec<Scenario>,
        sandboxes: Arc<SandboxRoot>,
    ) -> Self {
        TrialSuite {
            agent,
            dialect,
            scenarios,
            wire: None,
            sandboxes,
            settings: SuiteSettings {
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
            },
        }
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

    /// Plays scenarios with a fault, or without one.
    ///
    /// # Errors
    /// A sentence that says why the agent cannot be started.
    pub async fn play(
        &self,
        fault: Option<&str>,
        scenarios: Vec<Scenario>,
        time_scale: f64,
    ) -> Result<Vec<ScenarioRun>, String> {
        if scenarios.is_empty() {
            return Ok(Vec::new());
        }
        let agent = self.agent.with_fault(fault, &self.dialect);
        let part = DialectSuite {
            agent: agent.map_err(|error| error.to_string())?,
            dialect: Arc::clone(&self.dialect),
            wire: self.wire.clone(),
            moments: None,
            scenarios,
        };
        let mut settings = SuiteSettings {
            time_scale,
            ..self.settings.clone()
        };
        if fault.is_none() {
            settings.jobs = settings.jobs.max(cores().saturating_mul(A_CORE));
            settings.retry.max_retries = settings.retry.max_retries.max(RETRIES);
        }
        let (_keep, cancelled) = watch::channel(false);
        let sandboxes = Arc::clone(&self.sandboxes);
        let mut runs = Vec::new();
        let mut on_event = |event| {
            if let RunEvent::Ended(run) = event {
                runs.push(*run);
            }
        };
        let ended =
            scheduler::run(vec![part], &settings, sandboxes, cancelled, &mut on_event).await;
        match ended {
            SuiteEnd::NotStarted(why) => Err(why),
            SuiteEnd::Complete | SuiteEnd::CutShort | SuiteEnd::Interrupted(_) => Ok(runs),
        }
    }

    /// Plays scenarios with a fault, and finds out where it took effect.
    pub(super) async fn attempt(
        &self,
        fault: &str,
        scenarios: Vec<Scenario>,
        time_scale: f64,
    ) -> Result<Vec<PlayedScenario>, String> {
        let runs = self.play(Some(fault), scenarios, time_scale).await?;
        let own =
            |entry: Option<(&str, u64)>| entry.filter(|(id, _)| *id == fault).map(|(_, line)| line);
        let played = runs.into_iter().map(|run| PlayedScenario {
            id: run.report.id,
            findings: run.report.findings,
            traces: Vec::from_iter(run.sessions.iter().map(|session| {
                FaultTrace::read(
                    &session.frames,
                    &self.dialect,
                    |text| own(parse_entry(text)),
                    |text| own(parse_held(text)),
                )
            })),
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
