//! A stub of the process list for systems without `/proc`, where only the process group of an agent can be killed.

use crate::{CpuTimes, RunningProcess, Thread};
use rustix::process::Pid;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

pub const IS_STUB: bool = true;

pub fn threads(_pid: i32) -> Option<Vec<Thread>> {
    None
}

pub fn cpu_times(_process: Pid) -> Vec<(i32, CpuTimes)> {
    Vec::new()
}

pub fn load() -> Option<f64> {
    None
}

impl RunningProcess {
    pub fn command_line(&self) -> String {
        String::new()
    }

    pub fn age(&self) -> Option<Duration> {
        None
    }

    pub fn has_in_environment(&self, _entry: &OsStr) -> bool {
        false
    }

    pub fn works_in(&self, _folder: &Path) -> bool {
        false
    }
}

pub fn has_pending_kill(_pid: Pid) -> bool {
    false
}

pub fn all() -> impl Iterator<Item = RunningProcess> {
    std::iter::empty()
}

pub fn orphans(_is_leader: impl Fn(i32) -> bool) -> Vec<RunningProcess> {
    Vec::new()
}

pub fn group_of(_leader: Pid) -> Vec<RunningProcess> {
    Vec::new()
}

pub fn descendants(_root: Pid) -> Vec<Pid> {
    Vec::new()
}
