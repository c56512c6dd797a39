//! Operations on the frames that the agent sends.

use crate::os::stdout::KillSignal;
use serde_json::Value;

/// An operation and the frames that it is applied to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameFault {
    /// The kind of frame; any if empty.
    pub(super) on: &'static str,
    /// Values that the frame must have: JSON Pointer and value, written as text; [`ABSENT`] for no value.
    pub(super) when: &'static [(&'static str, &'static str)],
    /// Whether every such frame is changed, or only the first.
    pub(super) every: bool,
    pub(super) op: Op,
}

/// What is done with a frame. Frames to add are JSON; a text `$/pointer` in them is replaced by that part of the frame.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    /// It is dropped.
    Drop,
    /// It is sent twice.
    Twice,
    /// Sets a member to a value (JSON).
    Set(&'static str, &'static str),
    /// Removes a member.
    Remove(&'static str),
    /// Sets a member to a value (JSON) in every object, at any depth, that has this member with this text.
    SetIn((&'static str, &'static str), &'static str, &'static str),
    /// Removes a member from every object, at any depth, that has this member with this text.
    RemoveIn((&'static str, &'static str), &'static str),
    /// Calls a function on it.
    Change(fn(&mut Value)),
    /// Sends another frame before it.
    Before(&'static str),
    /// Sends another frame after it.
    After(&'static str),
    /// Sends other frames after it.
    FramesAfter(&'static [&'static str]),
    /// Sends another frame so many milliseconds after it.
    AfterWhile(u64, &'static str),
    /// Writes raw bytes before it.
    RawBefore(&'static [u8]),
    /// Writes raw bytes after it.
    RawAfter(&'static [u8]),
    /// Calls a function on its line, including the newline.
    Line(fn(&mut Vec<u8>)),
    /// Sends it after the next frame of this kind; after the next of any kind if empty.
    Late(&'static str),
    /// Sends it just before the next frame of this kind; of any kind if empty.
    Until(&'static str),
    /// Exits before it, with this status.
    Exit(i32),
    /// Kills the process before it, with this signal.
    Kill(KillSignal),
    /// Writes half of its line and exits with this status.
    HalfAndExit(i32),
    /// Drops it and all later frames.
    Silence,
    /// Sends it so many milliseconds later.
    Delay(u64),
    /// Writes each of its bytes on its own.
    Trickle,
    /// The text at the second pointer is preceded by all earlier such texts. They start again where the value at the first pointer changes.
    Cumulate(Option<&'static str>, &'static str),
}

/// The expected value of a member that must be missing.
pub(crate) const ABSENT: &str = "<absent>";

/// On which line of the output a fault can be caught.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownAt {
    /// On the first line that it has changed.
    ChangedLine,
    /// There or on a later line: something is missing or late, or the change has consequences.
    LaterLine,
}

impl Op {
    pub(super) const fn shown_at(self) -> ShownAt {
        match self {
            Op::Twice
            | Op::Set(..)
            | Op::Remove(_)
            | Op::SetIn(..)
            | Op::RemoveIn(..)
            | Op::Before(_)
            | Op::After(_)
            | Op::AfterWhile(..)
            | Op::RawBefore(_)
            | Op::RawAfter(_)
            | Op::Line(_)
            | Op::Cumulate(..) => ShownAt::ChangedLine,
            Op::Drop
            | Op::Change(_)
            | Op::FramesAfter(_)
            | Op::Late(_)
            | Op::Until(_)
            | Op::Exit(_)
            | Op::Kill(_)
            | Op::HalfAndExit(_)
            | Op::Silence
            | Op::Delay(_)
            | Op::Trickle => ShownAt::LaterLine,
        }
    }
}

impl FrameFault {
    /// Whether the fault applies to a frame of this kind.
    pub(super) fn matches(&self, kind: &str, frame: &Value) -> bool {
        let holds = |(pointer, expected): &(&str, &str)| match frame.pointer(pointer) {
            Some(Value::String(text)) => text == expected,
            Some(other) => serde_json::to_string(other).is_ok_and(|text| text == *expected),
            None => *expected == ABSENT,
        };
        (self.on.is_empty() || self.on == kind) && self.when.iter().all(holds)
    }
}
