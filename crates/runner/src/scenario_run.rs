//! The result of a scenario in a run: its part of the report, and what the run needs to know besides.

use super::agent_times::{AgentCpu, FirstLine};
use super::play::scenario_result::ScenarioResult;
use super::play_queue::QueuedScenario;
use super::retry::{Attempts, failed_attempts, first_path, store_transcripts};
use super::transcripts::KeepTranscripts;
use crate::scenario::Scenario;
use conform_report::verdict_rules;
use conform_report::{Exercised, ScenarioReport, Verdict};
use std::path::PathBuf;
use std::time::Duration;
use tokio::task::JoinError;

/// A scenario that was played, or left out of a run that ended early.
#[derive(Debug, Clone)]
pub struct ScenarioRun {
    /// Its part of the report.
    pub report: ScenarioReport,
    /// Whether it was played. If not, the reason of the report says why.
    pub played: bool,
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
    /// How many agents were started for it.
    pub starts: u32,
    /// The first line of the first agent of the last attempt.
    pub first_line: Option<FirstLine>,
    /// The CPU time of the agents of the last attempt, as far as it was measured.
    pub agent_cpu: AgentCpu,
}

impl ScenarioRun {
    /// The result of a scenario after its attempts. Stores the transcripts and removes the sandbox.
    pub(super) fn of_attempts(
        queued: &QueuedScenario,
        attempts: Attempts,
        keep: &KeepTranscripts,
    ) -> Self {
        let id = queued.id();
        let (wall, overhead) = attempts.times();
        let starts = attempts.starts();
        let Attempts {
            failed,
            last: mut played,
        } = attempts;
        let transcripts = store_transcripts(keep, &id, played.verdict, &played.transcripts);
        let began = std::time::Instant::now();
        played.remove_sandbox();
        let cleanup = began.elapsed();
        tracing::debug!(id, ?wall, ?overhead, ?cleanup, "played");
        let passed = matches!(played.verdict, Verdict::Pass | Verdict::Skipped);
        ScenarioRun {
            played: true,
            spoke: played.spoke || failed.iter().any(|one| one.spoke),
            turn: played.turn || failed.iter().any(|one| one.turn),
            report: ScenarioReport {
                name: queued.scenario.name.clone(),
                file: queued.scenario.path.display().to_string(),
                start_settings: queued.scenario.start_settings(),
                verdict: played.verdict,
                reason: played.reason,
                flaky: !failed.is_empty() && verdict_rules::is_flaky(played.verdict),
                tries: failed_attempts(&id, failed, keep),
                id,
                duration_ms: u64::try_from((played.wall + cleanup).as_millis()).unwrap_or(u64::MAX),
                frames: played.frames,
                findings: played.findings,
                excerpt: played.excerpt,
                findings_dropped: played.findings_dropped,
                transcript: first_path(&transcripts),
                stderr: if passed { Vec::new() } else { played.stderr },
            },
            transcripts,
            sessions: played.sessions,
            exercised: played.exercised,
            expects_turn: expects_turn(&queued.scenario),
            wall: wall + cleanup,
            overhead: overhead + cleanup,
            starts,
            first_line: played.first_line,
            agent_cpu: played.agent_cpu,
        }
    }

    /// The result of a scenario that was left out, and why.
    pub(super) fn left_out(queued: &QueuedScenario, verdict: Verdict, why: &str) -> Self {
        ScenarioRun {
            report: ScenarioReport {
                id: queued.id(),
                name: queued.scenario.name.clone(),
                file: queued.scenario.path.display().to_string(),
                verdict,
                reason: why.to_owned(),
                ..ScenarioReport::default()
            },
            played: false,
            transcripts: Vec::new(),
            sessions: Vec::new(),
            exercised: Exercised::default(),
            spoke: false,
            turn: false,
            expects_turn: expects_turn(&queued.scenario),
            wall: Duration::ZERO,
            overhead: Duration::ZERO,
            starts: 0,
            first_line: None,
            agent_cpu: AgentCpu::default(),
        }
    }
}

/// The result of a scenario whose task has panicked.
pub(super) fn panicked(error: JoinError) -> Attempts {
    let why = match error.try_into_panic() {
        Ok(panic) => {
            let message = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied());
            format!(
                "conform itself failed: {}",
                message.unwrap_or("it panicked")
            )
        }
        Err(error) => format!("conform itself failed: {error}"),
    };
    Attempts::only(ScenarioResult::broken(why, Duration::ZERO))
}

fn expects_turn(scenario: &Scenario) -> bool {
    scenario
        .model
        .as_array()
        .is_some_and(|replies| !replies.is_empty())
}
