//! A request as it reached the model.

use serde_json::Value;

use crate::headers::Headers;

/// The language in which a request is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// Anthropic Messages, `POST /v1/messages`.
    AnthropicMessages,
    /// OpenAI Chat Completions, `POST /v1/chat/completions`.
    OpenAiChat,
    /// OpenAI Responses, `POST /v1/responses`.
    OpenAiResponses,
}

impl Wire {
    /// Every wire.
    pub const ALL: &[Wire] = &[
        Wire::AnthropicMessages,
        Wire::OpenAiChat,
        Wire::OpenAiResponses,
    ];

    /// The path it is posted to.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Wire::AnthropicMessages => "/v1/messages",
            Wire::OpenAiChat => "/v1/chat/completions",
            Wire::OpenAiResponses => "/v1/responses",
        }
    }
}

/// A request for a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its number in the session, from 0.
    pub n: u64,
    /// The language of the body.
    pub wire: Wire,
    /// The headers; none in-process.
    pub headers: Headers,
    /// The body as sent.
    pub body: Value,
}

impl Request {
    /// A request without HTTP around it.
    #[must_use]
    pub fn in_process(n: u64, wire: Wire, body: Value) -> Self {
        Request {
            n,
            wire,
            headers: Headers::new(),
            body,
        }
    }

    /// The model that is asked.
    #[must_use]
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// Whether the answer is to be streamed.
    #[must_use]
    pub fn streamed(&self) -> bool {
        self.body["stream"].as_bool().unwrap_or_default()
    }
}
