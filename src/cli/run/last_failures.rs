//! The scenarios that failed when the same agent was last tested from the same folder, for `--failed`.
//!
//! They are kept in a small file below the user's state folder (`$XDG_STATE_HOME` or `~/.local/state`).

use crate::cli::args::words;
use conform_runner::selection::Selection;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// The failed scenarios of the last runs.
#[derive(Debug, Default)]
pub(in crate::cli) struct LastFailures {
    /// `None` if there is no state folder.
    path: Option<PathBuf>,
    failed: BTreeSet<String>,
    /// What has changed in this run: the scenarios that were played, and whether each failed.
    played: Vec<(String, bool)>,
}

/// The contents of the file.
#[derive(Debug, Serialize, Deserialize)]
struct StateFile {
    /// For people who look at the file: where the run was started, and with which agent.
    folder: PathBuf,
    agent: Vec<String>,
    /// The ids of the scenarios.
    failed: BTreeSet<String>,
}

impl LastFailures {
    /// Reads the failures of this agent in the current folder.
    pub(in crate::cli) fn read(agent: &[OsString]) -> Self {
        let path = state_folder().map(|folder| folder.join(file_name(agent)));
        let text = path.as_ref().and_then(|path| std::fs::read(path).ok());
        // A file that cannot be read counts as none: it only saves time.
        let file = text.and_then(|text| serde_json::from_slice::<StateFile>(&text).ok());
        LastFailures {
            path,
            failed: file.map(|file| file.failed).unwrap_or_default(),
            played: Vec::new(),
        }
    }

    /// Restricts a selection to the scenarios that failed; false if none did.
    pub(super) fn restrict(&self, selection: &mut Selection) -> bool {
        if !self.failed.is_empty() {
            selection.ids = Some(self.failed.clone());
        }
        !self.failed.is_empty()
    }

    /// Notes that a scenario was played, and whether it failed.
    pub(super) fn note(&mut self, id: &str, failed: bool) {
        self.played.push((id.to_owned(), failed));
    }

    /// Writes the file if anything has changed. Scenarios that were not played stay in it, unless the run was `complete`.
    pub(super) fn write(mut self, agent: &[OsString], complete: bool) {
        let before = self.failed.clone();
        if complete {
            self.failed.clear();
        }
        for (id, failed) in std::mem::take(&mut self.played) {
            if failed {
                self.failed.insert(id);
            } else {
                self.failed.remove(&id);
            }
        }
        let Some(path) = self.path.filter(|_| self.failed != before) else {
            return;
        };
        let file = StateFile {
            folder: std::env::current_dir().unwrap_or_default(),
            agent: words(agent),
            failed: self.failed,
        };
        if let Err(error) = store(&path, &file) {
            tracing::debug!(path = %path.display(), %error, "the failures cannot be stored");
        }
    }
}

fn store(path: &Path, file: &StateFile) -> std::io::Result<()> {
    if file.failed.is_empty() {
        return std::fs::remove_file(path);
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, serde_json::to_vec_pretty(file)?)
}

/// The folder for the state of this program.
fn state_folder() -> Option<PathBuf> {
    let variable = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let state = variable("XDG_STATE_HOME")
        .or_else(|| variable("HOME").map(|home| home.join(".local/state")))?;
    Some(state.join("conform/failed"))
}

/// The name of the file for this agent in the current folder.
fn file_name(agent: &[OsString]) -> String {
    let mut hasher = DefaultHasher::new();
    (std::env::current_dir().unwrap_or_default(), agent).hash(&mut hasher);
    format!("{:016x}.json", hasher.finish())
}
