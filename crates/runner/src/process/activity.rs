//! What the processes of an agent have done so far, to see whether they are idle.

use rustix::process::Pid;
use std::collections::BTreeSet;

/// The most CPU time that an idle process tree takes between two observations, in clock ticks: event loops wake up occasionally.
const IDLE_TICKS: u64 = 1;

/// What a process tree has done so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ProcessActivity {
    /// Its processes.
    processes: BTreeSet<i32>,
    /// The CPU time that they have taken, in clock ticks.
    ticks: u64,
}

impl ProcessActivity {
    /// The activity of a process and its descendants; `None` if one of them is at work right now, or if the system does not report it.
    pub(crate) fn measure(leader: Pid) -> Option<Self> {
        let mut activity = ProcessActivity::default();
        let mut open = vec![leader.as_raw_pid()];
        while let Some(pid) = open.pop() {
            if activity.processes.insert(pid) {
                let threads = process_list::threads(pid)?;
                if threads.iter().any(|thread| thread.is_at_work) {
                    return None;
                }
                activity.ticks += threads.iter().map(|thread| thread.ticks).sum::<u64>();
                open.extend(threads.into_iter().flat_map(|thread| thread.children));
            }
        }
        Some(activity)
    }

    /// Whether the processes are the same as before and have done nothing since.
    pub(crate) fn is_idle_since(&self, before: &Self) -> bool {
        self.processes == before.processes && self.ticks <= before.ticks + IDLE_TICKS
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    fn activity_of(child: &Child) -> Option<ProcessActivity> {
        ProcessActivity::measure(Pid::from_child(child))
    }

    /// Waits until a shell has a child.
    fn with_child(shell: &Child) -> ProcessActivity {
        loop {
            let activity = activity_of(shell);
            if let Some(activity) = activity.filter(|one| one.processes.len() > 1) {
                return activity;
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    }

    #[test]
    fn sleeping_processes_are_idle_and_spinning_ones_are_not() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 1000 & wait"])
            .spawn()
            .unwrap();
        let before = with_child(&shell);
        assert!(activity_of(&shell).unwrap().is_idle_since(&before));
        let more = ProcessActivity {
            ticks: before.ticks + 2,
            ..before.clone()
        };
        assert!(!more.is_idle_since(&before));
        for pid in &before.processes {
            let pid = Pid::from_raw(*pid).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
        shell.wait().unwrap();

        let mut spinning = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        let first = activity_of(&spinning);
        while activity_of(&spinning)
            .zip(first.as_ref())
            .is_some_and(|(now, first)| now.is_idle_since(first))
        {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        spinning.kill().unwrap();
        spinning.wait().unwrap();
    }
}
