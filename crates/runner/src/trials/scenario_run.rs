//! The result of a scenario in a run: its part of the report, and other data that the run needs.

use super::transcripts::KeepTranscripts;
use crate::sandbox::Sandbox;
use crate::scenario::Scenario;
use conform_judge::check::CheckOutcome;
use conform_judge::dialect::Dialect;
use conform_judge::framing::ParsedFrame;
use conform_report::verdict_rules;
use conform_report::{ScenarioReport, Verdict};
use std::path::PathBuf;
use std::time::Duration;

/// A scenario that was played, or left out of a run that ended early.
#[derive(Debug, Default)]
pub struct ScenarioRun {
    /// Its part of the report.
    pub report: ScenarioReport,
    /// Whether it was played. If not, the report has the reason.
    pub played: bool,
    /// Why the machine was too busy for the agent, if that left it without a result.
    pub(crate) starved: Option<String>,
    /// The transcripts, one for each session: in the sandbox first, then where they are stored.
    pub(crate) transcripts: Vec<PathBuf>,
    /// Its sessions, if their frames are kept.
    pub sessions: Vec<RecordedSession>,
    /// The result of checking its sessions, except for the findings, which are in the report.
    pub check: CheckOutcome,
    /// Whether the scenario scripts the model, so that the agent should begin a turn.
    pub expects_turn: bool,
    /// Keeps the sandbox until the transcripts are stored.
    pub(crate) sandbox: Option<Sandbox>,
}

/// The frames of a session.
#[derive(Debug)]
pub struct RecordedSession {
    /// The command line of the agent.
    pub argv: Vec<String>,
    /// The frames.
    pub frames: Vec<ParsedFrame>,
}

impl ScenarioRun {
    /// A scenario that has not started.
    pub(crate) fn new(dialect: &Dialect, scenario: &Scenario) -> Self {
        let file = (!scenario.embedded).then(|| scenario.path.display().to_string());
        let mut replies = scenario.model.as_array().into_iter().flatten();
        ScenarioRun {
            report: ScenarioReport {
                id: format!("{}/{}", dialect.id(), scenario.id),
                name: scenario.name.clone(),
                file: file.unwrap_or_default(),
                start_settings: scenario.start_settings(),
                ..ScenarioReport::default()
            },
            expects_turn: replies.next().is_some(),
            ..ScenarioRun::default()
        }
    }

    /// The scenario without a result, and why.
    pub(crate) fn without_result(mut self, verdict: Verdict, why: impl Into<String>) -> Self {
        self.report.verdict = verdict;
        self.report.reason = why.into();
        self
    }

    /// The same, after this time.
    pub(crate) fn after(mut self, wall: Duration) -> Self {
        self.report.duration_ms = u64::try_from(wall.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// Stores the transcripts that are to be kept, and removes the sandbox. A transcript that cannot be stored is logged and lost.
    pub(crate) fn store(&mut self, keep: &KeepTranscripts, name: &str) {
        let kept = keep.store(name, self.report.verdict, &self.transcripts);
        self.transcripts = kept.unwrap_or_else(|error| {
            tracing::warn!(%error, name, "a transcript could not be stored");
            Vec::new()
        });
        let first = self.transcripts.first();
        self.report.transcript = first.map_or_else(String::new, |path| path.display().to_string());
        // Some file systems are slow.
        let sandbox = self.sandbox.take();
        tokio::task::spawn_blocking(move || drop(sandbox));
    }

    /// Adds the failed attempt before this one, and those before it.
    pub(crate) fn add_failed(&mut self, failed: ScenarioRun) {
        self.check.events += failed.check.events;
        self.check.turn |= failed.check.turn;
        let mut failed = failed.report;
        failed.excerpt.clear();
        self.report.flaky = verdict_rules::is_flaky(self.report.verdict);
        self.report.tries = std::mem::take(&mut failed.tries);
        self.report.tries.push(failed);
    }
}
