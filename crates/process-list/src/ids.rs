//! The process group and the session of a process as numbers, since they may have none: both are 0 if their leader is outside of the PID namespace
//! of this process, as in a container whose first process leads no session.

use nix::unistd;
use rustix::process::Pid;

/// The process group of a process; `None` if there is no such process.
pub(crate) fn group_id(process: Pid) -> Option<i32> {
    let group = unistd::getpgid(Some(unistd::Pid::from_raw(process.as_raw_pid())));
    group.ok().map(unistd::Pid::as_raw)
}

/// The session of a process; `None` if there is no such process.
#[cfg(target_os = "linux")]
pub(crate) fn session_id(process: Pid) -> Option<i32> {
    let session = unistd::getsid(Some(unistd::Pid::from_raw(process.as_raw_pid())));
    session.ok().map(unistd::Pid::as_raw)
}
