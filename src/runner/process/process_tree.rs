//! The agent's process tree.
//!
//! The agent leads a process group of its own. On Linux, what leaves that group is found too: the orphans of an agent become
//! children of this process ([`adopt_orphans`]), and those of one agent are known by the HOME that only they have.

use super::process_list;
use crate::runner::limits;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use std::ffi::OsString;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The process tree of one agent.
#[derive(Debug)]
pub(super) struct ProcessTree {
    leader: Pid,
    mark: OsString,
    grace: Duration,
}

/// The time between two looks at processes that are about to end.
const LOOK: Duration = Duration::from_millis(2);
/// The longest such time.
const LONGEST_LOOK: Duration = Duration::from_millis(50);

impl ProcessTree {
    pub(super) fn new(leader: Pid, mark: OsString, grace: Duration) -> Self {
        ProcessTree {
            leader,
            mark,
            grace,
        }
    }

    /// Kills every process of a group.
    pub(super) fn kill_group(leader: Pid) {
        // Nobody left to kill.
        let _ = kill_process_group(leader, Signal::KILL);
    }

    pub(super) fn kill_whole_group(&self) {
        ProcessTree::kill_group(self.leader);
    }

    /// The leader has gone by itself: gives the rest its time, then kills what is left. Returns how many those were.
    pub(super) async fn settle(&self, kills: &mut mpsc::UnboundedReceiver<String>) -> u32 {
        let (until, mut look) = (Instant::now() + self.grace, LOOK);
        while self.is_left() && Instant::now() < until {
            tokio::select! {
                biased;
                Some(_) = kills.recv() => break,
                () = tokio::time::sleep(look) => {}
            }
            look = (look * 2).min(LONGEST_LOOK);
        }
        if self.is_left() {
            self.clear().await
        } else {
            0
        }
    }

    fn is_left(&self) -> bool {
        !self.members().is_empty() || process_list::IS_BLIND && self.has_group()
    }

    /// Whether the agent's process group has a member.
    fn has_group(&self) -> bool {
        rustix::process::test_kill_process_group(self.leader).is_ok()
    }

    /// Kills whatever is left of the tree, and waits until it is gone. Returns how many processes it killed; those that the agent
    /// has killed already, and the system has not ended yet, are not among them.
    pub(super) async fn clear(&self) -> u32 {
        let until = Instant::now() + limits::KILL_PATIENCE;
        let mut killed = Vec::new();
        if process_list::IS_BLIND && self.has_group() {
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
                if !killed.contains(&pid) && !process_list::is_killed(pid) {
                    killed.push(pid);
                }
                // It may have gone in the meantime.
                let _ = kill_process(pid, Signal::KILL);
            }
            tokio::time::sleep(LOOK).await;
        }
        u32::try_from(killed.len()).unwrap_or(u32::MAX)
    }

    /// The processes of the tree that are alive, its leader left out. Those that have ended are reaped.
    fn members(&self) -> Vec<Pid> {
        let mut members = Vec::new();
        if self.has_group() {
            members.extend(process_list::all().filter(|found| {
                found.group == self.leader.as_raw_pid() || found.session == self.leader.as_raw_pid()
            }));
        }
        members
            .extend(process_list::children().filter(|child| child.has_in_environment(&self.mark)));
        members.retain(|found| found.pid != self.leader);
        members.sort_by_key(|found| found.pid.as_raw_pid());
        members.dedup_by_key(|found| found.pid);
        for ended in members.iter().filter(|found| found.ended) {
            // Only an orphan that was adopted can be reaped.
            let _ = waitpid(Some(ended.pid), WaitOptions::NOHANG);
        }
        members.retain(|found| !found.ended);
        members.into_iter().map(|found| found.pid).collect()
    }
}

/// Makes the orphans of agents children of this process, where the system can. Only for a program's `main`: it holds for the
/// whole process.
pub fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        tracing::debug!(%error, "orphans cannot be adopted");
    }
}

/// Kills every child of this process: orphans that hid their origin. Only when no agent runs any more. Returns how many.
pub fn kill_stray_processes() -> usize {
    let mut killed = std::collections::HashSet::new();
    for _ in 0..100 {
        let children: Vec<_> = process_list::children().collect();
        if children.is_empty() {
            break;
        }
        for child in children {
            if !child.ended && kill_process(child.pid, Signal::KILL).is_ok() {
                killed.insert(child.pid.as_raw_pid());
            }
            let _ = waitpid(Some(child.pid), WaitOptions::NOHANG);
        }
        std::thread::sleep(LOOK);
    }
    killed.len()
}
