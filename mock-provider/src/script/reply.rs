//! A script, which is a list of replies, and the mistakes in it.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::content::{ContentItem, Cut, ScriptedUsage, Thinking, ToolCall};
use super::delivery::Delivery;
use super::expect::Expect;
use super::values::{Repeat, TextOrNumber, Texts};
use spanned_yaml::TimeSpan;

/// The replies of the scripted model, in order. Each is served once, unless it has `repeat`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Script {
    /// The replies.
    pub replies: Vec<ScriptReply>,
}

/// A mistake in a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError {
    /// JSON Pointer into the script, such as `/2/tool_calls/0/args`.
    pub pointer: String,
    /// The mistake, in one sentence.
    pub message: String,
}

impl std::fmt::Display for ScriptError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: {}",
            if self.pointer.is_empty() {
                "/"
            } else {
                &self.pointer
            },
            self.message
        )
    }
}

impl std::error::Error for ScriptError {}

impl Script {
    /// Reads a script from a list of replies.
    ///
    /// # Errors
    /// The first value that does not decode, with the pointer of its reply. Other mistakes are found by [`Script::check`].
    pub fn from_value(value: Value) -> Result<Self, ScriptError> {
        let Value::Array(list) = value else {
            return Err(ScriptError {
                pointer: String::new(),
                message: "a model script is a list of replies".to_owned(),
            });
        };
        let decode = |(i, reply)| {
            serde_json::from_value(reply).map_err(|error| ScriptError {
                pointer: format!("/{i}"),
                message: error.to_string(),
            })
        };
        let replies = list.into_iter().enumerate().map(decode);
        Ok(Script {
            replies: replies.collect::<Result<_, _>>()?,
        })
    }

    /// The names of all gates, in order.
    pub fn gates(&self) -> impl Iterator<Item = &str> {
        self.replies.iter().flat_map(ScriptReply::gates)
    }
}

/// One reply of the scripted model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptReply {
    /// Serves the reply only to requests that match. Such a reply takes precedence over replies without `when`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Expect>,
    /// How often it is served: a number, or `forever`; once if left out.
    #[serde(skip_serializing_if = "is_once")]
    pub repeat: Repeat,
    /// An expectation of the request that gets this reply. A request that does not match is a failure, and gets the reply all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect_request: Option<Expect>,
    /// Waits before the first byte until the gate of this name is released.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// Waits before the first byte for this long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<TimeSpan>,
    /// Thinking, before the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking>,
    /// Text: one chunk, or a list of chunks as streamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Texts>,
    /// Tool calls, after the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The ordered content, instead of `thinking`, `text` and `tool_calls`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Vec<ContentItem>>,
    /// Interleaves the fragments of several tool calls, if the wire allows it (OpenAI Chat).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interleave: bool,
    /// The token usage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ScriptedUsage>,
    /// Why the model stopped; `tool_use` after tool calls, else `end_turn`, if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// More about a refusal (Anthropic).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_details: Option<RefusalDetails>,
    /// An HTTP error instead of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<HttpFault>,
    /// Cuts the connection before the first byte, instead of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// How the bytes are divided into writes.
    #[serde(skip_serializing_if = "Delivery::is_usual")]
    pub delivery: Delivery,
}

impl ScriptReply {
    /// The names of the reply's gates, in order.
    pub fn gates(&self) -> impl Iterator<Item = &str> {
        let inner = self.content.iter().flatten().filter_map(|item| match item {
            ContentItem::Gate(name) => Some(name.as_str()),
            _ => None,
        });
        self.gate.as_deref().into_iter().chain(inner)
    }

    /// The tool calls, in `tool_calls` or `content`.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        let inner = self.content.iter().flatten().filter_map(|item| match item {
            ContentItem::ToolCall(call) => Some(call),
            _ => None,
        });
        self.tool_calls.iter().chain(inner)
    }
}

fn is_once(repeat: &Repeat) -> bool {
    *repeat == Repeat::ONCE
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The turn is complete.
    EndTurn,
    /// It calls tools.
    ToolUse,
    /// The limit of output tokens.
    MaxTokens,
    /// A stop sequence.
    StopSequence,
    /// A refusal.
    Refusal,
    /// A pause of a long turn.
    PauseTurn,
    /// The size of the model's context.
    ModelContextWindowExceeded,
}

/// More about a refusal, as `stop_details` of Anthropic:
/// <https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons>.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RefusalDetails {
    /// The category of the policy, such as `cyber` or `bio`; none if left out.
    pub category: Option<String>,
    /// The explanation for a reader; none if left out.
    pub explanation: Option<String>,
}

/// An HTTP error instead of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpFault {
    /// The HTTP status, 300 to 599.
    #[schemars(range(min = 300, max = 599))]
    pub status: u16,
    /// The error's type in the body; the usual type of the status if left out.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The error's message; the usual message of the status if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The error's code, if the wire has one (OpenAI), such as `insufficient_quota`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Headers that replace or extend the usual ones.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub headers: IndexMap<String, TextOrNumber>,
    /// The body as it is, instead of the wire's error document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}
