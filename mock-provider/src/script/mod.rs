//! The grammar of a model script: what a user may write under `model:`.
//!
//! Every type refuses unknown keys; what the types cannot say is in [`Script::check`].

mod check;
mod content;
mod delivery;
mod expect;
mod reply;
mod span;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use content::{Cut, Item, Stall, StreamError, Thinking, ToolCall, Usage};
pub use delivery::{Delivery, Pace};
pub use expect::{Expect, ToolResult};
pub use reply::{HttpFault, Reply, Stop};
pub use span::Span;
pub use words::{OneOrMany, Repeat, Texts, True, Word};

/// What the scripted model answers, reply by reply, in order; each reply is consumed once unless it says `repeat`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Script {
    /// The replies.
    pub replies: Vec<Reply>,
}

/// One mistake in a script, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// JSON Pointer into the script, such as `/2/tool_calls/0/args`.
    pub pointer: String,
    /// What is wrong, in one sentence.
    pub message: String,
}

impl std::fmt::Display for Problem {
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

impl std::error::Error for Problem {}

impl Script {
    /// Reads a script from a list of replies, or from the `model` part of a whole scenario.
    ///
    /// # Errors
    /// The first thing that does not decode, with the reply it stands in. Semantic mistakes are left to [`Script::check`].
    pub fn from_value(value: Value) -> Result<Self, Problem> {
        let problem = |pointer: &str, message: String| Problem {
            pointer: pointer.into(),
            message,
        };
        let (base, list) = match value {
            Value::Array(list) => ("", list),
            Value::Object(mut scenario) => match scenario.remove("model") {
                Some(Value::Array(list)) => ("/model", list),
                Some(_) => return Err(problem("/model", "a model script is a list of replies".into())),
                None => return Err(problem("", "no model script: a list of replies, or a scenario with a `model` part, is wanted".into())),
            },
            _ => return Err(problem("", "a model script is a list of replies".into())),
        };
        let decode = |(i, reply)| {
            serde_json::from_value(reply).map_err(|error| Problem {
                pointer: format!("{base}/{i}"),
                message: error.to_string(),
            })
        };
        Ok(Script {
            replies: list
                .into_iter()
                .enumerate()
                .map(decode)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Every mistake that the types cannot refuse: a reply that says nothing, `content` beside `text`, a gate named twice ...
    #[must_use]
    pub fn check(&self) -> Vec<Problem> {
        check::check(self)
    }

    /// The names of all gates, in the order in which they stand.
    pub fn gates(&self) -> impl Iterator<Item = &str> {
        self.replies.iter().flat_map(Reply::gates)
    }
}
