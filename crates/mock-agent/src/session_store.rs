//! Session store: saves and resumes conversations on disk, one JSON file per session.

use crate::model::Message;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use thiserror::Error;

#[derive(Debug, Clone)]
pub(crate) struct SessionStore {
    folder: PathBuf,
    seed: u64,
    /// The first index in the seed's sequence of ids that this process has not used.
    unused: u64,
    /// The sessions that this process has removed: their ids are not used again.
    removed: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionChoice {
    /// A new one with a generated id.
    New,
    /// A new one with this id.
    Named(String),
    /// The one with this id.
    Resume(String),
    /// The one that was saved last.
    Latest,
    /// The one that was saved last, or a new one if there is none.
    LatestOrNew,
}

#[derive(Debug)]
pub(crate) struct StoredSession {
    pub(crate) id: String,
    store: SessionStore,
    /// Its file, until something is saved.
    reservation: Option<Reservation>,
}

/// Why a session cannot be opened.
#[derive(Debug, Error)]
pub(crate) enum StoreError {
    #[error(
        "{id:?} is not a session id: letters, digits, '-', '_' and '.' are allowed, up to {ID_LENGTH}"
    )]
    InvalidId { id: String },
    #[error("Session {id} already exists")]
    Taken { id: String },
    #[error("There is no session {id}")]
    Unknown { id: String },
    #[error("There is no session to resume")]
    NoneSaved,
    #[error("Session {id} is damaged: {source}")]
    Damaged {
        id: String,
        source: serde_json::Error,
    },
    #[error("Session {id}: {source}")]
    Unreadable { id: String, source: std::io::Error },
    #[error("{}: {source}", .folder.display())]
    Folder {
        folder: PathBuf,
        source: std::io::Error,
    },
}

#[derive(Serialize, Deserialize)]
struct SessionDocument {
    messages: Vec<Message>,
}

/// The file with the id of the session that was saved last.
const LATEST: &str = "latest";

const ID_LENGTH: usize = 128;

impl SessionStore {
    /// A store in a folder. The ids of new sessions depend on the seed only.
    pub(crate) fn new(folder: PathBuf, seed: u64) -> Self {
        SessionStore {
            folder,
            seed,
            unused: 0,
            removed: BTreeSet::new(),
        }
    }

    /// Opens a session, with the conversation in it.
    ///
    /// # Errors
    /// The id is taken, unknown or invalid; or the disk fails.
    pub(crate) fn open(
        &self,
        choice: &SessionChoice,
    ) -> Result<(StoredSession, Vec<Message>), StoreError> {
        match choice {
            SessionChoice::New => Ok((self.create()?, Vec::new())),
            SessionChoice::Named(id) => {
                check_id(id)?;
                let taken = || StoreError::Taken { id: id.clone() };
                let reserved = self.reserve(id)?.ok_or_else(taken)?;
                Ok((self.stored(id.clone(), Some(reserved)), Vec::new()))
            }
            SessionChoice::Resume(id) => self.load(id),
            SessionChoice::Latest | SessionChoice::LatestOrNew => match self.latest() {
                Some(id) => self.load(&id),
                None if *choice == SessionChoice::LatestOrNew => Ok((self.create()?, Vec::new())),
                None => Err(StoreError::NoneSaved),
            },
        }
    }

    fn latest(&self) -> Option<String> {
        let id = fs::read_to_string(self.folder.join(LATEST)).ok()?;
        Some(id.trim().to_owned())
    }

    /// A file beside a session, for what a protocol keeps of it.
    pub(crate) fn companion(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.about"))
    }

    /// Removes a session, if there is one.
    pub(crate) fn remove(&mut self, id: &str) {
        if check_id(id).is_ok() {
            let _ = fs::remove_file(self.companion(id));
            let _ = fs::remove_file(self.path(id));
            self.removed.insert(id.to_owned());
        }
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut ids: Vec<_> = names
            .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
            .collect();
        ids.sort();
        ids
    }

    fn stored(&self, id: String, reservation: Option<Reservation>) -> StoredSession {
        StoredSession {
            id,
            store: self.clone(),
            reservation,
        }
    }

    fn load(&self, id: &str) -> Result<(StoredSession, Vec<Message>), StoreError> {
        check_id(id)?;
        let named = || id.to_owned();
        let text = fs::read_to_string(self.path(id)).map_err(|source| match source.kind() {
            ErrorKind::NotFound => StoreError::Unknown { id: named() },
            _ => StoreError::Unreadable {
                id: named(),
                source,
            },
        })?;
        // The file of a session that was not saved yet is empty.
        if text.is_empty() {
            return Ok((self.stored(named(), None), Vec::new()));
        }
        let saved: SessionDocument =
            serde_json::from_str(&text).map_err(|source| StoreError::Damaged {
                id: named(),
                source,
            })?;
        Ok((self.stored(named(), None), saved.messages))
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    /// Creates a session with the first free id in the sequence of the seed, so that a fresh workspace always gets the same id.
    fn create(&self) -> Result<StoredSession, StoreError> {
        let mut store = self.clone();
        loop {
            let id = nth_id(store.seed, store.unused);
            store.unused += 1;
            if store.removed.contains(&id) {
                continue;
            }
            if let Some(reserved) = store.reserve(&id)? {
                return Ok(store.stored(id, Some(reserved)));
            }
        }
    }

    /// Creates the file of a session; none if it exists.
    fn reserve(&self, id: &str) -> Result<Option<Reservation>, StoreError> {
        Reservation::take(&self.path(id)).map_err(|source| StoreError::Folder {
            folder: self.folder.clone(),
            source,
        })
    }
}

impl StoredSession {
    /// Creates another session in the same folder.
    ///
    /// # Errors
    /// The disk fails.
    pub(crate) fn next(&self) -> Result<Self, StoreError> {
        self.store.create()
    }

