//! The list of running processes, from `/proc`.

use crate::exit::reap_orphan;
use crate::ids::{group_id, session_id};
use crate::{CpuTimes, RunningProcess, Thread};
use rustix::process::{Pid, WaitId, WaitIdOptions, child_subreaper, waitid};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// Whether this is the stub for systems without `/proc`, which lists no process.
pub const IS_STUB: bool = false;

/// The most bytes of a list of children.
const MAX_BYTES: u64 = 1 << 20;

impl RunningProcess {
    fn read(pid: i32) -> Option<RunningProcess> {
        let fields = fields(Path::new(&format!("/proc/{pid}")))?;
        let mut words = fields.split(' ');
        let state = words.next()?;
        let mut number = || words.next()?.parse().ok();
        let (_parent, group, session) = (number()?, number()?, number()?);
        Some(RunningProcess {
            pid: Pid::from_raw(pid)?,
            group,
            session,
            ended: matches!(state, "Z" | "X"),
        })
    }

    /// Its command line, the words with spaces between; empty once it has ended. Waits a few milliseconds for a process that is just
    /// starting a program, because it has none until then.
    #[must_use]
    pub fn command_line(&self) -> String {
        const TRIES: usize = 20;
        let path = format!("/proc/{}/cmdline", self.pid.as_raw_pid());
        let mut tries = (0..TRIES).map(|n| {
            if n > 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::fs::read(&path).unwrap_or_default()
        });
        let line = tries.find(|line| !line.is_empty() || self.ended);
        let line = line.unwrap_or_default();
        let words = line.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        words.collect::<Vec<_>>().join(" ").trim_end().to_owned()
    }

    /// How long ago it began, to a hundredth of a second; `None` if the system does not report it.
    #[must_use]
    pub fn age(&self) -> Option<Duration> {
        /// The field after the name, from 0: the time at which the process began, in clock ticks since the boot.
        const START: usize = 19;
        let fields = fields(Path::new(&format!("/proc/{}", self.pid.as_raw_pid())))?;
        let ticks: f64 = fields.split(' ').nth(START)?.parse().ok()?;
        let began = ticks / rustix::param::clock_ticks_per_second() as f64;
        let times = std::fs::read_to_string("/proc/uptime").ok()?;
        let uptime: f64 = times.split(' ').next()?.parse().ok()?;
        Duration::try_from_secs_f64((uptime - began).max(0.0)).ok()
    }

    /// Whether its environment has this entry, `NAME=VALUE`.
    pub fn has_in_environment(&self, entry: &OsStr) -> bool {
        let path = format!("/proc/{}/environ", self.pid.as_raw_pid());
        std::fs::read(path).is_ok_and(|environment| {
            environment
                .split(|byte| *byte == 0)
                .any(|one| one == entry.as_bytes())
        })
    }

    /// Whether its working directory is this folder or below it; the path must have no symbolic links.
    pub fn works_in(&self, folder: &Path) -> bool {
        let path = format!("/proc/{}/cwd", self.pid.as_raw_pid());
        std::fs::read_link(path).is_ok_and(|at| at.starts_with(folder))
    }
}

/// The fields in the `stat` of a process or thread, separated by spaces, from its state on. The name before them is in parentheses and may
/// hold any byte.
fn fields(folder: &Path) -> Option<String> {
    let stat = std::fs::read(folder.join("stat")).ok()?;
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    Some(String::from_utf8_lossy(stat.get(name_end + 2..)?).into_owned())
}

/// Whether a SIGKILL is already pending for a process.
pub fn has_pending_kill(pid: Pid) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.as_raw_pid()));
    status.is_ok_and(|status| awaits_kill(&status))
}

/// Whether SIGKILL is among the pending signals in the text of `/proc/PID/status`.
fn awaits_kill(status: &str) -> bool {
    const KILL: u64 = 1 << 8;
    let masks = status.lines().filter_map(|line| {
        line.strip_prefix("SigPnd:")
            .or(line.strip_prefix("ShdPnd:"))
    });
    masks
        .filter_map(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .any(|mask| mask & KILL != 0)
}

/// Every process.
pub fn all() -> impl Iterator<Item = RunningProcess> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| RunningProcess::read(entry.ok()?.file_name().to_str()?.parse().ok()?))
}

impl Thread {
    fn read(folder: &Path) -> Option<Thread> {
        /// The fields after the name, from 0: the time in user mode and in the kernel.
        const TIMES: std::ops::Range<usize> = 11..13;
        let fields = fields(folder)?;
        let words: Vec<&str> = fields.split(' ').collect();
        let times = words
            .get(TIMES)?
            .iter()
            .map(|word| word.parse::<u64>().ok());
        Some(Thread {
            is_at_work: matches!(*words.first()?, "R" | "D"),
            ticks: times.sum::<Option<u64>>()?,
            children: children_of_thread(folder)?,
        })
    }
}

/// The threads of a process; `None` if they cannot be read.
pub fn threads(pid: i32) -> Option<Vec<Thread>> {
    let folders = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    folders
        .map(|entry| Thread::read(&entry.ok()?.path()))
        .collect()
}

impl CpuTimes {
    fn read(folder: &Path) -> Option<CpuTimes> {
        let times = std::fs::read_to_string(folder.join("schedstat")).ok()?;
        let mut nanos = times.split_whitespace().map(str::parse);
        let mut next = || nanos.next()?.ok().map(Duration::from_nanos);
        Some(CpuTimes {
            ran: next()?,
            waited: next()?,
            is_ready: fields(folder)?.starts_with('R'),
            sleeps: sleeps(folder)?,
        })
    }
}

