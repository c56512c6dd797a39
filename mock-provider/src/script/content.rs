//! The content of an answer in a script: text, thinking, tool calls, waits, stalls, errors, cuts, token usage.

use schemars::JsonSchema;
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

/// A block of thinking: its text, or its text and signature.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "ThinkingFile")]
pub struct Thinking {
    /// The thinking text, in chunks as streamed.
    pub text: Texts,
    /// Its signature; generated from the text if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// [`Thinking`] as written.
#[derive(Deserialize, JsonSchema)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a text, a list of texts, or `{ text, signature }`"
)]
enum ThinkingFile {
    Text(Texts),
    Signed {
        /// The thinking text, in chunks as streamed.
        text: Texts,
        /// Its signature; generated from the text if left out.
        signature: Option<String>,
    },
}

impl From<ThinkingFile> for Thinking {
    fn from(file: ThinkingFile) -> Self {
        let (text, signature) = match file {
            ThinkingFile::Text(text) => (text, None),
            ThinkingFile::Signed { text, signature } => (text, signature),
        };
        Thinking { text, signature }
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
    #[serde(default)]
    pub name: String,
    /// In a scenario, in place of the name: the purpose of the tool. The agent file of the agent that plays it names the tool.
    #[serde(rename = "use", skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// In place of the name: the first tool that the request offers and whose name has this text, or all of these texts. A scenario is
    /// skipped if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered: Option<Texts>,
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

impl ToolCall {
    /// The name of the tool that it calls, of those that are offered; the last text of [`ToolCall::offered`] if there is none.
    pub fn name_of<'n>(&'n self, offered: impl IntoIterator<Item = &'n str>) -> &'n str {
        let Some(Texts(texts)) = &self.offered else {
            return &self.name;
        };
        let fits = |name: &&str| texts.iter().all(|text| name.contains(text.as_str()));
        let last = || texts.last().map_or("", String::as_str);
        offered.into_iter().find(fits).unwrap_or_else(last)
    }
}

/// A stall: the answer stops, and the connection stays open. `true`: silent until the client disconnects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "StallFile")]
pub struct Stall {
    /// How long; until the client disconnects if left out.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub length: Option<TimeSpan>,
    /// The time between two pings during the stall; no pings if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pings: Option<TimeSpan>,
}

/// [`Stall`] as written.
#[derive(Deserialize, JsonSchema)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected `true` (silent until the client disconnects) or `{ for: DURATION, pings: DURATION }`"
)]
enum StallFile {
    Endless(True),
    Timed {
        /// How long; until the client disconnects if left out.
        #[serde(rename = "for")]
        length: Option<TimeSpan>,
        /// The time between two pings during the stall; no pings if left out.
        pings: Option<TimeSpan>,
    },
}

impl From<StallFile> for Stall {
    fn from(file: StallFile) -> Self {
        match file {
            StallFile::Endless(True) => Stall::default(),
            StallFile::Timed { length, pings } => Stall { length, pings },
        }
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// Closed in the middle of the HTTP body.
    Close,
    /// Reset (TCP RST).
    Reset,
    /// The HTTP body ends normally, but the answer in it is incomplete.
    End,
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
