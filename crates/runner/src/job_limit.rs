//! How many scenarios may be played at the same time.
//!
//! Agents mostly wait, so more of them than cores may run while cores are idle. The limit starts at the number of cores, grows while they
//! are idle, and falls back while the machine is overloaded: then answers come late, and a slow agent would miss its timeout budgets.

use super::machine_load::{LoadSampler, MachineLoad};
use std::num::NonZeroUsize;
use std::time::Duration;

/// How often the load is sampled.
pub(super) const SAMPLE_INTERVAL: Duration = Duration::from_millis(50);

/// The limit grows while at least this share of the cores is idle.
const IDLE_ENOUGH: f64 = 0.1;
/// The limit only grows while at least this share of the memory is available.
const MEMORY_ENOUGH: f64 = 0.2;
/// The machine is overloaded if no core is idle and more than this number of threads for each core can run.
const OVERLOADED_THREADS: f64 = 6.0;
/// The machine is overloaded if a timer of the harness is later than this.
const OVERLOADED_LAG: Duration = Duration::from_millis(25);
/// The most scenarios for each core.
const MOST_PER_CORE: usize = 12;

/// How many scenarios are played at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jobs {
    /// This number.
    Fixed(NonZeroUsize),
    /// As many as the idle cores allow.
    IdleCores,
}

/// The present limit.
#[derive(Debug)]
pub(super) struct JobLimit {
    limit: usize,
    cores: usize,
    /// `None` for a fixed limit.
    sampler: Option<LoadSampler>,
}

impl JobLimit {
    pub(super) fn new(jobs: Jobs) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let (limit, sampler) = match jobs {
            Jobs::Fixed(limit) => (limit.get(), None),
            Jobs::IdleCores => (cores, Some(LoadSampler::new())),
        };
        JobLimit {
            limit,
            cores,
            sampler,
        }
    }

    /// The most scenarios that may be played now.
    pub(super) fn get(&self) -> usize {
        self.limit
    }

    /// Samples the load and adjusts the limit. `lag` is how late the timer was that called for the sample.
    pub(super) fn adjust(&mut self, playing: usize, lag: Duration) {
        if let Some(load) = self.sampler.as_mut().and_then(LoadSampler::sample) {
            self.limit = adjusted(self.limit, self.cores, playing, lag, load);
        }
    }
}

/// The next limit.
fn adjusted(limit: usize, cores: usize, playing: usize, lag: Duration, load: MachineLoad) -> usize {
    let is_late = lag > OVERLOADED_LAG;
    let is_overloaded = load.idle < IDLE_ENOUGH / 4.0
        && (is_late || load.runnable > OVERLOADED_THREADS * cores as f64);
    let may_grow = load.idle >= IDLE_ENOUGH && load.memory >= MEMORY_ENOUGH && !is_late;
    if is_overloaded {
        (limit - limit.div_ceil(8)).max(cores)
    } else if may_grow && playing >= limit {
        (limit + limit.div_ceil(4)).min(MOST_PER_CORE * cores)
    } else {
        limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: MachineLoad = MachineLoad {
        idle: 0.9,
        runnable: 1.0,
        memory: 0.5,
    };
    const BUSY: MachineLoad = MachineLoad {
        idle: 0.0,
        runnable: 3.0,
        memory: 0.5,
    };
    const OVERLOADED: MachineLoad = MachineLoad {
        idle: 0.0,
        runnable: 40.0,
        memory: 0.5,
    };
    const ON_TIME: Duration = Duration::from_millis(1);

    /// The limit after many samples of the same load, with as many scenarios as are allowed.
    fn settled(mut limit: usize, load: MachineLoad, lag: Duration) -> usize {
        for _ in 0..100 {
            limit = adjusted(limit, 2, limit, lag, load);
        }
        limit
    }

    #[test]
    fn the_limit_grows_while_cores_are_idle_and_stays_while_they_are_busy() {
        assert_eq!(adjusted(2, 2, 2, ON_TIME, IDLE), 3);
        assert_eq!(settled(2, IDLE, ON_TIME), 2 * MOST_PER_CORE);
        assert_eq!(settled(2, BUSY, ON_TIME), 2);
        assert_eq!(settled(9, BUSY, ON_TIME), 9);
    }

    #[test]
    fn the_limit_does_not_grow_unless_it_is_used() {
        assert_eq!(adjusted(8, 2, 7, ON_TIME, IDLE), 8);
    }

    #[test]
    fn an_overloaded_machine_lowers_the_limit_to_the_number_of_cores() {
        assert_eq!(settled(20, OVERLOADED, ON_TIME), 2);
        assert_eq!(settled(20, BUSY, Duration::from_millis(80)), 2);
    }

    #[test]
    fn scarce_memory_or_a_late_timer_stops_the_growth() {
        let scarce = MachineLoad {
            memory: 0.1,
            ..IDLE
        };
        assert_eq!(settled(4, scarce, ON_TIME), 4);
        assert_eq!(settled(4, IDLE, Duration::from_millis(80)), 4);
    }

    #[test]
    fn a_fixed_limit_is_not_adjusted() {
        let mut limit = JobLimit::new(Jobs::Fixed(NonZeroUsize::new(7).unwrap()));
        limit.adjust(7, ON_TIME);
        assert_eq!(limit.get(), 7);
    }
}
