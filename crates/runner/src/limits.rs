//! Timeout budgets of a scenario, and the fixed limits on output, memory and waiting that protect a run from a broken agent.

use conform_judge::dialect::Dialect;
use indexmap::IndexMap;
use std::time::Duration;

/// The bytes of stdout that one process may write.
pub(crate) const STDOUT_BYTES: u64 = 64 << 20;
/// The lines of stdout that one process may write.
pub(crate) const STDOUT_LINES: u64 = 100_000;
/// The bytes of stderr that are recorded; the rest is read and dropped.
pub(crate) const STDERR_BYTES: u64 = 1 << 20;
/// The bytes of one line of stderr that are recorded.
pub(crate) const STDERR_LINE: usize = 64 << 10;
/// The bytes in the event queue beyond which stdout is not read.
pub(crate) const QUEUE_BYTES: usize = 4 << 20;
/// The events in the event queue beyond which stdout is not read.
pub(crate) const QUEUE_EVENTS: usize = 4096;
/// The newest events, in which steps look for one that came early.
pub(crate) const LOG_EVENTS: usize = 16 << 10;
/// The writes to the agent's stdin that may wait for it to read.
pub(crate) const STDIN_WRITES: usize = 4096;

/// How long a scenario waits for other agents to start before it starts its own.
pub(crate) const STARTING: Duration = Duration::from_secs(10);
/// How long a process that outlives the agent may take to end before it is killed and counted as an orphan.
pub(crate) const ORPHAN_GRACE: Duration = Duration::from_secs(1);
/// How long a pipe without data is read after the process tree has gone.
pub(crate) const PIPE_TIMEOUT: Duration = Duration::from_secs(1);
/// How long exchanges with the model may take to close after the agent has gone.
pub(crate) const EXCHANGE_TIMEOUT: Duration = Duration::from_millis(500);
/// How long an agent that has closed its stdout may take to exit before its stdin is closed.
pub(crate) const EXIT_AFTER_STDOUT: Duration = Duration::from_millis(500);

/// The timeout budgets of a scenario, all stretched by one factor (`--time-scale`).
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeoutBudgets {
    /// From the start of the agent to its first event.
    pub(crate) start: Duration,
    /// From the beginning of a step to the next event.
    pub(crate) response: Duration,
    /// The longest silence between two events while a step waits.
    pub(crate) idle: Duration,
    /// The whole scenario.
    pub(crate) total: Duration,
    /// From the end of stdin, or another request to exit, to the end of the process.
    pub(crate) exit: Duration,
    /// How long an agent must be silent and idle, with no work open, until a wait ends early. It is never shortened.
    pub(crate) settle: Duration,
    /// How long the agent may do nothing in the middle of the smoke scenario.
    pub(crate) smoke: Duration,
    scale: f64,
}

impl TimeoutBudgets {
    /// The budgets of the scenario, else of the dialect, else these defaults, in seconds.
    pub(crate) fn new(dialect: &Dialect, own: &IndexMap<String, Duration>, scale: f64) -> Self {
        let named = |name: &str, default: u64| {
            let written = own.get(name).copied().or_else(|| dialect.budget(name));
            written.unwrap_or(Duration::from_secs(default))
        };
        let scaled = |name: &str, default: u64| stretch(named(name, default), scale);
        TimeoutBudgets {
            start: scaled("start", 10),
            response: scaled("response", 10),
            idle: scaled("idle", 10),
            total: scaled("total", 60),
            exit: scaled("exit", 5),
            settle: stretch(named("settle", 1), scale.max(1.0)),
            smoke: stretch(named("smoke", 4), scale.max(1.0)),
            scale,
        }
    }

    /// A time from a scenario, stretched by the same factor.
    pub(crate) fn scaled(&self, time: Duration) -> Duration {
        stretch(time, self.scale)
    }
}

/// A time multiplied by a factor, at most 30 days.
pub(crate) fn stretch(time: Duration, scale: f64) -> Duration {
    const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);
    Duration::try_from_secs_f64(time.as_secs_f64() * scale)
        .unwrap_or(LONGEST)
        .min(LONGEST)
}

/// A time as text, such as `250 ms` or `1.5 s`.
pub(crate) fn show(time: Duration) -> String {
    match time.as_millis() {
        0..1000 => format!("{} ms", time.as_millis()),
        millis if millis % 1000 == 0 => format!("{} s", millis / 1000),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}
