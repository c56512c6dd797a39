//! The width of the terminal.

use std::io::{stderr, stdout};

/// The width if it is not known, in columns.
const USUAL: usize = 80;
/// The least width that lines are cut to.
const LEAST: usize = 40;

/// The width of the terminal that standard output, or else standard error, is written to.
pub(super) fn terminal_width() -> usize {
    let sizes = [
        rustix::termios::tcgetwinsize(stdout()),
        rustix::termios::tcgetwinsize(stderr()),
    ];
    let mut known = sizes
        .into_iter()
        .flatten()
        .map(|size| usize::from(size.ws_col));
    known.find(|width| *width > 0).unwrap_or(USUAL).max(LEAST)
}
