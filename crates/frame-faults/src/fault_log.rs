//! The fault log: a line on stderr with the fault that has taken effect, and the first output line that it can have affected.

const BEGIN: &str = "fault ";
const MIDDLE: &str = " played at line ";
const HELD: &str = " holds back line ";

/// The log line. `line` is the first line of stdout, counted from 1, that the fault can have affected.
#[must_use]
pub fn entry(fault: &str, line: u64) -> String {
    format!("{BEGIN}{fault}{MIDDLE}{line}")
}

/// The log line of a fault that holds back a line of stdout. Whether that changes anything shows later.
#[must_use]
pub(crate) fn held_entry(fault: &str, line: u64) -> String {
    format!("{BEGIN}{fault}{HELD}{line}")
}

/// Reads a line of stderr: the fault and the line that it holds back.
#[must_use]
pub fn parse_held(text: &str) -> Option<(&str, u64)> {
    let (fault, line) = text.strip_prefix(BEGIN)?.split_once(HELD)?;
    Some((fault, line.trim_end().parse().ok()?))
}

/// Reads a line of stderr: the fault and its first line of stdout, or `None` if it is not an entry of the fault log.
#[must_use]
pub fn parse_entry(text: &str) -> Option<(&str, u64)> {
    let (fault, line) = text.strip_prefix(BEGIN)?.split_once(MIDDLE)?;
    Some((fault, line.trim_end().parse().ok()?))
}
