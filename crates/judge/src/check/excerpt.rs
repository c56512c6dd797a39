//! Session excerpt: the first and the last frames of a session, quoted for the sequence diagram of a report.

use super::evidence::{QuotedFrame, RecentFrames};
use crate::finding::Evidence;
use crate::frame::Frame;

/// How many frames are quoted from the start of a session: they hold the handshake and the first command.
const FIRST: u64 = 40;
/// How many frames are quoted from its end, where most findings are.
pub(super) const LAST: usize = 80;

/// The excerpt of one session. Its size is bounded, independent of the length of the session.
#[derive(Debug, Clone, Default)]
pub struct SessionExcerpt {
    first: Vec<QuotedFrame>,
    last: RecentFrames,
}

impl SessionExcerpt {
    /// Adds the next frame, number `n` of the session, if it is one of the first.
    pub(super) fn push(&mut self, n: u64, frame: &Frame) {
        if n <= FIRST {
            self.first.push(QuotedFrame::new(n, frame, Vec::new()));
        }
    }

    /// The excerpt of a session that ended with these frames.
    #[must_use]
    pub(super) fn ended_with(self, last: RecentFrames) -> Self {
        SessionExcerpt { last, ..self }
    }

    /// The frames in their order, those in the middle of a long session left out. No frame is marked.
    pub fn finish(&self) -> Vec<Evidence> {
        let quoted = self.first.iter().chain(self.last.after(FIRST));
        quoted.map(|frame| frame.evidence(false)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Body, Line};

    fn excerpt(frames: u64) -> Vec<Evidence> {
        let mut excerpt = SessionExcerpt::default();
        let mut last = RecentFrames::new(LAST);
        for n in 1..=frames {
            let body = Body::FromAgent(Line::new(n.to_string()));
            let frame = Frame { at: n * 10, body };
            excerpt.push(n, &frame);
            last.push(n, &frame);
        }
        excerpt.ended_with(last).finish()
    }

    #[test]
    fn a_short_session_is_quoted_in_full() {
        let quoted = excerpt(3);
        let texts: Vec<_> = quoted.iter().map(|frame| frame.text.as_str()).collect();
        assert_eq!(texts, ["1", "2", "3"]);
        assert_eq!((quoted[2].frame, quoted[2].micros), (3, 30));
    }

    #[test]
    fn the_middle_of_a_long_session_is_left_out() {
        let quoted = excerpt(1_000);
        let numbers: Vec<_> = quoted.iter().map(|frame| frame.frame).collect();
        let expected: Vec<_> = (1..=40).chain(921..=1_000).collect();
        assert_eq!(numbers, expected);
    }
}