    /// The store, which gives no later session the id of this one, even if it is removed.
    pub(crate) fn store(&self) -> SessionStore {
        self.store.clone()
    }

    pub(crate) fn save(&mut self, messages: &[Message]) -> std::io::Result<()> {
        let saved = serde_json::to_vec(&SessionDocument {
            messages: messages.to_vec(),
        })?;
        replace_file(&self.store.path(&self.id), &saved)?;
        replace_file(&self.store.folder.join(LATEST), self.id.as_bytes())?;
        self.reservation.iter_mut().for_each(Reservation::keep);
        Ok(())
    }
}

/// The file of a session that was not saved yet: it is empty, and no other agent takes its name. Dropping it removes the file.
#[derive(Debug)]
pub(crate) struct Reservation {
    file: PathBuf,
    is_kept: bool,
}

impl Reservation {
    /// Creates a file; none if it exists.
    ///
    /// # Errors
    /// The disk fails.
    pub(crate) fn take(file: &Path) -> std::io::Result<Option<Self>> {
        match in_folder_of(file, || fs::File::create_new(file)) {
            Ok(_) => Ok(Some(Reservation {
                file: file.to_owned(),
                is_kept: false,
            })),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The session was saved: the file stays.
    pub(crate) fn keep(&mut self) {
        self.is_kept = true;
    }
}

impl Drop for Reservation {
    /// A session that was never saved leaves no file behind, and no empty folder.
    fn drop(&mut self) {
        if !self.is_kept && fs::remove_file(&self.file).is_ok() {
            let above = self.file.ancestors().skip(1).take(2);
            above
                .take_while(|folder| fs::remove_dir(folder).is_ok())
                .for_each(drop);
        }
    }
}

/// How often a folder is created again that another agent removes.
const FOLDER_ATTEMPTS: usize = 100;

/// Creates a file in a folder of sessions. An agent that ends at the same time may remove the folder while it is empty.
///
/// # Errors
/// The folder or the file cannot be created.
pub(crate) fn in_folder_of<T>(
    file: &Path,
    create: impl Fn() -> std::io::Result<T>,
) -> std::io::Result<T> {
    let folder = file.parent().unwrap_or(file);
    for _ in 1..FOLDER_ATTEMPTS {
        match fs::create_dir_all(folder).map(|()| create()) {
            Ok(Err(error)) if error.kind() == ErrorKind::NotFound => {}
            Ok(created) => return created,
            Err(_) => {}
        }
    }
    fs::create_dir_all(folder).and_then(|()| create())
}

/// Replaces a file atomically. Other agents may replace it at the same time.
fn replace_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    fs::write(&temporary, bytes)?;
    fs::rename(temporary, path)
}

/// Checks that an id is a plain file name.
fn check_id(id: &str) -> Result<(), StoreError> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_valid = !id.is_empty()
        && id.len() <= ID_LENGTH
        && !id.starts_with('.')
        && id != LATEST
        && id.chars().all(is_allowed);
    if is_valid {
        Ok(())
    } else {
        Err(StoreError::InvalidId { id: id.to_owned() })
    }
}

/// The nth id in the sequence of a seed (splitmix64).
fn nth_id(seed: u64, n: u64) -> String {
    let mut z = (seed.wrapping_add(n).wrapping_add(1)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    format!("{:06x}", (z ^ (z >> 31)) & 0xFF_FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(dir: &tempfile::TempDir) -> StoredSession {
        let store = SessionStore::new(dir.path().join("a/b"), 0);
        store.create().unwrap()
    }

    #[test]
    fn generated_ids_are_the_same_in_every_fresh_store_and_differ_within_one() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let [first, second, elsewhere] = [&one, &one, &two].map(open);

        assert_eq!(first.id, elsewhere.id);
        assert_ne!(first.id, second.id);
        drop((first, second));
        assert!(
            !one.path().join("a").exists(),
            "a file without a session stays"
        );
    }

    #[test]
    fn two_agents_never_reserve_the_same_file_while_files_are_removed() {
        use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a/b/1.jsonl");
        let holders = AtomicUsize::new(0);
        let reserve = || {
            for _ in 0..200 {
                if let Some(reserved) = Reservation::take(&file).unwrap() {
                    assert_eq!(holders.fetch_add(1, SeqCst), 0);
                    holders.fetch_sub(1, SeqCst);
                    drop(reserved);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(reserve);
            }
        });
    }
}
