//! Process trees: what an agent or a tool has started, killed with it.

use crate::exit::reap_orphan;
use crate::{RunningProcess, descendants, has_pending_kill};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};
use std::time::{Duration, Instant};
use tokio::process::Child;

/// The interval at which killed processes are checked until they are gone.
pub const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// How long killed processes may take to disappear.
pub const KILL_TIMEOUT: Duration = Duration::from_secs(10);

/// The time in which a leader that is killed without its children can start them.
const CHILD_START_TIME: Duration = Duration::from_millis(200);

/// A child that leads a process group, with all its descendants. Dropping this value kills them (SIGKILL).
#[derive(Debug)]
pub struct ProcessTree {
    leader: Option<Pid>,
    leader_only: bool,
}

impl ProcessTree {
    /// The tree of a child. `leader_only` leaves its descendants alive; only a fault does that.
    #[must_use]
    pub fn new(child: &Child, leader_only: bool) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        ProcessTree {
            leader: id.and_then(Pid::from_raw),
            leader_only,
        }
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        let Some(leader) = self.leader else { return };
        if self.leader_only {
            std::thread::sleep(CHILD_START_TIME);
            return kill(leader);
        }
        let descendants = descendants(leader);
        kill_group(leader);
        descendants.into_iter().for_each(kill);
    }
}

/// Kills processes until they are gone, and counts them.
#[derive(Debug)]
pub struct Killing {
    killed: Vec<Pid>,
    until: Instant,
}

impl Default for Killing {
    fn default() -> Self {
        Killing {
            killed: Vec::new(),
            until: Instant::now() + KILL_TIMEOUT,
        }
    }
}

impl Killing {
    /// Kills the processes that are left. False if there are none, or if it has taken too long: call this again after [`POLL_INTERVAL`]
    /// or longer while it is true.
    pub fn goes_on(&mut self, left: &[Pid]) -> bool {
        for pid in left {
            if !self.killed.contains(pid) && !has_pending_kill(*pid) {
                self.killed.push(*pid);
            }
            kill(*pid);
        }
        !left.is_empty() && Instant::now() < self.until
    }

    /// The processes that were killed, without those that had been sent a SIGKILL before.
    #[must_use]
    pub fn killed(&self) -> &[Pid] {
        &self.killed
    }
}

/// Those of these processes that have not ended. Zombies are reaped, where they are children of this process and not the leader.
#[must_use]
pub fn living(mut found: Vec<RunningProcess>, leader: Option<Pid>) -> Vec<Pid> {
    for ended in found
        .iter()
        .filter(|one| one.ended && Some(one.pid) != leader)
    {
        reap_orphan(ended.pid);
    }
    found.retain(|one| !one.ended);
    found.sort_by_key(|one| one.pid.as_raw_pid());
    found.dedup_by_key(|one| one.pid);
    found.into_iter().map(|one| one.pid).collect()
}

/// Kills every process of a group.
pub fn kill_group(leader: Pid) {
    // Fails if no process is left in the group.
    let _ = kill_process_group(leader, Signal::KILL);
}

fn kill(pid: Pid) {
    // Fails if the process has ended in the meantime.
    let _ = kill_process(pid, Signal::KILL);
}

/// Makes this process a child subreaper (Linux only): the orphans among its descendants become its children, and are found even if they
/// have left their process group. It changes the whole process, so only `main` may call it.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Asks the system to send SIGTERM to this process when its parent ends (Linux only).
pub fn end_with_parent() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::TERM));
}

/// Kills all descendants of this process, which must be a child subreaper: without a child, it has no other descendants either. For the end of
/// the process: children that have ended are reaped, and those that are just being killed have a moment to end, because it is expensive for the
/// system to look them up.
pub fn kill_descendants() {
    const LOOKS: u32 = 10;
    for _ in 0..LOOKS {
        if has_reaped_all() {
            return;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    descendants(rustix::process::getpid())
        .into_iter()
        .for_each(kill);
}

/// Reaps the children that have ended; whether no child is left.
fn has_reaped_all() -> bool {
    loop {
        match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}

/// Kills all descendants of this process, and then the process itself.
pub fn kill_self() {
    kill_descendants();
    kill(rustix::process::getpid());
}
