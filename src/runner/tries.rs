//! Plays a scenario again while it fails.

use super::keep::Keep;
use super::play::{Played, Stage, play};
use crate::report::Try;
use crate::scenario::Scenario;
use crate::verdict::Verdict;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A scenario that was played once or more.
#[derive(Debug)]
pub(super) struct Tries {
    /// Those that failed, and that another one followed.
    pub(super) earlier: Vec<Played>,
    /// The last one, which counts.
    pub(super) last: Played,
}

/// Plays a scenario, and again up to `retries` times while it fails.
pub(super) async fn tries(
    stage: Arc<Stage>,
    scenario: Arc<Scenario>,
    retries: u32,
) -> Result<Tries, String> {
    let mut earlier = Vec::new();
    loop {
        let last = play(Arc::clone(&stage), Arc::clone(&scenario)).await?;
        let failed = matches!(last.verdict, Verdict::Fail | Verdict::Inconclusive);
        let left = u32::try_from(earlier.len()).is_ok_and(|spent| spent < retries);
        if !(failed && left) || *stage.cancel.borrow() {
            return Ok(Tries { earlier, last });
        }
        earlier.push(last);
    }
}

impl Tries {
    /// A single try.
    pub(super) fn only(last: Played) -> Self {
        Tries {
            earlier: Vec::new(),
            last,
        }
    }

    /// What all tries together took, and how much of that no agent was alive.
    pub(super) fn spent(&self) -> (Duration, Duration) {
        let all = self.earlier.iter().chain([&self.last]);
        all.fold((Duration::ZERO, Duration::ZERO), |(wall, overhead), one| {
            (
                wall + one.wall,
                overhead + one.wall.saturating_sub(one.life),
            )
        })
    }
}

/// The earlier tries at the scenario `id` for the report, their transcripts kept beside the last one's.
pub(super) fn reported(id: &str, earlier: Vec<Played>, keep: &Keep) -> Vec<Try> {
    let one = |(n, mut played): (usize, Played)| {
        let name = format!("{id}.try-{}", n + 1);
        let transcripts = kept(keep, &name, played.verdict, &played.transcripts);
        played.clear();
        Try {
            verdict: played.verdict,
            reason: played.reason,
            duration_ms: u64::try_from(played.wall.as_millis()).unwrap_or(u64::MAX),
            findings: played.findings,
            transcript: first(&transcripts),
            stderr: played.stderr,
        }
    };
    earlier.into_iter().enumerate().map(one).collect()
}

/// Keeps transcripts, if they are to be kept, and says where they are.
pub(super) fn kept(
    keep: &Keep,
    name: &str,
    verdict: Verdict,
    transcripts: &[PathBuf],
) -> Vec<PathBuf> {
    keep.keep(name, verdict, transcripts)
        .unwrap_or_else(|error| {
            tracing::warn!(%error, name, "a transcript is lost");
            Vec::new()
        })
}

/// The first of the transcripts that were kept, as reports name it; empty if none was.
pub(super) fn first(kept: &[PathBuf]) -> String {
    kept.first()
        .map(|path| path.display().to_string())
        .unwrap_or_default()
}
