//! The file of a transcript that is written during a session.

use rustix::fs::OFlags;
use rustix::io::{Errno, ioctl_fionbio};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Creates the file, or empties it. It stays locked until it is closed.
///
/// # Errors
/// It cannot be written, or another recorder is writing it.
pub(in crate::cli) fn create_transcript(path: &Path) -> io::Result<File> {
    let file = open_locked(path)?;
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    Ok(file)
}

/// Opens a file that is written during a session, and creates it if it is missing. It stays locked until it is closed.
///
/// # Errors
/// It cannot be written, another recorder is writing it, or it is a pipe that nobody reads.
pub(in crate::cli) fn open_locked(path: &Path) -> io::Result<File> {
    let without_waiting = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .custom_flags(without_waiting)
        .open(path)
        .map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::NXIO) => io::Error::other("it is a pipe, and nothing reads it"),
            _ => error,
        })?;
    ioctl_fionbio(&file, false)?;
    if file.metadata()?.is_file() {
        lock(&file)?;
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
