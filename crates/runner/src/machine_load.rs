//! How busy the machine is: the idle share of the cores that this process may use, and the memory that is available.
//!
//! Read from `/proc`. Elsewhere, and where `/proc` cannot be read, nothing is known.

use std::collections::BTreeSet;
use std::fs::read_to_string;

/// How busy the machine was since the last sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MachineLoad {
    /// The idle share of the usable cores, from 0 to 1.
    pub(super) idle: f64,
    /// The threads that can run, on all cores of the machine.
    pub(super) runnable: f64,
    /// The available share of the memory, from 0 to 1.
    pub(super) memory: f64,
}

/// Takes samples of the load.
#[derive(Debug)]
pub(super) struct LoadSampler {
    /// The cores that this process may use.
    cores: BTreeSet<usize>,
    last: Option<CoreTimes>,
}

/// The time that cores have spent since the machine started, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CoreTimes {
    idle: u64,
    total: u64,
}

impl LoadSampler {
    pub(super) fn new() -> Self {
        let status = read_to_string("/proc/self/status").unwrap_or_default();
        let mut sampler = LoadSampler {
            cores: allowed_cores(&status),
            last: None,
        };
        sampler.sample();
        sampler
    }

    /// The load since the last sample; `None` if it is not known or no time has passed.
    pub(super) fn sample(&mut self) -> Option<MachineLoad> {
        let stat = read_to_string("/proc/stat").ok()?;
        let memory = read_to_string("/proc/meminfo").ok()?;
        let now = core_times(&stat, &self.cores)?;
        let before = self.last.replace(now)?;
        let total = now.total.checked_sub(before.total)?;
        (total > 0).then(|| MachineLoad {
            idle: now.idle.saturating_sub(before.idle) as f64 / total as f64,
            runnable: number_after(&stat, "procs_running").unwrap_or(0) as f64,
            memory: available_share(&memory).unwrap_or(1.0),
        })
    }
}

/// The cores of the line `Cpus_allowed_list: 0-3,8` of `/proc/self/status`; empty if there is none.
fn allowed_cores(status: &str) -> BTreeSet<usize> {
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let ranges = list.unwrap_or_default().trim().split(',');
    let cores = ranges.filter_map(|range| {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        Some(from.parse::<usize>().ok()?..=to.parse::<usize>().ok()?)
    });
    cores.flatten().collect()
}

/// The sums over these cores of `/proc/stat`, or over all of them if none are known. Waiting for a disk does not count as idle.
fn core_times(stat: &str, cores: &BTreeSet<usize>) -> Option<CoreTimes> {
    let mut sums = CoreTimes { idle: 0, total: 0 };
    for line in stat.lines() {
        let Some((core, times)) = line.strip_prefix("cpu").and_then(|l| l.split_once(' ')) else {
            continue;
        };
        let is_counted = core
            .parse()
            .is_ok_and(|core: usize| cores.is_empty() || cores.contains(&core));
        if is_counted {
            let times: Vec<u64> = times.split_whitespace().flat_map(str::parse).collect();
            sums.idle += times.get(IDLE_COLUMN)?;
            // Guest time is contained in user time.
            sums.total += times.iter().take(GUEST_COLUMN).sum::<u64>();
        }
    }
    (sums.total > 0).then_some(sums)
}

/// The column of the idle time in a line of `/proc/stat`, and the first one that repeats another.
const IDLE_COLUMN: usize = 3;
const GUEST_COLUMN: usize = 8;

fn available_share(meminfo: &str) -> Option<f64> {
    let total = number_after(meminfo, "MemTotal:")?;
    let available = number_after(meminfo, "MemAvailable:")?;
    (total > 0).then(|| available as f64 / total as f64)
}

/// The number behind a name at the start of a line.
fn number_after(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 10 0 10 60 20 0 0 0 5 0\ncpu1 100 0 0 0 0 0 0 0 0 0\nctxt 5\nprocs_running 3\n";

    #[test]
    fn only_the_usable_cores_count() {
        let of = |cores: &str| core_times(STAT, &allowed_cores(cores)).unwrap();
        let first = "Name:\tx\nCpus_allowed_list:\t0\n";
        let both = "Cpus_allowed_list:\t0-1,7\n";
        assert_eq!(
            of(first),
            CoreTimes {
                idle: 60,
                total: 100
            }
        );
        assert_eq!(
            of(both),
            CoreTimes {
                idle: 60,
                total: 200
            }
        );
        assert_eq!(of(""), of(both));
        assert_eq!(core_times("", &BTreeSet::new()), None);
    }

    #[test]
    fn the_available_memory_is_a_share() {
        let meminfo = "MemTotal:  1000 kB\nMemFree: 10 kB\nMemAvailable:   250 kB\n";
        assert_eq!(available_share(meminfo), Some(0.25));
        assert_eq!(available_share("MemTotal: 0 kB\n"), None);
    }
}
