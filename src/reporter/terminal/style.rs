//! Colours.

use crate::finding::Level;
use crate::report::Verdict;
use anstyle::{AnsiColor, Style};

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const MARK: Style = AnsiColor::Red.on_default().bold();

pub(super) fn verdict(verdict: Verdict) -> Style {
    let colour = match verdict {
        Verdict::Pass => AnsiColor::Green,
        Verdict::Fail | Verdict::Broken => AnsiColor::Red,
        Verdict::Warn | Verdict::Inconclusive | Verdict::NotExercised => AnsiColor::Yellow,
        Verdict::Skipped => AnsiColor::Blue,
    };
    colour.on_default().bold()
}

pub(super) fn level(level: Level) -> Style {
    let colour = match level {
        Level::Must => AnsiColor::Red,
        Level::Should => AnsiColor::Yellow,
        Level::May => AnsiColor::Blue,
    };
    colour.on_default().bold()
}