/// How often a thread has given the CPU up by itself.
fn sleeps(folder: &Path) -> Option<u64> {
    let status = std::fs::read_to_string(folder.join("status")).ok()?;
    let mut lines = status.lines();
    let count = lines.find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?;
    count.trim().parse().ok()
}

/// The CPU times of the threads of a process, by their ids; empty if the system does not report them.
#[must_use]
pub fn cpu_times(process: Pid) -> Vec<(i32, CpuTimes)> {
    let folders = std::fs::read_dir(format!("/proc/{}/task", process.as_raw_pid()));
    let folders = folders.into_iter().flatten().flatten();
    folders
        .filter_map(|entry| {
            let id = entry.file_name().to_str()?.parse().ok()?;
            Some((id, CpuTimes::read(&entry.path())?))
        })
        .collect()
}

/// The load of the machine: how many threads run or wait for the CPU or a disk, on average over the last minute.
#[must_use]
pub fn load() -> Option<f64> {
    let loads = std::fs::read_to_string("/proc/loadavg").ok()?;
    loads.split(' ').next()?.parse().ok()
}

/// The orphans that this process has adopted and that run: its children, without these leaders and what is in their groups. A process that
/// adopts orphans starts its own children as leaders of groups: another child that has ended is reaped. Only what is left is looked up in
/// `/proc`: whoever looks a process up there makes its end expensive for the system.
pub fn orphans(is_leader: impl Fn(i32) -> bool) -> Vec<RunningProcess> {
    let adopts = adopts_orphans();
    let children = children_of(std::process::id()).into_iter();
    let running = children.filter_map(Pid::from_raw).filter(|&child| {
        let Some(group) = group_id(child) else {
            return false;
        };
        if is_leader(child.as_raw_pid()) || is_leader(group) {
            return false;
        }
        let ended = has_ended(child);
        if ended && adopts && group != child.as_raw_pid() {
            reap_orphan(child);
        }
        !ended
    });
    running
        .filter_map(|child| RunningProcess::read(child.as_raw_pid()))
        .collect()
}

/// The processes in the group or the session of a child of this process, with the child. If this process adopts no orphans, they are searched
/// among all processes.
#[must_use]
pub fn group_of(leader: Pid) -> Vec<RunningProcess> {
    let id = leader.as_raw_pid();
    if !adopts_orphans() {
        return all()
            .filter(|found| found.group == id || found.session == id)
            .collect();
    }
    let ids = |pid| Some((group_id(pid)?, session_id(pid)?));
    let is_member =
        |pid: &Pid| ids(*pid).is_some_and(|(group, session)| group == id || session == id);
    let children = children_of(std::process::id()).into_iter();
    let children = children.filter_map(Pid::from_raw).filter(is_member);
    let (ended, living): (Vec<Pid>, Vec<Pid>) = children.partition(|child| has_ended(*child));
    let descendants: Vec<Pid> = living
        .iter()
        .copied()
        .flat_map(descendants)
        .filter(is_member)
        .collect();
    let ended = ended.into_iter().filter_map(|pid| {
        let (group, session) = ids(pid)?;
        Some(RunningProcess {
            pid,
            group,
            session,
            ended: true,
        })
    });
    let living = living.into_iter().chain(descendants);
    ended
        .chain(living.filter_map(|pid| RunningProcess::read(pid.as_raw_pid())))
        .collect()
}

/// Whether the orphans among the descendants of this process become its children.
fn adopts_orphans() -> bool {
    matches!(child_subreaper(), Ok(Some(_)))
}

/// Whether a child of this process is a zombie.
fn has_ended(child: Pid) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(waitid(WaitId::Pid(child), look), Ok(Some(_)))
}

/// All descendants of a process.
#[must_use]
pub fn descendants(root: Pid) -> Vec<Pid> {
    let mut found = children_of(root.as_raw_pid());
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        found.extend(children_of(pid));
        next += 1;
    }
    found.into_iter().filter_map(Pid::from_raw).collect()
}

/// The children of a process, of all its threads.
fn children_of(pid: impl std::fmt::Display) -> Vec<i32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task"));
    threads
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|thread| children_of_thread(&thread.path()))
        .flatten()
        .collect()
}

/// The children that a thread has started, by its folder.
fn children_of_thread(folder: &Path) -> Option<Vec<i32>> {
    let mut list = String::new();
    // With a limit, nobody asks for the size of the file first, which is not known.
    let file = File::open(folder.join("children")).ok()?;
    file.take(MAX_BYTES).read_to_string(&mut list).ok()?;
    Some(list.split_whitespace().flat_map(str::parse).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pending_sigkill_is_distinguished_from_other_signals() {
        let status = |thread: &str, all: &str| {
            format!("Name:\tsleep\nSigPnd:\t{thread}\nShdPnd:\t{all}\nSigBlk:\tffffffffffffffff\n")
        };
        let none = "0000000000000000";
        assert!(awaits_kill(&status("0000000000000100", none)));
        assert!(awaits_kill(&status(none, "0000000000004100")));
        assert!(!awaits_kill(&status(none, "0000000000004000")));
        assert!(!awaits_kill(""));
        assert!(!has_pending_kill(rustix::process::getpid()));
    }
}
