//! The claim of a session's id: agents that start in one folder do not choose the same id while its session is not saved yet.

use crate::session_store::{in_folder, remove_if_empty};
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// An id that no other running agent chooses. Its lock ends with the process, also if that is killed.
#[derive(Debug)]
pub(super) struct SessionClaim {
    path: PathBuf,
    /// The lock.
    _file: File,
}

impl SessionClaim {
    /// Claims an id in a folder; `None` if another agent has it.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(super) fn take(folder: &Path, id: &str) -> io::Result<Option<Self>> {
        let path = folder.join(format!(".{id}.lock"));
        let mut options = File::options();
        options.create(true).write(true).truncate(false);
        loop {
            let file = in_folder(folder, || options.open(&path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // The agent that had the id may have removed the file since it was opened here.
            let opened = file.metadata()?.ino();
            if fs::metadata(&path).is_ok_and(|there| there.ino() == opened) {
                return Ok(Some(SessionClaim { path, _file: file }));
            }
        }
    }
}

impl Drop for SessionClaim {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        if let Some(folder) = self.path.parent() {
            remove_if_empty(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_claimed_by_one_agent_until_it_ends() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        let take = |id: &str| SessionClaim::take(&folder, id).unwrap();
        let first = take("1").unwrap();
        assert!(take("1").is_none());
        let second = take("2").unwrap();
        drop(first);
        let again = take("1").unwrap();
        drop((second, again));
        assert!(!dir.path().join("a").exists());
    }

    #[test]
    fn the_file_of_an_agent_that_was_killed_claims_nothing() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".1.lock"), "").unwrap();
        assert!(SessionClaim::take(dir.path(), "1").unwrap().is_some());
    }

    #[test]
    fn two_agents_never_claim_the_same_id_while_files_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        let holders = std::sync::atomic::AtomicUsize::new(0);
        let claims = || {
            use std::sync::atomic::Ordering::SeqCst;
            for _ in 0..200 {
                let Some(claim) = SessionClaim::take(&folder, "1").unwrap() else {
                    continue;
                };
                assert_eq!(holders.fetch_add(1, SeqCst), 0);
                holders.fetch_sub(1, SeqCst);
                drop(claim);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(claims);
            }
        });
    }
}
