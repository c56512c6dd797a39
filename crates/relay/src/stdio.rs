//! The relay's own standard input and output, taken over so that each can be closed when that of the agent is.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;

/// Takes over standard input: the returned file is its only handle, and closing the file closes it.
///
/// # Errors
/// It is not open.
pub(super) fn take_stdin() -> io::Result<File> {
    let taken = io::stdin().as_fd().try_clone_to_owned()?;
    let null = OpenOptions::new().read(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    Ok(taken.into())
}

/// Takes over standard output.
///
/// # Errors
/// It is not open.
pub(super) fn take_stdout() -> io::Result<File> {
    let taken = io::stdout().as_fd().try_clone_to_owned()?;
    let null = OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(taken.into())
}

/// Enlarges the buffer of a pipe by this many bytes, as far as the system allows. Does nothing to other files.
#[cfg(target_os = "linux")]
pub(super) fn make_room(pipe: &File, bytes: usize) {
    if let Ok(size) = rustix::pipe::fcntl_getpipe_size(pipe) {
        let _ = rustix::pipe::fcntl_setpipe_size(pipe, size.saturating_add(bytes));
    }
}

/// Does nothing: only Linux can enlarge the buffer of a pipe.
#[cfg(not(target_os = "linux"))]
pub(super) fn make_room(_pipe: &File, _bytes: usize) {}

/// A second handle to standard error, which stays open for messages of the relay.
///
/// # Errors
/// It is not open.
pub(super) fn share_stderr() -> io::Result<File> {
    Ok(io::stderr().as_fd().try_clone_to_owned()?.into())
}
