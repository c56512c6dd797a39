//! A stub of the process list for systems without `/proc`, where only the process group of an agent can be killed.

use rustix::process::Pid;
use std::ffi::OsStr;
use std::time::Duration;

pub(crate) const IS_STUB: bool = true;

#[derive(Debug)]
pub(crate) struct RunningProcess {
    pub(crate) pid: Pid,
    pub(crate) group: i32,
    pub(crate) session: i32,
    pub(crate) ended: bool,
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

pub(super) fn cpu_time(_pid: i32) -> Option<Duration> {
    None
}

pub(super) async fn cpu_time_at_end(_pid: Option<u32>) -> Option<Duration> {
    None
}

pub(crate) fn own_cpu_times() -> Option<(Duration, Duration)> {
    None
}

impl RunningProcess {
    pub(crate) fn has_in_environment(&self, _entry: &OsStr) -> bool {
        false
    }
}

pub(crate) fn has_pending_kill(_pid: Pid) -> bool {
    false
}

pub(crate) fn all() -> impl Iterator<Item = RunningProcess> {
    std::iter::empty()
}

pub(crate) fn children(_is_wanted: impl Fn(i32) -> bool) -> impl Iterator<Item = RunningProcess> {
    std::iter::empty()
}
