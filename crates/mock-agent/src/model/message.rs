//! Messages of a conversation with the model: roles, content blocks, token usage. This is also the format of the session store.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    User,
    Assistant,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(crate) role: Role,
    pub(crate) content: Vec<ContentBlock>,
}

/// A content block of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContentBlock {
    Text(String),
    Thinking {
        text: String,
        signature: String,
    },
    /// Encrypted thinking.
    Redacted(String),
    /// A tool call. If the arguments were no valid JSON, `args` is null and `raw` has their text.
    Call {
        id: String,
        tool: String,
        args: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<String>,
    },
    /// The result of a tool call.
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

/// The content of a tool result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResultContent {
    Text(String),
    Image { media_type: String, data: String },
}

/// Token usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
}

impl Usage {
    /// All tokens of a request and its reply: the size of the context.
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

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopReason {
    End,
    ToolUse,
    MaxTokens,
    Refusal,
}
