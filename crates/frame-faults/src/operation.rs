//! What happens to a frame as a whole, or to the bytes of its line.

use crate::edit::Edits;
use crate::file::ShownAt;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use spanned_yaml::{Node, Spanned, TextSchema};
use std::borrow::Cow;

/// What happens to a frame. Other frames are templates: a text `$/pointer` in them is that part of the frame.
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
    /// It comes after the next event of this kind; `"*"`: of any kind.
    Late(Spanned<String>),
    /// It comes just before the next event of this kind; `"*"`: of any kind.
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

/// The kind of the event that stands for the end of the output.
pub(crate) const END: &str = "#end";

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
    /// On which line it can be caught, unless the fault says otherwise.
    pub(crate) fn shown_at(&self) -> ShownAt {
        match self {
            Operation::Edit(_)
            | Operation::Twice
            | Operation::Before(_)
            | Operation::After(_)
            | Operation::RawBefore(_)
            | Operation::RawInText(_)
            | Operation::RawInBrace(_)
            | Operation::RawInMiddle(_)
            | Operation::LineEnd(_) => ShownAt::Line,
            _ => ShownAt::Later,
        }
    }
}

/// Other frames: one, or a list.
#[derive(Debug, Clone)]
pub struct Frames(pub(crate) Vec<Value>);

impl<'de> Deserialize<'de> for Frames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        let frames = node.as_list().unwrap_or(std::slice::from_ref(&node)).iter();
        let frames = frames.map(|frame| match frame.as_map() {
            Some(_) => Ok(frame.to_value()),
            None => Err(D::Error::custom(format!(
                "expected a frame, which is a map, found {}",
                frame.describe()
            ))),
        });
        frames.collect::<Result<_, _>>().map(Frames)
    }
}

impl JsonSchema for Frames {
    fn schema_name() -> Cow<'static, str> {
        "Frames".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["object", "array"] })
    }
}

/// Bytes: a text, `{ hex: "f0 9f" }` for what is no text, `{ repeat: text, times: N }`, or a list of these.
#[derive(Debug, Clone, Default)]
pub struct Bytes(pub(crate) Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let node = Node::deserialize(deserializer)?;
        let bytes = bytes(&node).ok_or_else(|| {
            D::Error::custom(format!(
                "expected a text, or bytes such as `{{ hex: \"f0 9f\" }}` or `{{ repeat: x, times: 64 }}`, found {}",
                node.describe()
            ))
        });
        bytes.map(Bytes)
    }
}

fn bytes(node: &Node) -> Option<Vec<u8>> {
    if let Some(parts) = node.as_list() {
        let parts: Option<Vec<_>> = parts.iter().map(bytes).collect();
        return parts.map(|parts| parts.concat());
    }
    match (node.as_str(), node.as_map()) {
        (Some(text), _) => Some(text.as_bytes().to_vec()),
        (_, Some([(key, hex)])) if key.name == "hex" => hex_bytes(hex.as_str()?),
        _ => None,
    }
}

fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let pairs = text.split_whitespace();
    let byte = |pair: &str| u8::from_str_radix(pair, 16).ok();
    pairs
        .map(|pair| (pair.len() == 2).then(|| byte(pair)).flatten())
        .collect()
}

/// Bytes: a text, `{ hex: "f0 9f" }` for what is no text, `{ repeat: text, times: N }`, or a list of these.
#[derive(JsonSchema)]
#[schemars(rename = "Bytes")]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum BytesSchema {
    Text(TextSchema),
    Hex { hex: String },
    List(Vec<Bytes>),
}

impl JsonSchema for Bytes {
    fn schema_name() -> Cow<'static, str> {
        BytesSchema::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BytesSchema::json_schema(generator)
    }
}
