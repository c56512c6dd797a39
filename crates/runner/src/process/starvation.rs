//! Whether an agent was ready to run and did not get the CPU: then it is the machine that is too busy, and not the agent that hangs.

use process_list::CpuTimes;
use rustix::process::Pid;
use std::collections::HashMap;
use std::time::Duration;

/// The CPU times of the threads of a process tree, by their ids.
#[derive(Debug, Default)]
pub(crate) struct TreeCpuTimes(HashMap<i32, CpuTimes>);

/// A thread that waits for a shorter time has a short budget rather than a busy machine. Nothing is measured in shorter waits: whatever
/// was read of a thread makes its end expensive for the system.
pub(crate) const LEAST_WAIT: Duration = Duration::from_millis(500);

impl TreeCpuTimes {
    /// Those of a process and its descendants; empty if the system does not report them.
    pub(crate) fn measure(leader: Pid) -> Self {
        let tree = std::iter::once(leader).chain(process_list::descendants(leader));
        TreeCpuTimes(tree.flat_map(process_list::cpu_times).collect())
    }

    /// Whether a thread was ready to run and had no CPU for most of this time, which is that between the two measurements. A process that
    /// sleeps or is blocked does not wait for the CPU, however busy the machine is.
    pub(crate) fn was_starved_since(&self, before: &Self, time: Duration) -> bool {
        self.0.iter().any(|(thread, now)| {
            let before = before.0.get(thread).copied().unwrap_or_default();
            let never_slept = now.is_ready && before.is_ready && now.sleeps == before.sleeps;
            let waited = if never_slept {
                // A wait is counted only when it is over, and there is nothing else that the thread has done.
                time.saturating_sub(now.ran.saturating_sub(before.ran))
            } else {
                now.waited.saturating_sub(before.waited)
            };
            waited >= LEAST_WAIT && waited * 2 > time
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_secs(20);

    fn measured(ran: u64, waited: u64, is_ready: bool) -> TreeCpuTimes {
        slept(ran, waited, is_ready, 0)
    }

    fn slept(ran: u64, waited: u64, is_ready: bool, sleeps: u64) -> TreeCpuTimes {
        let seconds = Duration::from_secs;
        let (ran, waited) = (seconds(ran), seconds(waited));
        let times = CpuTimes {
            ran,
            waited,
            is_ready,
            sleeps,
        };
        TreeCpuTimes([(1, times), (2, CpuTimes::default())].into())
    }

    #[test]
    fn an_agent_that_was_ready_and_had_no_cpu_was_starved() {
        let before = measured(1, 30, true);
        // It waited twice and still waits, slept at last, never ran, and ran once in a wait that is not over.
        for after in [
            slept(2, 48, true, 1),
            measured(1, 48, false),
            measured(1, 30, true),
            measured(2, 32, true),
        ] {
            assert!(after.was_starved_since(&before, TIME), "{after:?}");
        }
        let new = measured(1, 18, true);
        assert!(new.was_starved_since(&TreeCpuTimes::default(), TIME));
    }

    #[test]
    fn an_agent_that_sleeps_or_computes_was_not_starved() {
        let before = measured(1, 30, true);
        // It sleeps, sleeps with a timer on a busy machine, and computes without an end.
        for after in [
            measured(1, 30, false),
            measured(2, 35, false),
            slept(2, 35, true, 1),
            measured(20, 31, true),
        ] {
            assert!(!after.was_starved_since(&before, TIME), "{after:?}");
        }
        let soon = measured(1, 30, true);
        assert!(!soon.was_starved_since(&before, LEAST_WAIT / 2));
        let unknown = TreeCpuTimes::default();
        assert!(!unknown.was_starved_since(&before, TIME));
    }
}
