//! The running processes of the machine: finds and kills those that an agent started.

mod exit;
mod ids;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod stub;
mod tree;

pub use exit::{exit_of, reap_later, status_of};
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

/// How long a thread has had the CPU, and how long it has waited for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTimes {
    /// The time on the CPU.
    pub ran: std::time::Duration,
    /// The time in which it was ready to run and another thread had the CPU. The wait that is not over is not part of it.
    pub waited: std::time::Duration,
    /// Whether it runs or is ready to run now.
    pub is_ready: bool,
    /// How often it has given the CPU up by itself, to sleep or to wait for something.
    pub sleeps: u64,
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
