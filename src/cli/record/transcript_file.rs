//! The file of a transcript that is written during a session.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// Creates the file, or empties it. It stays locked until it is closed.
///
/// # Errors
/// It cannot be written, or another recorder is writing it.
pub(super) fn create_transcript(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    if file.metadata()?.is_file() {
        lock(&file)?;
        file.set_len(0)?;
    }
    Ok(file)
}

fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::other(
            "another recorder is writing it; give each session its own file",
        )),
        // Not every file system has locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_that_another_recorder_writes_is_refused_and_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        let mut first = create_transcript(&path).unwrap();
        first.write_all(b"header").unwrap();

        let error = create_transcript(&path).unwrap_err();
        assert!(error.to_string().contains("another recorder"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"header");
        drop(first);
        // A process that another test starts holds a copy of the lock until it executes its program.
        while create_transcript(&path).is_err() {
            std::thread::yield_now();
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"");
    }
}
