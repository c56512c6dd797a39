//! How long to wait for what.

use crate::dialect::Dialect;
use indexmap::IndexMap;
use std::time::Duration;

/// The waits of a scenario, each of its own, all stretched by one factor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budgets {
    /// From the start to the first event, where that comes before the step's own time is over.
    pub(super) start: Duration,
    /// From the begin of a step to the first event behind it.
    pub(super) response: Duration,
    /// The longest silence between two events while a step waits.
    pub(super) idle: Duration,
    /// The whole scenario.
    pub(super) total: Duration,
    /// From the end of stdin, or whatever asks the agent to end, to its end.
    pub(super) exit: Duration,
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

impl Budgets {
    /// Those of the scenario, else those of the dialect, else the usual ones.
    pub(super) fn new(dialect: &Dialect, own: &IndexMap<String, Duration>, scale: f64) -> Self {
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
        Budgets {
            start: named("start"),
            response: named("response"),
            idle: named("idle"),
            total: named("total"),
            exit: named("exit"),
            scale,
        }
    }

    /// A time that a scenario names, stretched like all others.
    pub(super) fn scaled(&self, time: Duration) -> Duration {
        stretch(time, self.scale)
    }
}

/// Multiplied; the longest time there is if that is too long.
pub(super) fn stretch(time: Duration, scale: f64) -> Duration {
    const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);
    Duration::try_from_secs_f64(time.as_secs_f64() * scale)
        .unwrap_or(LONGEST)
        .min(LONGEST)
}

/// A time as people write it.
pub(super) fn show(time: Duration) -> String {
    match time.as_millis() {
        0..1000 => format!("{} ms", time.as_millis()),
        millis if millis % 1000 == 0 => format!("{} s", millis / 1000),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}
