//! The timings of a run (`--timings`): how long it took beside what the cores of the machine allow.

use crate::runner::scenario_run::ScenarioRun;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::time::Duration;

/// The timings of the scenarios that were played.
#[derive(Debug, Default)]
pub(super) struct Timings {
    /// From the start of an agent to its first line, in the order in which the scenarios ended.
    first_lines: Vec<Duration>,
    scenarios: u32,
    playing: usize,
    most: usize,
}

impl Timings {
    /// A scenario has been started.
    pub(super) fn started(&mut self) {
        self.playing += 1;
        self.most = self.most.max(self.playing);
    }

    /// A scenario has ended.
    pub(super) fn ended(&mut self, entry: &ScenarioRun) {
        if entry.played {
            self.playing -= 1;
            self.scenarios += 1;
            self.first_lines.extend(entry.first_line);
        }
    }

    /// Writes the timings of a run that took this long.
    pub(super) fn write(&self, run: Duration, screen: &mut dyn Write) -> io::Result<()> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let each = run.as_secs_f64() * 1000.0 / f64::from(self.scenarios.max(1));
        writeln!(
            screen,
            "{:>13} {} scenarios in {:.1} s, {each:.1} ms each; at most {} at a time on {cores} cores",
            "Timings",
            self.scenarios,
            run.as_secs_f64(),
            self.most
        )?;
        let mut sorted = self.first_lines.clone();
        sorted.sort_unstable();
        let (Some(least), Some(median)) = (sorted.first(), sorted.get(sorted.len() / 2)) else {
            return Ok(());
        };
        let bound = least.as_secs_f64() * f64::from(self.scenarios) / cores as f64;
        writeln!(
            screen,
            "{:>13} spawn to first line {:.3} s at least, {:.3} s in the median",
            "",
            least.as_secs_f64(),
            median.as_secs_f64()
        )?;
        writeln!(
            screen,
            "{:>13} scenarios x the least / cores: {bound:.1} s; the run took {:.2} times that",
            "",
            run.as_secs_f64() / bound
        )
    }
}
