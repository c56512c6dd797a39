//! Process trees: kills a process group and every descendant of it, and orphans that left their group.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::Child;

/// A child that leads a process group, with all its descendants. Dropping this value kills them (SIGKILL).
pub(crate) struct ProcessTree {
    leader: Option<Pid>,
    /// Whether only the leader is killed. Only a fault sets this.
    leader_only: bool,
}

/// How long a leader that is killed without its children gets to start them.
const CHILD_START_TIME: std::time::Duration = std::time::Duration::from_millis(200);

impl ProcessTree {
    pub(crate) fn of(child: &Child, leader_only: bool) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        ProcessTree {
            leader: id.and_then(Pid::from_raw),
            leader_only,
        }
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        if let Some(leader) = self.leader {
            if self.leader_only {
                std::thread::sleep(CHILD_START_TIME);
                let _ = kill_process(leader, Signal::KILL);
                return;
            }
            let descendants = descendants(leader);
            let _ = kill_process_group(leader, Signal::KILL);
            kill(&descendants);
        }
    }
}

/// Makes this process the parent of orphaned descendants (child subreaper, Linux only), so that [`kill_descendants`] finds those
/// that left their process group.
pub(crate) fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Asks the system to send SIGTERM to this process when its parent ends (Linux only).
pub(crate) fn end_with_parent() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::TERM));
}

/// Kills all descendants of this process.
pub(crate) fn kill_descendants() {
    kill(&descendants(rustix::process::getpid()));
}

/// Kills all descendants of this process, and then the process itself.
pub(crate) fn kill_self() {
    kill_descendants();
    let _ = kill_process(rustix::process::getpid(), Signal::KILL);
}

fn kill(pids: &[Pid]) {
    for pid in pids {
        let _ = kill_process(*pid, Signal::KILL);
    }
}

/// All descendants of a process, from /proc; none where there is no /proc.
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
