//! Requests to the model, and the wires (APIs) that they use.

use std::sync::Arc;

use hyper::HeaderMap;
use serde_json::Value;

use crate::conversation::list;

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

    /// The wire of a path, which may have another prefix than `/v1`.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Wire> {
        let ends = |wire: &&Wire| path.ends_with(wire.path().trim_start_matches("/v1"));
        Wire::ALL.iter().find(ends).copied()
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

    /// Whether the client asks for a response that it fetches later.
    pub(crate) fn is_in_background(&self) -> bool {
        self.wire == Wire::OpenAiResponses && self.body["background"] == true
    }

    /// Whether it asks for no output:
    /// <https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pre-warming-the-cache>.
    pub(crate) fn only_fills_cache(&self) -> bool {
        self.wire == Wire::AnthropicMessages && self.body["max_tokens"] == 0
    }

    /// Whether a tool takes free text instead of JSON: <https://platform.openai.com/docs/guides/function-calling#custom-tools>.
    pub(crate) fn is_custom_tool(&self, name: &str) -> bool {
        list(&self.body["tools"]).iter().any(|tool| {
            let own = tool.get("custom").unwrap_or(tool);
            tool["type"] == "custom" && own["name"] == name
        })
    }
}

/// A request, as sent and with the conversation that the server holds for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AskedModel<'a> {
    pub(crate) sent: &'a Request,
    pub(crate) whole: &'a Request,
}
