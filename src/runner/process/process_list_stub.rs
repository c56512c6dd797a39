//! A stub of the process list for systems without `/proc`, where only the process group of an agent can be killed.

use rustix::process::Pid;
use std::ffi::OsStr;

pub(super) const IS_STUB: bool = true;

#[derive(Debug)]
pub(super) struct RunningProcess {
    pub(super) pid: Pid,
    pub(super) group: i32,
    pub(super) session: i32,
    pub(super) ended: bool,
}

#[derive(Debug)]
pub(super) struct Thread {
    pub(super) is_at_work: bool,
    pub(super) ticks: u64,
    pub(super) children: Vec<i32>,
}

pub(super) fn threads(_pid: i32) -> Option<Vec<Thread>> {
    None
}

impl RunningProcess {
    pub(super) fn has_in_environment(&self, _entry: &OsStr) -> bool {
        false
    }
}

pub(super) fn has_pending_kill(_pid: Pid) -> bool {
    false
}

pub(super) fn all() -> impl Iterator<Item = RunningProcess> {
    std::iter::empty()
}

pub(super) fn children() -> impl Iterator<Item = RunningProcess> {
    std::iter::empty()
}
