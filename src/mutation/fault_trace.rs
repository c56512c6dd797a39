//! Where in a session a fault was played.

use crate::dialect::{Dialect, FrameIdentity, FrameNames};
use crate::frame::{Body, Frame};
use crate::framing::parse;

/// What is no part of the conversation.
const STDERR: &str = "stderr";

/// One life of the agent, as far as the kill matrix needs to know it.
#[derive(Debug, Clone, Default)]
pub struct FaultTrace {
    /// What each frame is, in the words of rules.
    names: Vec<String>,
    /// The frame number of each line of the agent's.
    lines: Vec<u64>,
    /// The line, counted from 1, that was the first the fault can have spoilt.
    played: Option<u64>,
    /// The frame that is spoilt, where it is no line of the agent's.
    frame: Option<u64>,
}

/// A place in a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The line of the agent's stdout, counted from 1, that is at the place, or the last one before it; 0 if there was none.
    pub line: u64,
    /// What is there, in the words of rules: `text_delta`, `>stop`, `@request`, `#end`.
    pub frame: String,
}

impl FaultTrace {
    /// Reads a session. `heard` finds in a line of stderr that the fault was played, and from which line of stdout on.
    pub fn of(
        frames: impl Iterator<Item = Frame>,
        dialect: &Dialect,
        heard: impl Fn(&str) -> Option<u64>,
    ) -> Self {
        let mut trace = FaultTrace::default();
        for frame in frames {
            if let Body::Stderr(line) = &frame.body {
                trace.played = trace.played.or_else(|| heard(&line.text()));
            }
            trace.names.push(name(&frame.body, dialect));
            if matches!(frame.body, Body::FromAgent(_)) {
                trace.lines.push(trace.names.len() as u64);
            }
        }
        trace
    }

    /// The same, where a fault has spoilt this frame.
    #[must_use]
    pub fn spoilt_at(self, frame: u64) -> Self {
        FaultTrace {
            frame: Some(frame),
            ..self
        }
    }

    /// The first frame that can show the fault: the one behind the last sound line.
    #[must_use]
    pub fn from(&self) -> Option<u64> {
        if self.frame.is_some() {
            return self.frame;
        }
        let sound = self.played?.saturating_sub(1);
        Some(self.frame_of(sound).unwrap_or_else(|| self.last()) + 1)
    }

    /// The frame that is the first line the fault can have spoilt, if that line ever came.
    #[must_use]
    pub fn spoilt(&self) -> Option<u64> {
        let line = || self.frame_of(self.played?).filter(|frame| *frame > 0);
        self.frame.or_else(line)
    }

    /// What is at a frame, or right before it.
    #[must_use]
    pub fn place(&self, frame: u64) -> Place {
        let until = usize::try_from(frame).unwrap_or(usize::MAX);
        let names = self.names.iter().take(until);
        let at = names.rev().find(|name| *name != STDERR);
        Place {
            line: self.lines.partition_point(|line| *line <= frame) as u64,
            frame: at.cloned().unwrap_or_default(),
        }
    }

    /// The frame number of a line; 0 for what is before the first.
    fn frame_of(&self, line: u64) -> Option<u64> {
        match usize::try_from(line).ok()?.checked_sub(1) {
            None => Some(0),
            Some(index) => self.lines.get(index).copied(),
        }
    }

    fn last(&self) -> u64 {
        self.lines.last().copied().unwrap_or_default()
    }
}

#[cfg(test)]
impl FaultTrace {
    /// A session whose lines are these frames.
    pub(super) fn sample(lines: &[u64], played: Option<u64>) -> Self {
        FaultTrace {
            names: Vec::new(),
            lines: lines.to_vec(),
            played,
            frame: None,
        }
    }
}

fn name(body: &Body, dialect: &Dialect) -> String {
    let line = |line: &crate::frame::Line, names: &FrameNames| {
        let named = parse(line).value.map(|value| names.name(&value));
        match named {
            Some(FrameIdentity::Known(_, Some(name)) | FrameIdentity::Known(name, None)) => name,
            Some(FrameIdentity::Unknown(_)) => "#unknown".to_owned(),
            Some(FrameIdentity::Missing) | None => "#malformed".to_owned(),
        }
    };
    match body {
        Body::FromAgent(text) => line(text, &dialect.events),
        Body::ToAgent(text) => format!(">{}", line(text, &dialect.commands)),
        Body::LlmRequest(_) => "@request".to_owned(),
        Body::LlmReply(_) => "@reply".to_owned(),
        Body::StdinClosed => "#stdin_closed".to_owned(),
        Body::Signal(_) => "#signal".to_owned(),
        Body::End(_) => "#end".to_owned(),
        Body::Stderr(_) => STDERR.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_placed_between_the_lines() {
        let of = |played| {
            let trace = FaultTrace::sample(&[2, 4, 6], played);
            (trace.from(), trace.spoilt())
        };
        assert_eq!(of(None), (None, None));
        assert_eq!(of(Some(1)), (Some(1), Some(2)));
        assert_eq!(of(Some(3)), (Some(5), Some(6)));
        assert_eq!(of(Some(4)), (Some(7), None), "the line never came");
    }
}
