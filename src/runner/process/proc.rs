//! What `/proc` tells.

use rustix::process::Pid;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// Whether processes cannot be told one by one.
pub(super) const IS_BLIND: bool = false;

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
    let lists = threads
        .filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("children")).ok());
    let pids: Vec<i32> = lists
        .flat_map(|list| {
            list.split_whitespace()
                .filter_map(|word| word.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect();
    pids.into_iter().filter_map(Found::of)
}
