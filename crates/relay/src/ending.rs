//! How a relayed agent ended, and how the relay ends in the same way.

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, setrlimit};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It exits with this status.
    Exit(i32),
    /// This signal ends it, by its number.
    Signal(i32),
}

impl From<ExitStatus> for Ending {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Ending::Exit(code),
            (None, signal) => Ending::Signal(signal.unwrap_or_default()),
        }
    }
}

impl Ending {
    /// Ends this process in the same way, so that its parent sees what it would have seen of the agent.
    pub fn end_this_process(self) -> ! {
        match self {
            Ending::Exit(code) => std::process::exit(code),
            Ending::Signal(number) => {
                raise(number);
                std::process::exit(128 + number);
            }
        }
    }
}

/// Ends this process by a signal. Returns if the signal ends no process.
fn raise(number: i32) {
    // The core dump would show the relay, not the agent.
    let none = Rlimit {
        current: Some(0),
        maximum: None,
    };
    let _ = setrlimit(Resource::Core, none);
    // Not every signal has a default that can be restored: SIGKILL needs none.
    let _ = signal_hook::low_level::emulate_default_handler(number);
    if number == Signal::KILL.as_raw()
        && let Some(me) = Pid::from_raw(std::process::id().cast_signed())
    {
        let _ = kill_process(me, Signal::KILL);
    }
}
