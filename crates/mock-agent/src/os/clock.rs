//! The clock of the waits that a host sees: retries, delays, the pace of replies. It runs as fast as the machine's clock, faster, or
//! is stopped until a test advances it.

use super::until;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// The variable for the speed of the clock.
pub(crate) const VARIABLE: &str = "MOCK_AGENT_CLOCK";

/// The slowest and the fastest clock that runs.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.001..=1_000_000.0;

/// The clock of an agent.
#[derive(Debug)]
pub(crate) struct Clock {
    started: Instant,
    /// How many times as fast as the machine's clock; `None` if it is stopped.
    speed: Option<f64>,
    stopped: Mutex<Stopped>,
    /// The clock was advanced, or a wait has begun.
    change: Notify,
    /// The same, for threads.
    advanced: Condvar,
    /// The runtime has nothing left to do.
    idle: Notify,
}

/// A stopped clock.
#[derive(Debug, Default)]
struct Stopped {
    now: Duration,
    /// When each wait ends.
    waits: Vec<Duration>,
}

/// A wait on a stopped clock; dropped when it ends or is cancelled.
struct Wait<'a> {
    clock: &'a Clock,
    end: Duration,
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let waits = &mut self.clock.stopped().waits;
        if let Some(at) = waits.iter().position(|end| *end == self.end) {
            waits.swap_remove(at);
        }
    }
}

impl Clock {
    /// A clock of this speed: `stopped`, or how many times as fast as the clock of the machine.
    ///
    /// # Errors
    /// It is neither of them.
    pub(crate) fn new(speed: Option<&str>) -> Result<Self, String> {
        let speed = match speed {
            None => Some(1.0),
            Some("stopped") => None,
            Some(text) => match text.parse() {
                Ok(speed) if SPEEDS.contains(&speed) => Some(speed),
                _ => {
                    let (least, most) = (SPEEDS.start(), SPEEDS.end());
                    return Err(format!(
                        "{VARIABLE}: {text:?} is neither `stopped` nor a number from {least} to {most}, which is how many times as fast it runs"
                    ));
                }
            },
        };
        Ok(Clock {
            started: Instant::now(),
            speed,
            stopped: Mutex::default(),
            change: Notify::new(),
            advanced: Condvar::new(),
            idle: Notify::new(),
        })
    }

    /// Whether only a test moves it.
    pub(crate) fn is_stopped(&self) -> bool {
        self.speed.is_none()
    }

    /// The time since the start of the agent.
    pub(crate) fn now(&self) -> Duration {
        match self.speed {
            Some(speed) => self.started.elapsed().mul_f64(speed),
            None => self.stopped().now,
        }
    }

    /// Waits for this long.
    pub(crate) async fn sleep(&self, length: Duration) {
        if let Some(speed) = self.speed {
            return tokio::time::sleep(length.div_f64(speed)).await;
        }
        let wait = self.begin(length);
        self.change.notify_waiters();
        until(&self.change, || self.now() >= wait.end).await;
    }

    /// The same for a thread.
    pub(crate) fn block(&self, length: Duration) {
        if let Some(speed) = self.speed {
            return std::thread::sleep(length.div_f64(speed));
        }
        let wait = self.begin(length);
        self.change.notify_waiters();
        let still = |stopped: &mut Stopped| stopped.now < wait.end;
        let waited = self.advanced.wait_while(self.stopped(), still);
        drop(waited);
    }

    /// Advances a stopped clock, from the end of one wait to the next, so that a wait that follows another one begins when that ends.
    /// `settled` returns when the agent has done what it does before it waits again.
    pub(crate) async fn advance(&self, by: Duration, settled: impl AsyncFn()) {
        let target = self.now().saturating_add(by);
        settled().await;
        while let Some(end) = self.next_end().filter(|end| *end <= target) {
            self.set(end);
            settled().await;
        }
        self.set(target);
    }

    /// How long each wait still takes, the shortest first.
    pub(crate) fn waits(&self) -> Vec<Duration> {
        let stopped = self.stopped();
        let waits = stopped.waits.iter();
        let mut left: Vec<_> = waits.map(|end| end.saturating_sub(stopped.now)).collect();
        left.sort_unstable();
        left
    }

    /// Waits until something waits for the clock.
    pub(crate) async fn is_awaited(&self) {
        until(&self.change, || self.next_end().is_some()).await;
    }

    /// To be called whenever the runtime has nothing left to do.
    pub(crate) fn note_idle(&self) {
        self.idle.notify_waiters();
    }

    /// Waits until the runtime has nothing left to do.
    pub(crate) async fn idle(&self) {
        self.idle.notified().await;
    }

    fn stopped(&self) -> MutexGuard<'_, Stopped> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, length: Duration) -> Wait<'_> {
        let mut stopped = self.stopped();
        let end = stopped.now.saturating_add(length);
        stopped.waits.push(end);
        Wait { clock: self, end }
    }

    /// The end of the wait that ends next. One whose time has come ends as soon as its task runs.
    fn next_end(&self) -> Option<Duration> {
        let stopped = self.stopped();
        let later = stopped.waits.iter().filter(|end| **end > stopped.now);
        later.min().copied()
    }

    fn set(&self, now: Duration) {
        let stopped = &mut self.stopped();
        stopped.now = stopped.now.max(now);
        self.advanced.notify_all();
        self.change.notify_waiters();
    }
}
