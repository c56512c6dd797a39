//! Fault traces: at which line of a recorded session a fault was injected.

use super::frame_names::SessionNames;
use conform_judge::dialect::{Dialect, FrameIdentity};
use conform_judge::frame::{Body, End, Frame};
use conform_judge::framing::{Parsed, ParsedFrame};
use frame_faults::{parse_entry, parse_held};

/// The name of stderr lines, which are not part of the conversation.
const STDERR: &str = "stderr";

/// One session of the agent, as far as the kill analysis needs it.
#[derive(Debug, Clone, Default)]
pub struct FaultTrace {
    /// The name of each frame, as rules write it.
    names: Vec<String>,
    /// The frame number of each line of the agent's stdout.
    lines: Vec<u64>,
    /// The first line of stdout, counted from 1, that the fault can affect.
    injected: Option<u64>,
    /// The line of stdout that the fault holds back. It has moved if a step waits for it without success, or if another line passes it.
    held: Option<u64>,
    /// The affected frame, if it is not a line of the agent's stdout.
    frame: Option<u64>,
    session: Option<SessionNames>,
    /// Whether the process was killed because a budget was over, and not because it had nothing left to do.
    is_out_of_time: bool,
}

/// A position in a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TracePosition {
    /// The line of the agent's stdout, counted from 1, at the position or before it; 0 if there is none.
    pub line: u64,
    /// The name of the frame there, as rules write it: `text_delta`, `>stop`, `@request`, `#end`.
    pub frame: String,
}

impl FaultTrace {
    /// The trace of a session with this fault, whose log is on stderr.
    pub fn read(frames: &[ParsedFrame], dialect: &Dialect, fault: Option<&str>) -> Self {
        let mut trace = FaultTrace::default();
        for one in frames {
            trace.push(&one.frame, &one.parsed, dialect, fault);
        }
        trace
    }

    /// Adds the next frame of the session.
    pub(crate) fn push(
        &mut self,
        frame: &Frame,
        parsed: &Parsed,
        dialect: &Dialect,
        fault: Option<&str>,
    ) {
        if let (Body::Stderr(line), Some(fault)) = (&frame.body, fault) {
            let text = line.text();
            let own = |entry: Option<(&str, u64)>| {
                let (_, line) = entry.filter(|(id, _)| *id == fault)?;
                Some(line)
            };
            self.injected = self.injected.or_else(|| own(parse_entry(&text)));
            self.held = self.held.or_else(|| own(parse_held(&text)));
        }
        let names = self
            .session
            .get_or_insert_with(|| SessionNames::new(dialect));
        self.names.push(name(frame, parsed, dialect, names));
        match &frame.body {
            Body::FromAgent(_) => self.lines.push(self.names.len() as u64),
            Body::End(End::Killed { why }) => {
                let budget = why.strip_prefix("budget:");
                self.is_out_of_time = budget.is_some_and(|name| name != "settle");
            }
            _ => {}
        }
    }

    /// Whether the process was killed because a budget was over. On a busy machine, that can be chance.
    #[must_use]
    pub fn is_out_of_time(&self) -> bool {
        self.is_out_of_time
    }

    /// The same trace with this frame as the affected one.
    #[must_use]
    pub fn with_affected_frame(self, frame: u64) -> Self {
        FaultTrace {
            frame: Some(frame),
            ..self
        }
    }

    /// The first frame that can show the fault: the one after the last line that is sound.
    #[must_use]
    pub fn first_affected(&self) -> Option<u64> {
        if self.frame.is_some() {
            return self.frame;
        }
        self.first_after(self.injected?)
    }

    /// The first frame that can show that the fault holds back a line: the same, for a line that may have moved.
    #[must_use]
    pub fn first_in_vain(&self) -> Option<u64> {
        self.first_affected()
            .or_else(|| self.first_after(self.held?))
    }

    /// The frame after the last line before this one.
    fn first_after(&self, line: u64) -> Option<u64> {
        let sound = line.saturating_sub(1);
        Some(self.frame_of(sound).unwrap_or_else(|| self.last()) + 1)
    }

    /// The frame of the first line that the fault can affect, if that line was written.
    #[must_use]
    pub fn affected_frame(&self) -> Option<u64> {
        let line = || self.frame_of(self.injected?).filter(|frame| *frame > 0);
        self.frame.or_else(line)
    }

    /// The position of a frame.
    #[must_use]
    pub fn position(&self, frame: u64) -> TracePosition {
        let until = usize::try_from(frame).unwrap_or(usize::MAX);
        let names = self.names.iter().take(until);
        let at = names.rev().find(|name| *name != STDERR);
        TracePosition {
            line: self.lines.partition_point(|line| *line <= frame) as u64,
            frame: at.cloned().unwrap_or_default(),
        }
    }

    /// The frame number of a line; 0 for the start of the session.
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
    /// A session with stdout lines at these frames.
    pub(super) fn sample(lines: &[u64], injected: Option<u64>) -> Self {
        FaultTrace {
            lines: lines.to_vec(),
            injected,
            ..FaultTrace::default()
        }
    }
}

fn name(frame: &Frame, parsed: &Parsed, dialect: &Dialect, names: &mut SessionNames) -> String {
    let mut line = |is_command| {
        let value = parsed.value.as_ref();
        let named = value.map(|value| names.next(dialect, value, is_command).1);
        match named {
            Some(FrameIdentity::Known(_, Some(name)) | FrameIdentity::Known(name, None)) => name,
            Some(FrameIdentity::Unknown(_)) => "#unknown".to_owned(),
            Some(FrameIdentity::Missing) | None => "#malformed".to_owned(),
        }
    };
    match &frame.body {
        Body::FromAgent(_) => line(false),
        Body::ToAgent(_) => format!(">{}", line(true)),
        Body::LlmRequest(_) => "@request".to_owned(),
        Body::LaneRequest { .. } => frame.body.dir().to_owned(),
        Body::LlmReply(_) => "@reply".to_owned(),
        Body::Mcp(_) => "@mcp".to_owned(),
        Body::StdinClosed => "#stdin_closed".to_owned(),
        Body::StdoutClosed => "#stdout_closed".to_owned(),
        Body::Signal(_) => "#signal".to_owned(),
        Body::End(_) => "#end".to_owned(),
        Body::Stderr(_) => STDERR.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_located_between_the_lines() {
        let of = |injected| {
            let trace = FaultTrace::sample(&[2, 4, 6], injected);
            (trace.first_affected(), trace.affected_frame())
        };
        assert_eq!(of(None), (None, None));
        assert_eq!(of(Some(1)), (Some(1), Some(2)));
        assert_eq!(of(Some(3)), (Some(5), Some(6)));
        assert_eq!(of(Some(4)), (Some(7), None), "the line was never written");
    }
}
