//! Plays scenarios of a dialect with a fault of the tested agent, and reads where the fault took effect.

use super::tested_agent::TestedAgent;
use conform_judge::dialect::Dialect;
use conform_judge::frame::Frame;
use conform_judge::profile::Profile;
use conform_judge::transcript::TranscriptReader;
use conform_runner::job_limit::Jobs;
use conform_runner::mutation::fault_trace::FaultTrace;
use conform_runner::mutation::kill_analysis::PlayedScenario;
use conform_runner::retry::RetryOptions;
use conform_runner::sandbox_root::SandboxRoot;
use conform_runner::scenario::Scenario;
use conform_runner::scenario_run::ScenarioRun;
use conform_runner::scheduler::{self, DialectSuite, RunEvent, SuiteEnd, SuiteSettings};
use conform_runner::transcripts::KeepTranscripts;
use std::fs::File;
use std::io::BufReader;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

/// How many scenarios are played in parallel with one fault: most of the time is spent in timeouts.
const PARALLEL_SCENARIOS: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// The suite of a dialect, and the agent that it is played with.
pub(super) struct SuitePlayer {
    pub(super) agent: TestedAgent,
    pub(super) dialect: Arc<Dialect>,
    pub(super) scenarios: Vec<Scenario>,
    /// The wire of the model; the recipe's first one if `None`.
    pub(super) wire: Option<String>,
    pub(super) sandboxes: Arc<SandboxRoot>,
}

impl SuitePlayer {
    /// The full id of a scenario.
    pub(super) fn id(&self, scenario: &Scenario) -> String {
        format!("{}/{}", self.dialect.id(), scenario.id)
    }

    /// Plays a fault in the selected scenarios.
    pub(super) async fn attempt(
        &self,
        fault: &str,
        selected: impl Fn(&String) -> bool,
        time_scale: f64,
    ) -> Result<Vec<PlayedScenario>, String> {
        let scenarios = self.scenarios.iter().filter(|s| selected(&self.id(s)));
        let scenarios = scenarios.cloned().collect();
        let folder = self.sandboxes.folder().map_err(|e| e.to_string())?;
        let keep = KeepTranscripts::All(folder.clone());
        let entries = self.play(Some(fault), scenarios, time_scale, keep).await?;
        let played = entries.into_iter().map(|entry| self.played(fault, entry));
        let played = played.collect();
        // A failure is repaired when the folder of sandboxes is removed.
        let _ = std::fs::remove_dir_all(folder);
        played
    }

    fn played(&self, fault: &str, entry: ScenarioRun) -> Result<PlayedScenario, String> {
        let parse_line = |text: &str| {
            let (id, line) = frame_faults::parse_entry(text)?;
            (id == fault).then_some(line)
        };
        let traces = entry.transcripts.iter().map(|path| {
            let frames = frames(path)?.into_iter();
            Ok(FaultTrace::of(frames, &self.dialect, parse_line))
        });
        let traces: Result<Vec<FaultTrace>, String> = traces.collect();
        Ok(PlayedScenario {
            id: entry.report.id,
            findings: entry
                .sessions
                .into_iter()
                .zip(entry.report.findings)
                .collect(),
            traces: traces?,
        })
    }

    /// Plays scenarios with a fault, or without one.
    pub(super) async fn play(
        &self,
        fault: Option<&str>,
        scenarios: Vec<Scenario>,
        time_scale: f64,
        keep: KeepTranscripts,
    ) -> Result<Vec<ScenarioRun>, String> {
        let agent = self.agent.with_fault(fault, &self.dialect);
        let part = DialectSuite {
            agent: agent.map_err(|error| error.to_string())?,
            dialect: Arc::clone(&self.dialect),
            wire: self.wire.clone(),
            scenarios,
        };
        let settings = SuiteSettings {
            jobs: Jobs::Fixed(PARALLEL_SCENARIOS),
            smoke_first: false,
            timings: false,
            max_fail: None,
            settle: true,
            profile: Profile::Spec,
            time_scale,
            seed: 0,
            retry: RetryOptions::default(),
            keep,
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
            SuiteEnd::Complete | SuiteEnd::CutShort | SuiteEnd::Silent | SuiteEnd::Interrupted => {
                Ok(entries)
            }
        }
    }
}

/// The frames of a stored transcript.
///
/// # Errors
/// It cannot be read.
pub(super) fn frames(path: &Path) -> Result<Vec<Frame>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(|error| failed(&error))?;
    let frames = TranscriptReader::new(BufReader::new(file)).map_err(|error| failed(&error))?;
    let frames: Result<Vec<Frame>, _> = frames.collect();
    frames.map_err(|error| failed(&error))
}
