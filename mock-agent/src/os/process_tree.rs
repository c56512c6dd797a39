//! Processes that tools start, and everything that they start.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::Child;

/// A child that leads a process group, with all that descends from it. Dropping it kills them.
pub(crate) struct Tree {
    leader: Option<Pid>,
    /// Whether the leader is killed alone. Only a fault does that.
    alone: bool,
}

/// The time to start children that a leader gets who is killed alone.
const HEAD_START: std::time::Duration = std::time::Duration::from_millis(200);

impl Tree {
    pub(crate) fn of(child: &Child, alone: bool) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Tree {
            leader: id.and_then(Pid::from_raw),
            alone,
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if let Some(leader) = self.leader {
            if self.alone {
                std::thread::sleep(HEAD_START);
                let _ = kill_process(leader, Signal::KILL);
                return;
            }
            let below = descendants(leader);
            let _ = kill_process_group(leader, Signal::KILL);
            kill(&below);
        }
    }
}

/// Makes this process the parent of orphans below it, so that [`sweep`] finds those that left their group.
pub(crate) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Kills everything below this process.
pub(crate) fn sweep() {
    kill(&descendants(rustix::process::getpid()));
}

/// Kills this process, and all below it first.
pub(crate) fn kill_self() {
    sweep();
    let _ = kill_process(rustix::process::getpid(), Signal::KILL);
}

fn kill(pids: &[Pid]) {
    for pid in pids {
        let _ = kill_process(*pid, Signal::KILL);
    }
}

/// Every process below this one, where the system can tell.
fn descendants(root: Pid) -> Vec<Pid> {
    let mut found = children(root);
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        found.extend(children(pid));
        next += 1;
    }
    found
}

fn children(pid: Pid) -> Vec<Pid> {
    let tasks = format!("/proc/{}/task", pid.as_raw_nonzero());
    let tasks = std::fs::read_dir(tasks).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| {
            let pids = list.split_whitespace().filter_map(|id| id.parse().ok());
            pids.filter_map(Pid::from_raw).collect::<Vec<_>>()
        })
        .collect()
}
