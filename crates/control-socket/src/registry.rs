//! The control folder: a file for each process, numbered in the order in which they start.

use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where a process listens for control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlAddress {
    /// The folder in which the process registers.
    pub folder: PathBuf,
    /// Whether it listens at a port on loopback instead of a Unix socket.
    pub is_port: bool,
}

impl ControlAddress {
    /// Reads `DIR` or `tcp:DIR`.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let port = text.strip_prefix("tcp:");
        ControlAddress {
            folder: Path::new(port.unwrap_or(text)).to_owned(),
            is_port: port.is_some(),
        }
    }

    /// Writes to the folder that this process does not start, for the test that waits for it.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn note_failed_start(&self, why: &str) -> io::Result<()> {
        create_private(&self.folder)?;
        let file = format!("failed-{}.txt", std::process::id());
        write_private(&self.folder.join(file), why)
    }
}

/// A process that can be controlled, as its file in the folder describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registered {
    /// Its number, from 1, in the order in which the processes of the folder started.
    pub order: u64,
    /// The name that it is called by, such as the name of the agent that it replaces.
    pub name: String,
    /// Its process id.
    pub pid: u32,
    /// `unix:PATH` or `tcp:ADDRESS`.
    pub address: String,
    /// The token for a port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// Why processes of a folder have not started, the latest last.
#[must_use]
pub fn failed_starts(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name();
            let pid = name
                .to_str()?
                .strip_prefix("failed-")?
                .strip_suffix(".txt")?;
            let why = std::fs::read_to_string(entry.path()).ok()?;
            let at = entry.metadata().ok()?.modified().ok()?;
            Some((at, format!("process {pid} did not start: {why}")))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, why)| why).collect()
}

/// Creates a folder that only its owner can read.
pub(crate) fn create_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

/// How often a folder is read while a process is awaited.
const INTERVAL: Duration = Duration::from_millis(10);

/// Writes the file of a process; returns its number.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn register(folder: &Path, process: Registered) -> io::Result<u64> {
    let draft = folder.join(format!("{}.draft", process.pid));
    let mut process = process;
    process.order = registered(folder).last().map_or(1, |last| last.order + 1);
    loop {
        write_private(&draft, &serde_json::to_string(&process)?)?;
        // A link never replaces a file, and the file is complete from the start.
        let linked = std::fs::hard_link(&draft, file(folder, process.order));
        match linked {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => process.order += 1,
            other => {
                let removed = std::fs::remove_file(&draft);
                return other.and(removed).map(|()| process.order);
            }
        }
    }
}

fn file(folder: &Path, order: u64) -> PathBuf {
    folder.join(format!("{order}.json"))
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())
}

/// Every process that has registered in a folder, in order. Empty if there is no such folder.
#[must_use]
pub fn registered(folder: &Path) -> Vec<Registered> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path()).filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    let read = |path: PathBuf| -> Option<Registered> {
        serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
    };
    let mut found: Vec<_> = files.filter_map(read).collect();
    found.sort_by_key(|process| process.order);
    found
}

/// Waits until a process has registered that the filter accepts.
///
/// # Errors
/// No such process has registered within the timeout.
pub fn wait_for(
    folder: &Path,
    timeout: Duration,
    accepts: impl Fn(&Registered) -> bool,
) -> Result<Registered, String> {
    let end = Instant::now() + timeout;
    loop {
        let found = registered(folder)
            .into_iter()
            .find(|process| accepts(process));
        match found {
            Some(process) => return Ok(process),
            None if Instant::now() >= end => {
                let last = failed_starts(folder).pop();
                let failed = last.map(|why| format!("; {why}")).unwrap_or_default();
                return Err(format!(
                    "no such process has started in {} within {timeout:?}{failed}",
                    folder.display()
                ));
            }
            None => std::thread::sleep(INTERVAL),
        }
    }
}
