//! Histories in the notation of `hosts.yaml`.

use conform_judge::frame::Frame;

/// Parses a history.
pub(crate) fn frames(session: &str) -> Vec<Frame> {
    conform_judge::history::frames(session).unwrap()
}
