//! What a scenario came to.

use crate::finding::Finding;
use crate::report::Exercised;
use crate::report::Verdict;
use crate::runner::sandbox::Sandbox;
use std::path::PathBuf;
use std::time::Duration;

/// A scenario that was played.
#[derive(Debug)]
pub(crate) struct ScenarioResult {
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    pub(crate) findings: Vec<Finding>,
    /// For each of them the life of the agent, from 0, in which it was found.
    pub(crate) sessions: Vec<usize>,
    pub(crate) findings_dropped: u64,
    pub(crate) frames: u64,
    pub(crate) exercised: Exercised,
    /// Whether the agent wrote any event of its dialect.
    pub(crate) spoke: bool,
    /// Whether the agent came as far as a turn.
    pub(crate) turn: bool,
    pub(crate) stderr: Vec<String>,
    /// The transcripts, one a life of the agent, in the scenario's own folder.
    pub(crate) transcripts: Vec<PathBuf>,
    /// From the first preparation to the last clearing up.
    pub(crate) wall: Duration,
    /// How much of that the agent was alive.
    pub(crate) life: Duration,
    /// Keeps the folder.
    pub(super) sandbox: Option<Sandbox>,
}

impl ScenarioResult {
    /// A scenario that could not be played, by the harness's own fault or the scenario's.
    pub(crate) fn broken(why: String, wall: Duration) -> Self {
        Self::unplayed(Verdict::Broken, why, wall)
    }

    /// A scenario that this agent is not asked to play.
    pub(crate) fn skipped(why: String) -> Self {
        Self::unplayed(Verdict::Skipped, why, Duration::ZERO)
    }

    fn unplayed(verdict: Verdict, reason: String, wall: Duration) -> Self {
        ScenarioResult {
            verdict,
            reason,
            findings: Vec::new(),
            sessions: Vec::new(),
            findings_dropped: 0,
            frames: 0,
            exercised: Exercised::default(),
            spoke: false,
            turn: false,
            stderr: Vec::new(),
            transcripts: Vec::new(),
            wall,
            life: Duration::ZERO,
            sandbox: None,
        }
    }

    /// Removes the scenario's folder, its transcripts with it; in the background, since some file systems take their time.
    pub(crate) fn clear(&mut self) {
        let sandbox = self.sandbox.take();
        tokio::task::spawn_blocking(move || drop(sandbox));
    }
}
