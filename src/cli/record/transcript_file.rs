//! The file of a transcript that is written while a session goes on.

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Creates the file, or empties it. It stays locked until it is closed.
///
/// # Errors
/// It cannot be written, another recorder is writing it, or it is a named pipe without a reader.
pub(super) fn create_transcript(path: &Path) -> io::Result<File> {
    // A named pipe without a reader would be waited for.
    let nonblocking = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .custom_flags(nonblocking)
        .open(path)
        .map_err(|error| without_reader(path, error))?;
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    if file.metadata()?.is_file() {
        lock(&file)?;
        file.set_len(0)?;
    }
    Ok(file)
}

fn without_reader(path: &Path, error: io::Error) -> io::Error {
    match path.metadata() {
        Ok(found) if found.file_type().is_fifo() => {
            io::Error::other("it is a named pipe that nobody reads; start its reader first")
        }
        _ => error,
    }
}

fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::other(
            "another recorder is writing it; give each session a file of its own",
        )),
        // Not every file system has locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn a_file_that_another_recorder_writes_is_refused_and_left_as_it_is() {
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

    #[test]
    fn a_named_pipe_needs_a_reader() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let error = create_transcript(&path).unwrap_err();
        assert!(error.to_string().contains("nobody reads"), "{error}");

        let read_from = path.clone();
        let reading = std::thread::spawn(move || {
            let mut text = String::new();
            File::open(read_from)
                .unwrap()
                .read_to_string(&mut text)
                .unwrap();
            text
        });
        let mut file = loop {
            match create_transcript(&path) {
                Ok(file) => break file,
                Err(_) => std::thread::yield_now(),
            }
        };
        file.write_all(b"header").unwrap();
        drop(file);
        assert_eq!(reading.join().unwrap(), "header");
    }
}
