//! Kills the process tree of an agent: its process group, and on Linux also the processes that have left the group.
//!
//! The agent leads a process group of its own. Processes that have left it are found because `conform` is a child subreaper
//! ([`adopt_orphans`]): the orphans of an agent become children of `conform`, and those of one agent have the HOME of its sandbox.

use crate::limits;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The leaders of the process trees that are supervised now. They are children of this process and nobody's orphans.
static LEADERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// The process tree of one agent.
#[derive(Debug)]
pub(super) struct AgentProcessTree {
    leader: Pid,
    marker: OsString,
    grace: Duration,
}

/// How often processes that are about to end are polled, at first.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// The interval to which the polling backs off.
const LONGEST_POLL_INTERVAL: Duration = Duration::from_millis(50);

impl AgentProcessTree {
    pub(super) fn new(leader: Pid, marker: OsString, grace: Duration) -> Self {
        leaders().insert(leader.as_raw_pid());
        AgentProcessTree {
            leader,
            marker,
            grace,
        }
    }

    /// Kills every process of a group.
    pub(super) fn kill_group(leader: Pid) {
        // Fails if no process is left in the group.
        let _ = kill_process_group(leader, Signal::KILL);
    }

    pub(super) fn kill_whole_group(&self) {
        AgentProcessTree::kill_group(self.leader);
    }

    /// Kills what outlives the leader, which has exited by itself, after a grace period. Returns how many processes were killed.
    pub(super) async fn kill_after_grace(
        &self,
        kills: &mut mpsc::UnboundedReceiver<String>,
    ) -> u32 {
        let (until, mut interval) = (Instant::now() + self.grace, POLL_INTERVAL);
        while self.has_survivors() && Instant::now() < until {
            tokio::select! {
                biased;
                Some(_) = kills.recv() => break,
                () = tokio::time::sleep(interval) => {}
            }
            interval = (interval * 2).min(LONGEST_POLL_INTERVAL);
        }
        if self.has_survivors() {
            self.kill_all().await
        } else {
            0
        }
    }

    fn has_survivors(&self) -> bool {
        !self.members().is_empty() || process_list::IS_STUB && self.has_group()
    }

    /// Whether the agent's process group has a member.
    fn has_group(&self) -> bool {
        rustix::process::test_kill_process_group(self.leader).is_ok()
    }

    /// Kills the process tree with SIGKILL, but for its leader, which the supervisor kills, and waits until it is gone. Returns how many processes it killed, without those that the
    /// agent itself had already sent a SIGKILL.
    pub(super) async fn kill_all(&self) -> u32 {
        let until = Instant::now() + limits::KILL_TIMEOUT;
        let mut killed = Vec::new();
        if process_list::IS_STUB && self.has_group() {
            self.kill_whole_group();
            return 1;
        }
        loop {
            let left = self.members();
            if left.is_empty() {
                break;
            }
            if Instant::now() > until {
                tracing::warn!(?left, "killed processes are still there");
                break;
            }
            for pid in left {
                if !killed.contains(&pid) && !process_list::has_pending_kill(pid) {
                    killed.push(pid);
                }
                // Fails if the process has ended in the meantime.
                let _ = kill_process(pid, Signal::KILL);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        u32::try_from(killed.len()).unwrap_or(u32::MAX)
    }

    /// The living processes of the tree without its leader. Zombies among them are reaped.
    fn members(&self) -> Vec<Pid> {
        let mut members = Vec::new();
        if self.has_group() {
            members.extend(process_list::all().filter(|found| {
                found.group == self.leader.as_raw_pid() || found.session == self.leader.as_raw_pid()
            }));
        }
        let known = leaders().clone();
        members.extend(
            process_list::children(|pid| !known.contains(&pid))
                .filter(|child| child.has_in_environment(&self.marker)),
        );
        members.retain(|found| found.pid != self.leader);
        members.sort_by_key(|found| found.pid.as_raw_pid());
        members.dedup_by_key(|found| found.pid);
        for ended in members.iter().filter(|found| found.ended) {
            // Fails for a zombie that is not a child of this process.
            let _ = waitpid(Some(ended.pid), WaitOptions::NOHANG);
        }
        members.retain(|found| !found.ended);
        members.into_iter().map(|found| found.pid).collect()
    }
}

impl Drop for AgentProcessTree {
    fn drop(&mut self) {
        leaders().remove(&self.leader.as_raw_pid());
    }
}

fn leaders() -> MutexGuard<'static, BTreeSet<i32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this process a child subreaper, so that orphans of agents become its children; does nothing on other systems than Linux.
///
/// It changes the whole process, so only `main` may call it.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        tracing::debug!(%error, "orphans cannot be adopted");
    }
}

/// Kills every child of this process: orphans of agents that no process tree could be assigned to. Returns how many were killed.
///
/// For the end of a run, when no agent is running any more.
pub fn kill_stray_processes() -> usize {
    let mut killed = std::collections::HashSet::new();
    for _ in 0..100 {
        let children: Vec<_> = process_list::children(|_| true).collect();
        if children.is_empty() {
            break;
        }
        for child in children {
            if !child.ended && kill_process(child.pid, Signal::KILL).is_ok() {
                killed.insert(child.pid.as_raw_pid());
            }
            let _ = waitpid(Some(child.pid), WaitOptions::NOHANG);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    killed.len()
}
