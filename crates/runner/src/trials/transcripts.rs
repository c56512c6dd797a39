//! Which transcripts of a run are kept, and where.

use conform_report::Verdict;
use std::io;
use std::path::{Path, PathBuf};

/// Which transcripts are kept, and below which folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeepTranscripts {
    /// None.
    Nothing,
    /// Those of scenarios that did not pass.
    Failures(PathBuf),
    /// Every one.
    All(PathBuf),
}

impl KeepTranscripts {
    /// Moves the transcripts of a scenario to where they are kept, and returns their new paths; empty if they are not kept.
    pub(super) fn store(
        &self,
        id: &str,
        verdict: Verdict,
        transcripts: &[PathBuf],
    ) -> io::Result<Vec<PathBuf>> {
        let folder = match self {
            KeepTranscripts::Failures(folder)
                if !matches!(verdict, Verdict::Pass | Verdict::Skipped) =>
            {
                folder
            }
            KeepTranscripts::All(folder) => folder,
            _ => return Ok(Vec::new()),
        };
        let mut kept = Vec::new();
        for (session, from) in transcripts.iter().enumerate() {
            let to = path(folder, id, session);
            if let Some(parent) = to.parent() {
                std::fs::create_dir_all(parent)?;
            }
            // A file cannot be renamed to another file system.
            std::fs::rename(from, &to).or_else(|_| std::fs::copy(from, &to).map(drop))?;
            kept.push(to);
        }
        Ok(kept)
    }
}

/// The path for the transcript of one session of a scenario.
fn path(folder: &Path, id: &str, session: usize) -> PathBuf {
    match session {
        0 => folder.join(format!("{id}.jsonl")),
        _ => folder.join(format!("{id}.{}.jsonl", session + 1)),
    }
}
