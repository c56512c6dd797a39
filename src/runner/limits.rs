//! Timeout budgets of a scenario, and the fixed limits on output, memory and waiting that protect a run from a broken agent.

use crate::dialect::Dialect;
use indexmap::IndexMap;
use std::time::Duration;

/// Bytes of stdout that one process may write.
pub(crate) const STDOUT_BYTES: u64 = 64 << 20;
/// Lines of stdout that one process may write.
pub(crate) const STDOUT_LINES: u64 = 100_000;
/// Bytes of stderr that are kept; the rest is read and dropped.
pub(crate) const STDERR_BYTES: u64 = 1 << 20;
/// Bytes of one line of stderr that are kept.
pub(crate) const STDERR_LINE: usize = 64 << 10;
/// Bytes read and not yet looked at, beyond which nothing more is read.
pub(crate) const HELD_BYTES: usize = 4 << 20;
/// Things that happened and were not yet looked at, beyond which nothing more is read.
pub(crate) const HELD_ITEMS: usize = 4096;
/// Writes to the agent's stdin that may wait for it to read.
pub(crate) const STDIN_WRITES: usize = 4096;

/// How long a process that outlives the agent is given to end by itself before it counts as left behind.
pub(crate) const ORPHAN_GRACE: Duration = Duration::from_secs(1);
/// How long a pipe is read on without news after the last process of the tree has gone.
pub(crate) const PIPE_PATIENCE: Duration = Duration::from_secs(1);
/// How long an exchange with the model may take to notice that the agent has gone.
pub(crate) const EXCHANGE_PATIENCE: Duration = Duration::from_millis(500);
/// How long a killed process may take to be gone.
pub(crate) const KILL_PATIENCE: Duration = Duration::from_secs(10);
/// How long an agent that has closed its stdout is given to end before its stdin is closed too.
pub(crate) const GOODBYE: Duration = Duration::from_millis(500);

/// The waits of a scenario, each of its own, all stretched by one factor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeoutBudgets {
    /// From the start to the first event, where that comes before the step's own time is over.
    pub(crate) start: Duration,
    /// From the begin of a step to the first event behind it.
    pub(crate) response: Duration,
    /// The longest silence between two events while a step waits.
    pub(crate) idle: Duration,
    /// The whole scenario.
    pub(crate) total: Duration,
    /// From the end of stdin, or whatever asks the agent to end, to its end.
    pub(crate) exit: Duration,
    scale: f64,
}

/// Where neither the dialect nor the scenario says.
const DEFAULTS: &[(&str, Duration)] = &[
    ("start", Duration::from_secs(10)),
    ("response", Duration::from_secs(10)),
    ("idle", Duration::from_secs(10)),
    ("total", Duration::from_secs(60)),
    ("exit", Duration::from_secs(5)),
];

impl TimeoutBudgets {
    /// Those of the scenario, else those of the dialect, else the usual ones.
    pub(crate) fn new(dialect: &Dialect, own: &IndexMap<String, Duration>, scale: f64) -> Self {
        let named = |name: &str| {
            let usual = || {
                DEFAULTS
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, usual)| *usual)
            };
            let written = own.get(name).copied().or_else(|| dialect.budget(name));
            stretch(written.or_else(usual).unwrap_or_default(), scale)
        };
        TimeoutBudgets {
            start: named("start"),
            response: named("response"),
            idle: named("idle"),
            total: named("total"),
            exit: named("exit"),
            scale,
        }
    }

    /// A time that a scenario names, stretched like all others.
    pub(crate) fn scaled(&self, time: Duration) -> Duration {
        stretch(time, self.scale)
    }
}

/// Multiplied; the longest time there is if that is too long.
pub(crate) fn stretch(time: Duration, scale: f64) -> Duration {
    const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);
    Duration::try_from_secs_f64(time.as_secs_f64() * scale)
        .unwrap_or(LONGEST)
        .min(LONGEST)
}

/// A time as people write it.
pub(crate) fn show(time: Duration) -> String {
    match time.as_millis() {
        0..1000 => format!("{} ms", time.as_millis()),
        millis if millis % 1000 == 0 => format!("{} s", millis / 1000),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}
