//! Session store: saves and resumes conversations on disk, one JSON file per session.

use crate::model::message::Message;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A folder with session files.
#[derive(Debug, Clone)]
pub(crate) struct SessionStore {
    folder: PathBuf,
    seed: u64,
    /// The first index in the seed's sequence of ids that this process has not used.
    unused: u64,
}

/// Which session is opened.
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

/// The open session.
#[derive(Debug)]
pub(crate) struct StoredSession {
    pub(crate) id: String,
    store: SessionStore,
    /// Nothing has been saved yet.
    fresh: bool,
}

#[derive(Serialize, Deserialize)]
struct SessionDocument {
    version: u32,
    messages: Vec<Message>,
}

/// The version of the file format.
const VERSION: u32 = 1;

/// The file with the id of the session that was saved last.
const LATEST: &str = "latest";

/// The maximum length of an id.
const ID_LENGTH: usize = 128;

impl SessionStore {
    /// A store in a folder. The ids of new sessions depend on the seed only.
    pub(crate) fn new(folder: PathBuf, seed: u64) -> Self {
        SessionStore {
            folder,
            seed,
            unused: 0,
        }
    }

    /// Opens a session, with the conversation in it.
    ///
    /// # Errors
    /// The id is taken, unknown or invalid; or the disk fails.
    pub(crate) fn open(
        &self,
        choice: &SessionChoice,
    ) -> Result<(StoredSession, Vec<Message>), String> {
        match choice {
            SessionChoice::New => Ok((self.create()?, Vec::new())),
            SessionChoice::Named(id) => {
                check_id(id)?;
                if !self.reserve(id)? {
                    return Err(format!("Session {id} already exists"));
                }
                Ok((self.stored(id.clone(), true), Vec::new()))
            }
            SessionChoice::Resume(id) => {
                check_id(id)?;
                self.load(id)
            }
            SessionChoice::Latest => match self.latest() {
                Some(id) => self.load(&id),
                None => Err("There is no session to resume".to_owned()),
            },
            SessionChoice::LatestOrNew => match self.latest() {
                Some(id) => self.load(&id),
                None => Ok((self.create()?, Vec::new())),
            },
        }
    }

    /// The id of the session that was saved last.
    fn latest(&self) -> Option<String> {
        let id = fs::read_to_string(self.folder.join(LATEST)).ok()?;
        Some(id.trim().to_owned())
    }

    /// The ids of all sessions, sorted.
    pub(crate) fn ids(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut ids: Vec<_> = names
            .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
            .collect();
        ids.sort();
        ids
    }

    fn stored(&self, id: String, fresh: bool) -> StoredSession {
        StoredSession {
            id,
            store: self.clone(),
            fresh,
        }
    }

    fn load(&self, id: &str) -> Result<(StoredSession, Vec<Message>), String> {
        check_id(id)?;
        let text = fs::read_to_string(self.path(id)).map_err(|error| match error.kind() {
            ErrorKind::NotFound => format!("There is no session {id}"),
            _ => format!("Session {id}: {error}"),
        })?;
        let saved: SessionDocument = serde_json::from_str(&text)
            .map_err(|error| format!("Session {id} is damaged: {error}"))?;
        if saved.version != VERSION {
            return Err(format!(
                "Session {id} is of version {}, not {VERSION}",
                saved.version
            ));
        }
        Ok((self.stored(id.to_owned(), false), saved.messages))
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    /// Creates a session with the first free id in the sequence of the seed, so that a fresh workspace always gets the same id.
    fn create(&self) -> Result<StoredSession, String> {
        let mut store = self.clone();
        loop {
            let id = nth_id(store.seed, store.unused);
            store.unused += 1;
            if store.reserve(&id)? {
                return Ok(store.stored(id, true));
            }
        }
    }

    /// Creates the file of a session; false if it exists.
    fn reserve(&self, id: &str) -> Result<bool, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.folder.display());
        let created = in_folder(&self.folder, || fs::File::create_new(self.path(id)));
        match created {
            Ok(mut file) => {
                let empty = format!("{{\"version\":{VERSION},\"messages\":[]}}");
                file.write_all(empty.as_bytes()).map_err(failed)?;
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }
}

impl StoredSession {
    /// Creates another session in the same folder.
    ///
    /// # Errors
    /// The disk fails.
    pub(crate) fn next(&self) -> Result<Self, String> {
        self.store.create()
    }

