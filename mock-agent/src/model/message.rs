//! A conversation as it is kept, sent to models and stored.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    User,
    Assistant,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(crate) role: Role,
    pub(crate) content: Vec<Block>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Block {
    Text(String),
    Thinking {
        text: String,
        signature: String,
    },
    /// Thinking that only the model can read.
    Redacted(String),
    /// The model calls a tool. `args` is null where what came was no JSON; then `raw` has it.
    Call {
        id: String,
        tool: String,
        args: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<String>,
    },
    /// What a call came to.
    Result {
        call: String,
        output: ResultContent,
        is_error: bool,
    },
    /// An image, in base64.
    Image {
        media_type: String,
        data: String,
    },
    /// A document, in base64.
    Document {
        name: String,
        media_type: String,
        data: String,
    },
}

/// What a tool's result holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResultContent {
    Text(String),
    Image { media_type: String, data: String },
}

/// Tokens used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
}

impl Usage {
    /// All tokens of a request and its reply: what the context has come to.
    pub(crate) fn context(self) -> u64 {
        let read = self.cache_read.saturating_add(self.cache_write);
        self.input.saturating_add(self.output).saturating_add(read)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.input = self.input.saturating_add(more.input);
        self.output = self.output.saturating_add(more.output);
        self.cache_read = self.cache_read.saturating_add(more.cache_read);
        self.cache_write = self.cache_write.saturating_add(more.cache_write);
    }
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopReason {
    End,
    ToolUse,
    MaxTokens,
    Refusal,
}
