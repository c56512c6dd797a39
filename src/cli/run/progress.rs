//! The output of a run while it is active: a line for each scenario that ends and, on a terminal, a live line with those that are playing.

use crate::cli::args::ReportTarget;
use crate::cli::reports;
use conform_judge::finding::Blame;
use conform_report::Verdict;
use conform_report::reporter::terminal;
use conform_runner::trials::ScenarioRun;
use indexmap::{IndexMap, IndexSet};
use std::io::{self, Write};
use std::time::Instant;

/// The width of a terminal if it is not known, in columns.
const USUAL_WIDTH: usize = 80;
/// The least width that the live line is cut to, in columns.
const LEAST_WIDTH: usize = 40;

/// The progress of a run on the screen.
pub(in crate::cli) struct Progress {
    screen: Box<dyn Write>,
    live: Option<LiveLine>,
    /// Whether scenarios that passed have a line, too.
    shows_passed: bool,
    /// How many scenarios were left out, by the reason.
    left_out: IndexMap<String, usize>,
    error: Option<io::Error>,
}

/// The last line of a terminal, which is drawn again and again.
struct LiveLine {
    began: Instant,
    total: usize,
    ended: usize,
    failed: usize,
    playing: IndexSet<String>,
}

impl Progress {
    /// The progress of a run of this many scenarios.
    pub(in crate::cli) fn new(reports: &[ReportTarget], total: usize) -> Self {
        let live = LiveLine {
            began: Instant::now(),
            total,
            ended: 0,
            failed: 0,
            playing: IndexSet::new(),
        };
        Progress {
            screen: reports::screen(reports),
            live: reports::is_screen_a_terminal(reports).then_some(live),
            shows_passed: true,
            left_out: IndexMap::new(),
            error: None,
        }
    }

    /// The progress of a run of many scenarios, of which those that pass are only counted.
    pub(in crate::cli) fn of_failures(reports: &[ReportTarget]) -> Self {
        Progress {
            shows_passed: false,
            ..Progress::new(reports, 0)
        }
    }

    /// Adds scenarios to the number of those that will be played.
    pub(in crate::cli) fn expect_more(&mut self, more: usize) {
        if let Some(live) = &mut self.live {
            live.total += more;
        }
    }

    /// A scenario has been started.
    pub(in crate::cli) fn started(&mut self, id: String) {
        if let Some(live) = &mut self.live {
            live.playing.insert(id);
        }
        self.write(|_| Ok(()));
    }

    /// Shows a note about the run.
    pub(in crate::cli) fn note(&mut self, note: &str) {
        self.write(|screen| writeln!(screen, "{:>13} {note}", "Note"));
    }

    /// A scenario has ended, or was left out.
    pub(in crate::cli) fn ended(&mut self, entry: &ScenarioRun, failed: bool) {
        if let Some(live) = &mut self.live {
            live.ended += 1;
            live.failed += usize::from(failed);
            live.playing.shift_remove(&entry.report.id);
        }
        if entry.played && entry.report.verdict == Verdict::Pass && !self.shows_passed {
            self.write(|_| Ok(()));
        } else if entry.played {
            let width = match &self.live {
                Some(_) => terminal_width(),
                None => terminal::LINE_WIDTH,
            };
            self.write(|screen| terminal::line(&entry.report, Blame::Agent, width, screen));
        } else {
            let reason = entry.report.reason.clone();
            *self.left_out.entry(reason).or_default() += 1;
        }
    }

    /// Ends the live line. Returns the screen, or the first error of a write.
    pub(in crate::cli) fn finish(mut self) -> io::Result<Box<dyn Write>> {
        self.live = None;
        let left_out = std::mem::take(&mut self.left_out);
        self.write(|screen| {
            left_out
                .iter()
                .try_for_each(|(reason, times)| terminal::left_out(*times, reason, screen))
        });
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.screen),
        }
    }

    /// Writes lines above the live line.
    fn write(&mut self, lines: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if self.error.is_some() {
            return;
        }
        let live = self.live.as_ref().map(LiveLine::text);
        let written = erase(&live, &mut *self.screen)
            .and_then(|()| lines(&mut *self.screen))
            .and_then(|()| write!(self.screen, "{}", live.unwrap_or_default()))
            .and_then(|()| self.screen.flush());
        self.error = written.err();
    }
}

/// Moves to the start of the live line and erases it.
fn erase(live: &Option<String>, screen: &mut dyn Write) -> io::Result<()> {
    match live {
        Some(_) => write!(screen, "\r\x1b[K"),
        None => Ok(()),
    }
}

impl LiveLine {
    /// The line, cut to the width of the terminal so that it does not wrap.
    fn text(&self) -> String {
        let playing: Vec<&str> = self.playing.iter().map(String::as_str).collect();
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(", {failed} failed"),
        };
        let line = format!(
            "{:>13} [{:>8.1}s] {} of {}{failed}; playing {}: {}",
            "Running",
            self.began.elapsed().as_secs_f64(),
            self.ended,
            self.total,
            playing.len(),
            playing.join(", ")
        );
        line.chars().take(terminal_width() - 1).collect()
    }
}

/// The width of the terminal that standard output, or else standard error, is written to.
fn terminal_width() -> usize {
    let sizes = [
        rustix::termios::tcgetwinsize(io::stdout()),
        rustix::termios::tcgetwinsize(io::stderr()),
    ];
    let widths = sizes.into_iter().flatten().map(|size| size.ws_col);
    let known = widths.map(usize::from).find(|width| *width > 0);
    known.unwrap_or(USUAL_WIDTH).max(LEAST_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_live_line_fits_the_terminal() {
        let live = LiveLine {
            began: Instant::now(),
            total: 1200,
            ended: 7,
            failed: 2,
            playing: (0..50).map(|n| format!("d@1/scenario-{n}")).collect(),
        };
        let text = live.text();
        assert!(
            text.contains("7 of 1200, 2 failed; playing 50: d@1/scenario-0, "),
            "{text}"
        );
        assert!(text.chars().count() < terminal_width());
    }
}
