//! The content of an answer in a script: text, thinking, tool calls, waits, stalls, errors, cuts, token usage.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Unexpected, Visitor, value};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::values::{Texts, True};
use spanned_yaml::TimeSpan;

/// One item of an answer's ordered `content`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentItem {
    /// A block of thinking.
    Thinking(Thinking),
    /// A block of redacted thinking, by its opaque data.
    RedactedThinking(String),
    /// A block of text: one chunk, or a list of chunks as streamed.
    Text(Texts),
    /// A tool call.
    ToolCall(ToolCall),
    /// Waits until the gate of this name is released.
    Gate(String),
    /// Waits for this long.
    Delay(TimeSpan),
    /// Sends nothing more and keeps the connection open.
    Stall(Stall),
    /// An error in the stream, which ends it.
    Error(StreamError),
    /// Cuts the connection.
    Cut(Cut),
    /// A keep-alive event without content.
    Ping(True),
    /// Bytes sent as they are, between two events.
    Raw(String),
}

/// A block of thinking.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Thinking {
    /// The thinking text, in chunks as streamed.
    pub text: Texts,
    /// Its signature; generated from the text if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// [`Thinking`] written as a mapping.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ThinkingMap {
    /// The thinking text, in chunks as streamed.
    text: Texts,
    /// Its signature; generated from the text if left out.
    signature: Option<String>,
}

impl<'de> Deserialize<'de> for Thinking {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Thinking;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a list of texts, or `{ text, signature }`")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Thinking, E> {
                Ok(Thinking {
                    text: text.into(),
                    signature: None,
                })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Thinking, A::Error> {
                Ok(Thinking {
                    text: Texts::deserialize(value::SeqAccessDeserializer::new(seq))?,
                    signature: None,
                })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Thinking, A::Error> {
                let ThinkingMap { text, signature } =
                    ThinkingMap::deserialize(value::MapAccessDeserializer::new(map))?;
                Ok(Thinking { text, signature })
            }
        }
        deserializer.deserialize_any(V)
    }
}

impl JsonSchema for Thinking {
    fn schema_name() -> Cow<'static, str> {
        "Thinking".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let texts = json_schema!({ "type": ["string", "array"], "items": { "type": "string" } });
        let map = generator.subschema_for::<ThinkingMap>();
        json_schema!({ "description": "A block of thinking: its text, or its text and signature.", "anyOf": [texts, map] })
    }
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The id of the call; generated from the seed and the position in the script if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The arguments; `{}` if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
    /// The arguments as raw text, which need not be JSON; a list has the fragments as streamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args_raw: Option<Texts>,
    /// The number of fragments in which the arguments are streamed; 2 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub chunks: Option<usize>,
}

/// A stall: the answer stops, and the connection stays open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stall {
    /// How long; until the client disconnects if left out.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub length: Option<TimeSpan>,
    /// The time between two pings during the stall; no pings if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pings: Option<TimeSpan>,
}

/// [`Stall`] written as a mapping.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StallMap {
    /// How long; until the client disconnects if left out.
    #[serde(rename = "for")]
    length: Option<TimeSpan>,
    /// The time between two pings during the stall; no pings if left out.
    pings: Option<TimeSpan>,
}

impl<'de> Deserialize<'de> for Stall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl<'de> Visitor<'de> for V {
            type Value = Stall;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`true` (silent until the client disconnects) or `{ for: DURATION, pings: DURATION }`")
            }
            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Stall, E> {
                if value {
                    Ok(Stall::default())
                } else {
                    Err(E::invalid_value(Unexpected::Bool(false), &self))
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Stall, A::Error> {
                let StallMap { length, pings } =
                    StallMap::deserialize(value::MapAccessDeserializer::new(map))?;
                Ok(Stall { length, pings })
            }
        }
        deserializer.deserialize_any(V)
    }
}

impl JsonSchema for Stall {
    fn schema_name() -> Cow<'static, str> {
        "Stall".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let map = generator.subschema_for::<StallMap>();
        json_schema!({ "description": "`true`: silent until the client disconnects.", "anyOf": [{ "const": true }, map] })
    }
}

/// An error in a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamError {
    /// The error's type, such as `overloaded_error`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The error's message.
    pub message: String,
}

/// How a connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// Closed in the middle of the HTTP body.
    Close,
    /// Reset (TCP RST).
    Reset,
    /// The HTTP body ends normally, but the answer in it is incomplete.
    End,
}

/// The ways to cut a connection, by name.
const CUTS: [(&str, Cut); 3] = [
    ("close", Cut::Close),
    ("reset", Cut::Reset),
    ("end", Cut::End),
];

impl<'de> Deserialize<'de> for Cut {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct V;
        impl Visitor<'_> for V {
            type Value = Cut;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`true` or `close` (closed mid-body), `reset` (TCP RST) or `end` (the body ends normally, with an incomplete answer)")
            }
            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Cut, E> {
                if value {
                    Ok(Cut::Close)
                } else {
                    Err(E::invalid_value(Unexpected::Bool(false), &self))
                }
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<Cut, E> {
                let found = CUTS.iter().find(|(name, _)| *name == word);
                found
                    .map(|(_, cut)| *cut)
                    .ok_or_else(|| E::invalid_value(Unexpected::Str(word), &self))
            }
        }
        deserializer.deserialize_any(V)
    }
}

impl JsonSchema for Cut {
    fn schema_name() -> Cow<'static, str> {
        "Cut".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "`true` or `close`: closed in the middle of the body. `reset`: TCP RST. `end`: the body ends normally, with an incomplete answer.",
            "enum": [true, "close", "reset", "end"]
        })
    }
}

/// The token usage that the model reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptedUsage {
    /// Input tokens that came from no cache; 10 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Output tokens; a fourth of the characters of the answer if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// Input tokens read from the cache; 0 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<u64>,
    /// Input tokens written to the cache; 0 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// Output tokens spent on reasoning, if the wire counts them separately; 0 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
}
