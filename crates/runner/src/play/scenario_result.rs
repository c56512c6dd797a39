//! The result of a scenario that was played or skipped.

use crate::agent_times::{AgentCpu, FirstLine};
use crate::sandbox::Sandbox;
use conform_judge::finding::{Evidence, Finding};
use conform_report::Exercised;
use conform_report::Verdict;
use std::path::PathBuf;
use std::time::Duration;

/// The result of a scenario.
#[derive(Debug)]
pub(crate) struct ScenarioResult {
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    pub(crate) findings: Vec<Finding>,
    /// The first and last frames of the session that has the first finding above a note.
    pub(crate) excerpt: Vec<Evidence>,
    /// For each finding the number of its session, from 0.
    pub(crate) sessions: Vec<usize>,
    pub(crate) findings_dropped: u64,
    pub(crate) frames: u64,
    pub(crate) exercised: Exercised,
    /// Whether the agent wrote any event of its dialect.
    pub(crate) spoke: bool,
    /// Whether the agent began a turn.
    pub(crate) turn: bool,
    pub(crate) stderr: Vec<String>,
    /// The transcripts, one for each session, in the sandbox.
    pub(crate) transcripts: Vec<PathBuf>,
    /// The time from the first preparation to the last cleanup.
    pub(crate) wall: Duration,
    /// The part of that time in which an agent was running.
    pub(crate) lifetime: Duration,
    /// How many agents were started.
    pub(crate) starts: u32,
    /// The first line of the first agent.
    pub(crate) first_line: Option<FirstLine>,
    /// The CPU time of the agents, as far as it was measured.
    pub(crate) agent_cpu: AgentCpu,
    /// Keeps the sandbox until the transcripts are stored.
    pub(super) sandbox: Option<Sandbox>,
}

impl ScenarioResult {
    /// A scenario that could not be played, because of the harness or the scenario file.
    pub(crate) fn broken(why: String, wall: Duration) -> Self {
        Self::unplayed(Verdict::Broken, why, wall)
    }

    /// A scenario that does not apply to this agent.
    pub(crate) fn skipped(why: String) -> Self {
        Self::unplayed(Verdict::Skipped, why, Duration::ZERO)
    }

    fn unplayed(verdict: Verdict, reason: String, wall: Duration) -> Self {
        ScenarioResult {
            verdict,
            reason,
            findings: Vec::new(),
            excerpt: Vec::new(),
            sessions: Vec::new(),
            findings_dropped: 0,
            frames: 0,
            exercised: Exercised::default(),
            spoke: false,
            turn: false,
            stderr: Vec::new(),
            transcripts: Vec::new(),
            wall,
            lifetime: Duration::ZERO,
            starts: 0,
            first_line: None,
            agent_cpu: AgentCpu::default(),
            sandbox: None,
        }
    }

    /// Removes the sandbox with its transcripts, in the background, since that is slow on some file systems.
    pub(crate) fn remove_sandbox(&mut self) {
        let sandbox = self.sandbox.take();
        tokio::task::spawn_blocking(move || drop(sandbox));
    }
}
