//! The relay's own standard input and output, taken over so that each can be closed like the agent's own.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;

/// Takes standard input over: afterwards only the returned file has it, and closing the file closes it.
///
/// # Errors
/// It is not open.
pub(super) fn take_stdin() -> io::Result<File> {
    let taken = io::stdin().as_fd().try_clone_to_owned()?;
    let null = OpenOptions::new().read(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    Ok(taken.into())
}

/// Takes standard output over.
///
/// # Errors
/// It is not open.
pub(super) fn take_stdout() -> io::Result<File> {
    let taken = io::stdout().as_fd().try_clone_to_owned()?;
    let null = OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(taken.into())
}

/// Lets a pipe hold so many bytes more, as far as the system allows; a file that is not a pipe stays as it is.
#[cfg(target_os = "linux")]
pub(super) fn make_room(pipe: &File, bytes: usize) {
    if let Ok(size) = rustix::pipe::fcntl_getpipe_size(pipe) {
        let _ = rustix::pipe::fcntl_setpipe_size(pipe, size.saturating_add(bytes));
    }
}

/// Lets a pipe hold so many bytes more, which only Linux can.
#[cfg(not(target_os = "linux"))]
pub(super) fn make_room(_pipe: &File, _bytes: usize) {}

/// A second handle to standard error, which stays open for messages of the relay.
///
/// # Errors
/// It is not open.
pub(super) fn share_stderr() -> io::Result<File> {
    Ok(io::stderr().as_fd().try_clone_to_owned()?.into())
}
