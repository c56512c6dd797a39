//! Faults as they are played.

use crate::condition::FrameSelector;
use crate::edit::Edits;
use crate::pointer::Pointer;
use serde_json::Value;
use std::time::Duration;

pub use crate::file::{ActiveFrom, KillSignal, ShownAt};

/// A deliberate fault of an agent.
#[derive(Debug, Clone)]
pub struct Fault {
    /// Its id.
    pub id: String,
    /// What goes wrong, in one line.
    pub summary: String,
    /// What must catch it: ids of rules without their dialect (`turn-envelope`), or scenarios one of whose steps must fail
    /// (`scenario:stop/while-streaming`); each of them is enough. Empty for what is legal on the wire and only there to test hosts.
    pub caught_by: Vec<String>,
    /// On which line of the output it can be caught.
    pub shown_at: ShownAt,
    /// From when on it is played unless the user names a turn.
    pub active_from: ActiveFrom,
    /// What it changes.
    pub effect: Effect,
}

/// What a fault changes.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Frames that the agent sends. The first part that fits a frame is played on it.
    Events(Vec<EventFault>),
    /// Commands, before the agent gets them.
    Commands(FrameSelector, Edits),
    /// The options of the reference agent, as a map, before it reads them.
    Options(FrameSelector, Edits),
    /// The reference agent behaves otherwise: the name of a behavior in its code.
    Behavior(String),
}

/// A fault of the frames that the agent sends.
#[derive(Debug, Clone)]
pub struct EventFault {
    /// The frames.
    pub on: FrameSelector,
    /// Whether every such frame is changed, or only the first.
    pub every: bool,
    /// What happens to them.
    pub operation: Operation,
}

/// What happens to a frame. Other frames are templates: a text `$/pointer` in them is that part of the frame.
#[derive(Debug, Clone)]
pub enum Operation {
    /// Its content is changed.
    Edit(Edits),
    /// It is dropped.
    Drop,
    /// It is sent twice.
    Twice,
    /// Other frames come before it.
    Before(Vec<Value>),
    /// Other frames come after it, after this time.
    After(Vec<Value>, Duration),
    /// It moves to the next event of this kind, or of any; [`END`] is the end of the output.
    Move(Option<String>, Move),
    /// It comes later.
    Delay(Duration),
    /// It is dropped, and so are all later frames.
    Silence,
    /// The process exits before it, with this status.
    Exit(i32),
    /// The process is killed before it.
    Kill(KillSignal),
    /// Half of its line is written, then the process exits with this status.
    HalfThenExit(i32),
    /// Each of its bytes is written on its own.
    ByteByByte,
    /// The bytes of its line are changed.
    Line(LineEdit),
}

/// The kind of the event that stands for the end of the output.
pub const END: &str = "#end";

/// Where a frame moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// It comes just before the event.
    Before,
    /// It comes behind the event.
    Behind,
    /// It comes where it belongs, and once more behind the event.
    Again,
}

/// A change of the bytes of a line.
#[derive(Debug, Clone)]
pub enum LineEdit {
    /// Bytes stand before the line.
    Before(Vec<u8>),
    /// Bytes stand at the beginning of the first text at this place.
    InText(Pointer, Vec<u8>),
    /// Bytes end the line instead of a newline.
    End(Vec<u8>),
    /// Bytes stand behind the first brace.
    InBrace(Vec<u8>),
    /// Bytes stand in the middle of the line.
    InMiddle(Vec<u8>),
}

impl Fault {
    /// The kind of its operation, as `faults.yaml` names it: `drop`, `after`, `edit`; `>edit` for commands, `#edit` for options.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        match &self.effect {
            Effect::Commands(..) => ">edit",
            Effect::Options(..) => "#edit",
            Effect::Behavior(_) => "behavior",
            Effect::Events(parts) => parts.first().map_or("", |part| part.operation.name()),
        }
    }

    /// Whether it is played on this frame that the agent sends.
    #[must_use]
    pub fn is_played_on(&self, kind: &str, frame: &Value) -> bool {
        match &self.effect {
            Effect::Events(parts) => parts.iter().any(|part| part.on.matches(kind, frame)),
            _ => false,
        }
    }

    /// Whether it can be played on the frames of an agent from outside: it is no behavior of the reference agent.
    #[must_use]
    pub fn is_playable_outside(&self) -> bool {
        matches!(self.effect, Effect::Events(_) | Effect::Commands(..))
    }
}

impl Operation {
    /// The key of `faults.yaml`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Operation::Edit(_) => "edit",
            Operation::Drop => "drop",
            Operation::Twice => "twice",
            Operation::Before(_) => "before",
            Operation::After(..) => "after",
            Operation::Move(_, Move::Behind) => "late",
            Operation::Move(_, Move::Before) => "until",
            Operation::Move(_, Move::Again) => "again",
            Operation::Delay(_) => "delay_ms",
            Operation::Silence => "silence",
            Operation::Exit(_) => "exit",
            Operation::Kill(_) => "kill",
            Operation::HalfThenExit(_) => "half_then_exit",
            Operation::ByteByByte => "byte_by_byte",
            Operation::Line(line) => match line {
                LineEdit::Before(_) => "raw_before",
                LineEdit::InText(..) => "raw_in_text",
                LineEdit::End(_) => "line_end",
                LineEdit::InBrace(_) => "raw_in_brace",
                LineEdit::InMiddle(_) => "raw_in_middle",
            },
        }
    }

    /// On which line it can be caught, unless the fault says otherwise.
    pub(crate) fn shown_at(&self) -> ShownAt {
        match self {
            Operation::Edit(_)
            | Operation::Twice
            | Operation::Before(_)
            | Operation::After(..)
            | Operation::Line(_) => ShownAt::Line,
            Operation::Drop
            | Operation::Move(..)
            | Operation::Delay(_)
            | Operation::Silence
            | Operation::Exit(_)
            | Operation::Kill(_)
            | Operation::HalfThenExit(_)
            | Operation::ByteByByte => ShownAt::Later,
        }
    }
}