    /// Saves the whole conversation.
    pub(crate) fn save(&mut self, messages: &[Message]) -> std::io::Result<()> {
        let saved = SessionDocument {
            version: VERSION,
            messages: messages.to_vec(),
        };
        replace_file(&self.store.path(&self.id), &serde_json::to_vec(&saved)?)?;
        replace_file(&self.store.folder.join(LATEST), self.id.as_bytes())?;
        self.fresh = false;
        Ok(())
    }
}

impl Drop for StoredSession {
    /// A session that was never saved leaves no file behind.
    fn drop(&mut self) {
        if self.fresh {
            let _ = fs::remove_file(self.store.path(&self.id));
            remove_if_empty(&self.store.folder);
        }
    }
}

/// How often a folder is created again that another agent removes.
const FOLDER_ATTEMPTS: usize = 100;

/// Creates a file in a folder of sessions. An agent that ends at the same time may remove the folder while it is empty.
///
/// # Errors
/// The folder or the file cannot be created.
pub(crate) fn in_folder<T>(
    folder: &Path,
    create: impl Fn() -> std::io::Result<T>,
) -> std::io::Result<T> {
    let attempt = || match fs::create_dir_all(folder) {
        Ok(()) => create().map_err(|error| (error.kind() == ErrorKind::NotFound, error)),
        Err(error) => {
            let kinds = [ErrorKind::NotFound, ErrorKind::AlreadyExists];
            Err((kinds.contains(&error.kind()), error))
        }
    };
    let mut attempts = (0..FOLDER_ATTEMPTS).map(|_| attempt());
    let settled = attempts.find(|result| !matches!(result, Err((true, _))));
    settled.unwrap_or_else(attempt).map_err(|(_, error)| error)
}

/// Removes a folder of sessions and the one above it, where they are empty.
pub(crate) fn remove_if_empty(folder: &Path) {
    let _ = fs::remove_dir(folder);
    if let Some(above) = folder.parent() {
        let _ = fs::remove_dir(above);
    }
}

/// Replaces a file atomically. Other agents may replace it at the same time.
fn replace_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    fs::write(&temporary, bytes)?;
    fs::rename(temporary, path)
}

/// Checks that an id is a plain file name.
fn check_id(id: &str) -> Result<(), String> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_valid = !id.is_empty()
        && id.len() <= ID_LENGTH
        && !id.starts_with('.')
        && id != LATEST
        && id.chars().all(is_allowed);
    if is_valid {
        Ok(())
    } else {
        Err(format!(
            "{id:?} is no session id: letters, digits, '-', '_' and '.' are allowed, up to {ID_LENGTH}"
        ))
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
    use crate::model::message::{ContentBlock, Role};

    fn store(dir: &tempfile::TempDir) -> SessionStore {
        SessionStore::new(dir.path().join("a/b"), 0)
    }

    fn conversation(text: &str) -> Vec<Message> {
        vec![Message {
            role: Role::User,
            content: vec![ContentBlock::Text(text.into())],
        }]
    }

    #[test]
    fn a_saved_conversation_is_resumed() {
        let dir = tempfile::tempdir().unwrap();
        let (mut first, _) = store(&dir)
            .open(&SessionChoice::Named("conv-1".into()))
            .unwrap();
        first.save(&conversation("hi")).unwrap();
        drop(first);

        let by_id = store(&dir)
            .open(&SessionChoice::Resume("conv-1".into()))
            .unwrap();
        let latest = store(&dir).open(&SessionChoice::Latest).unwrap();

        assert_eq!(by_id.1, conversation("hi"));
        assert_eq!(
            (latest.0.id.as_str(), latest.1),
            ("conv-1", conversation("hi"))
        );
    }

    #[test]
    fn an_id_that_is_taken_unknown_or_invalid_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let _first = store(&dir).open(&SessionChoice::Named("a".into())).unwrap();

        let refused = |choice| store(&dir).open(&choice).unwrap_err();
        assert_eq!(
            refused(SessionChoice::Named("a".into())),
            "Session a already exists"
        );
        assert_eq!(
            refused(SessionChoice::Resume("b".into())),
            "There is no session b"
        );
        assert_eq!(
            refused(SessionChoice::Latest),
            "There is no session to resume"
        );
        for id in ["", "../x", ".hidden", "latest", "a/b", "ä"] {
            assert!(
                refused(SessionChoice::Named(id.into())).contains("no session id"),
                "{id}"
            );
        }
    }

    #[test]
    fn generated_ids_are_the_same_in_every_fresh_store_and_differ_within_one() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let first = store(&one).open(&SessionChoice::New).unwrap().0;
        let second = store(&one).open(&SessionChoice::New).unwrap().0;
        let elsewhere = store(&two).open(&SessionChoice::New).unwrap().0;

        assert_eq!(first.id, elsewhere.id);
        assert_ne!(first.id, second.id);
    }

    #[test]
    fn a_session_that_was_never_saved_leaves_no_file_behind() {
        let dir = tempfile::tempdir().unwrap();
        drop(store(&dir).open(&SessionChoice::New).unwrap());

        assert!(!dir.path().join("a").exists());
    }
}
