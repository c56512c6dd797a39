//! Messages of a conversation with the model: roles and content blocks. This is also the format of the session store.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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

impl Message {
    /// A text of the user.
    pub(crate) fn user(text: String) -> Self {
        Message {
            role: Role::User,
            content: vec![ContentBlock::Text(text)],
        }
    }
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
    /// A tool call. If the arguments were not valid JSON, `args` is null and `raw` has their text.
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

/// Arguments as an object, also where the model gave none.
pub(crate) fn arguments(args: &Value) -> Value {
    if args.is_object() {
        args.clone()
    } else {
        json!({})
    }
}
