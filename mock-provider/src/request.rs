//! Requests to the model, and the wires (APIs) that they use.

use std::sync::Arc;

use hyper::HeaderMap;
use serde_json::Value;

/// The API of a request.
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

    /// The path of its POST requests.
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
    /// The API of the body.
    pub wire: Wire,
    /// The headers; none in-process.
    pub headers: Arc<HeaderMap>,
    /// The body as sent.
    pub body: Value,
}

impl Request {
    /// A request without HTTP.
    #[must_use]
    pub fn in_process(n: u64, wire: Wire, body: Value) -> Self {
        Request {
            n,
            wire,
            headers: Arc::default(),
            body,
        }
    }

    /// The name of the requested model; empty if there is none.
    #[must_use]
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// Whether the client asks for a stream.
    #[must_use]
    pub fn is_streamed(&self) -> bool {
        self.body["stream"].as_bool().unwrap_or_default()
    }
}
