//! The agent's process tree.
//!
//! The agent leads a process group of its own. On Linux, what leaves that group is found too: the orphans of an agent become
//! children of this process ([`adopt_orphans`]), and those of one agent are known by the HOME that only they have.

use crate::runner::limits;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use std::ffi::OsString;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The process tree of one agent.
#[derive(Debug)]
pub(super) struct Tree {
    leader: Pid,
    mark: OsString,
    grace: Duration,
}

/// The time between two looks at processes that are about to end.
const LOOK: Duration = Duration::from_millis(2);
/// The longest such time.
const LONGEST_LOOK: Duration = Duration::from_millis(50);

impl Tree {
    pub(super) fn new(leader: Pid, mark: OsString, grace: Duration) -> Self {
        Tree {
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
        Tree::kill_group(self.leader);
    }

    /// The leader has gone by itself: gives the rest its time, then kills what is left. Returns how many those were.
    pub(super) async fn settle(&self, kills: &mut mpsc::UnboundedReceiver<String>) -> u32 {
        let (until, mut look) = (Instant::now() + self.grace, LOOK);
        let mut left = self.members();
        while !left.is_empty() && Instant::now() < until {
            tokio::select! {
                biased;
                Some(_) = kills.recv() => break,
                () = tokio::time::sleep(look) => {}
            }
            look = (look * 2).min(LONGEST_LOOK);
            left = self.members();
        }
        if left.is_empty() {
            0
        } else {
            self.clear().await
        }
    }

    /// Kills whatever is left of the tree, and waits until it is gone. Returns how many processes it killed.
    pub(super) async fn clear(&self) -> u32 {
        let until = Instant::now() + limits::KILL_PATIENCE;
        let mut killed = Vec::new();
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
                if !killed.contains(&pid) {
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
        if rustix::process::test_kill_process_group(self.leader).is_ok() {
            members.extend(proc::all().filter(|found| {
                found.group == self.leader.as_raw_pid() || found.session == self.leader.as_raw_pid()
            }));
        }
        members.extend(proc::children().filter(|child| child.has_in_environment(&self.mark)));
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
#[must_use]
pub fn end_strays() -> usize {
    let mut killed = std::collections::HashSet::new();
    for _ in 0..100 {
        let children: Vec<_> = proc::children().collect();
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

#[cfg(target_os = "linux")]
mod proc {
    //! What `/proc` tells.

    use rustix::process::Pid;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    /// A process.
    #[derive(Debug)]
    pub(super) struct Found {
        pub(super) pid: Pid,
        pub(super) group: i32,
        pub(super) session: i32,
        /// It has ended and is not reaped.
        pub(super) ended: bool,
    }

    impl Found {
        fn of(pid: i32) -> Option<Found> {
            let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
            // The name in brackets may hold anything; what follows it are words.
            let behind = stat.iter().rposition(|byte| *byte == b')')? + 2;
            let words = String::from_utf8_lossy(stat.get(behind..)?).into_owned();
            let mut words = words.split(' ');
            let state = words.next()?;
            let mut number = || words.next()?.parse().ok();
            let (_parent, group, session) = (number()?, number()?, number()?);
            Some(Found {
                pid: Pid::from_raw(pid)?,
                group,
                session,
                ended: matches!(state, "Z" | "X"),
            })
        }

        /// Whether its environment has this entry.
        pub(super) fn has_in_environment(&self, entry: &OsStr) -> bool {
            let path = format!("/proc/{}/environ", self.pid.as_raw_pid());
            std::fs::read(path).is_ok_and(|environment| {
                environment
                    .split(|byte| *byte == 0)
                    .any(|one| one == entry.as_bytes())
            })
        }
    }

    /// Every process.
    pub(super) fn all() -> impl Iterator<Item = Found> {
        std::fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .filter_map(|entry| Found::of(entry.ok()?.file_name().to_str()?.parse().ok()?))
    }

    /// The children of this process, of whichever thread.
    pub(super) fn children() -> impl Iterator<Item = Found> {
        let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
        let lists = threads.filter_map(|thread| {
            std::fs::read_to_string(thread.ok()?.path().join("children")).ok()
        });
        let pids: Vec<i32> = lists
            .flat_map(|list| {
                list.split_whitespace()
                    .filter_map(|word| word.parse().ok())
                    .collect::<Vec<_>>()
            })
            .collect();
        pids.into_iter().filter_map(Found::of)
    }
}

#[cfg(not(target_os = "linux"))]
mod proc {
    //! Systems without `/proc`: only the process group is known.

    use rustix::process::Pid;
    use std::ffi::OsStr;

    #[derive(Debug)]
    pub(super) struct Found {
        pub(super) pid: Pid,
        pub(super) group: i32,
        pub(super) session: i32,
        pub(super) ended: bool,
    }

    impl Found {
        pub(super) fn has_in_environment(&self, _entry: &OsStr) -> bool {
            false
        }
    }

    pub(super) fn all() -> impl Iterator<Item = Found> {
        std::iter::empty()
    }

    pub(super) fn children() -> impl Iterator<Item = Found> {
        std::iter::empty()
    }
}
