//! The running processes of the machine: finds and kills those that an agent started.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod stub;
mod tree;

#[cfg(target_os = "linux")]
pub use linux::*;
#[cfg(not(target_os = "linux"))]
pub use stub::*;
pub use tree::*;

/// A running process, or a zombie.
#[derive(Debug)]
pub struct RunningProcess {
    /// Its id.
    pub pid: rustix::process::Pid,
    /// The process group.
    pub group: i32,
    /// The session.
    pub session: i32,
    /// Whether it is a zombie: it has ended and is not reaped.
    pub ended: bool,
}

/// A thread of a process.
#[derive(Debug)]
pub struct Thread {
    /// Whether it runs, can run, or waits for a disk.
    pub is_at_work: bool,
    /// The CPU time that it has taken, in clock ticks.
    pub ticks: u64,
    /// The processes that it has started.
    pub children: Vec<i32>,
}
