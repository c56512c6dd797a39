//! What happens to a frame as a whole, or to the bytes of its line.

use crate::edit::Edits;
use crate::file::ShownAt;
use frame_language::Pointer;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use spanned_yaml::{Spanned, TextSchema};

/// What happens to a frame. Other frames are templates: a text `$/pointer` in them is that part of the frame, `$request/pointer` a part of the
/// request that a response answers, `$[NAME]/pointer` a part of the newest frame of that name, and `$new` an id that no request has.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// The frame is dropped.
    Drop,
    /// The frame is sent twice.
    Twice,
    /// The frame is sent, and once more behind everything else.
    Again,
    /// Another frame, or a list of frames, comes before it. `$/pointer` in them is that part of the frame.
    Before(Frames),
    /// Another frame, or a list of frames, comes after it.
    After(Frames),
    /// Another frame, or a list of frames, comes in its place. A command does not reach the agent, and the agent sends these frames.
    Instead(Frames),
    /// For a command: the agent sends this frame, or this list of frames, when the command comes.
    Reply(Frames),
    /// It comes after the next event of this kind, or the next `>command`; `any`: after any event.
    Late(Spanned<String>),
    /// It comes just before the next event of this kind; `any`: of any kind.
    Until(Spanned<String>),
    /// It comes this many milliseconds later.
    DelayMs(u64),
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
    /// It comes as two frames, each with half of the text at this place.
    Split(Pointer),
    /// It comes together with the next frame of its kind that has the same values at these places: the texts at the key are joined. Any
    /// other frame ends the waiting.
    #[schemars(with = "IndexMap<String, Vec<Pointer>>")]
    Merge(IndexMap<Pointer, Vec<Pointer>>),
    /// Its JSON is written otherwise, with the same meaning.
    Written(Spelling),
    /// These bytes stand before its line.
    RawBefore(Bytes),
    /// These bytes stand at the beginning of its `text`.
    RawInText(Bytes),
    /// These bytes stand behind the first brace of its line.
    RawInBrace(Bytes),
    /// These bytes stand in the middle of its line.
    RawInMiddle(Bytes),
    /// These bytes end its line instead of a newline.
    LineEnd(Bytes),
    /// A fault of every line protocol: the operation and the summary are those of the common fault of this name.
    Common(Spanned<String>),
    /// The reference agent behaves otherwise: the name of a behavior in its code.
    Behavior(Spanned<String>),
    /// Its content is changed.
    #[serde(skip)]
    Edit(Edits),
}

/// How JSON is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Spelling {
    /// With white space wherever JSON allows it, also at both ends of the line.
    Spaced,
    /// With escapes for all characters that are not ASCII, and for `/`.
    Escaped,
    /// With the members of all objects in reverse order.
    Reversed,
}

/// The kind of the event that represents the end of the output.
pub const END: &str = "#end";

/// A signal that ends a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KillSignal {
    /// SIGABRT, as after a crash.
    Abort,
    /// SIGKILL.
    Kill,
}

impl Operation {
    /// See [`crate::Fault::order`].
    pub(crate) fn order(&self) -> u8 {
        match self {
            Operation::ByteByByte => 2,
            Operation::Written(_) => 1,
            _ => 0,
        }
    }

    /// The frames and values that can have references.
    pub(crate) fn templates(&self) -> Vec<&Value> {
        match self {
            Operation::Before(Frames(frames))
            | Operation::After(Frames(frames))
            | Operation::Instead(Frames(frames))
            | Operation::Reply(Frames(frames)) => frames.iter().collect(),
            Operation::Edit(edits) => edits.templates().collect(),
            _ => Vec::new(),
        }
    }

    /// On which line it can be caught, unless the fault specifies it.
    pub(crate) fn shown_at(&self) -> ShownAt {
        match self {
            Operation::Edit(_)
            | Operation::Twice
            | Operation::Before(_)
            | Operation::After(_)
            | Operation::Instead(_)
            | Operation::RawBefore(_)
            | Operation::RawInText(_)
            | Operation::RawInBrace(_)
            | Operation::RawInMiddle(_)
            | Operation::LineEnd(_) => ShownAt::Line,
            _ => ShownAt::Later,
        }
    }
}

/// Other frames: one, or a list, in which a list is a line with several frames, and `$` the frame itself.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(from = "FramesFile")]
#[schemars(inline)]
pub struct Frames(pub(crate) Vec<Value>);

#[derive(Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a frame, which is a map, or a list of frames"
)]
enum FramesFile {
    One(Map<String, Value>),
    Several(Vec<LineFile>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a frame, which is a map, `$` for the frame itself, or a list of them for one line"
)]
enum LineFile {
    Frame(Map<String, Value>),
    Itself(Itself),
    Batch(Vec<BatchedFile>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum BatchedFile {
    Frame(Map<String, Value>),
    Itself(Itself),
}

#[derive(Deserialize, JsonSchema)]
enum Itself {
    #[serde(rename = "$")]
    Frame,
}

impl From<FramesFile> for Frames {
    fn from(file: FramesFile) -> Self {
        let itself = || Value::from("$");
        let batched = |file| match file {
            BatchedFile::Frame(frame) => Value::Object(frame),
            BatchedFile::Itself(Itself::Frame) => itself(),
        };
        let line = |file| match file {
            LineFile::Frame(frame) => Value::Object(frame),
            LineFile::Itself(Itself::Frame) => itself(),
            LineFile::Batch(frames) => frames.into_iter().map(batched).collect(),
        };
        Frames(match file {
            FramesFile::One(frame) => vec![Value::Object(frame)],
            FramesFile::Several(lines) => lines.into_iter().map(line).collect(),
        })
    }
}

/// Bytes: a text, `{ hex: "f0 9f" }` for what is not text, `{ repeat: text, times: N }`, or a list of these.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(try_from = "BytesFile")]
pub struct Bytes(pub(crate) Vec<u8>);

#[derive(Deserialize, JsonSchema)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a text, or bytes such as `{ hex: \"f0 9f\" }` or `{ repeat: x, times: 64 }`"
)]
enum BytesFile {
    Text(#[schemars(with = "TextSchema")] String),
    Hex { hex: String },
    List(#[schemars(with = "Vec<Bytes>")] Vec<BytesFile>),
}

impl TryFrom<BytesFile> for Bytes {
    type Error = String;

    fn try_from(file: BytesFile) -> Result<Self, String> {
        match file {
            BytesFile::Text(text) => Ok(Bytes(text.into_bytes())),
            BytesFile::Hex { hex } => {
                let bytes = hex.split_whitespace().map(hex_byte);
                let bytes: Option<_> = bytes.collect();
                let message = || format!("{hex:?} is not bytes such as `f0 9f`");
                bytes.map(Bytes).ok_or_else(message)
            }
            BytesFile::List(parts) => {
                let parts = parts.into_iter().map(|part| Ok(Bytes::try_from(part)?.0));
                let parts: Vec<_> = parts.collect::<Result<_, String>>()?;
                Ok(Bytes(parts.concat()))
            }
        }
    }
}

fn hex_byte(pair: &str) -> Option<u8> {
    let is_pair = pair.len() == 2;
    is_pair.then(|| u8::from_str_radix(pair, 16).ok()).flatten()
}
