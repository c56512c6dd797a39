//! Requests to the model, and the wires (APIs) that they use.

use std::sync::Arc;

use hyper::HeaderMap;
use serde_json::Value;

use crate::conversation::list;
use crate::wire::{GeminiPath, gemini_body};

/// The API of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wire {
    /// Anthropic Messages, `POST /v1/messages`.
    AnthropicMessages,
    /// OpenAI Chat Completions, `POST /v1/chat/completions`.
    OpenAiChat,
    /// OpenAI Responses, `POST /v1/responses`.
    OpenAiResponses,
    /// Gemini, `POST /v1beta/models/MODEL:generateContent`: <https://ai.google.dev/api/generate-content>.
    Gemini,
}

impl Wire {
    /// Every wire.
    pub const ALL: &[Wire] = &[
        Wire::AnthropicMessages,
        Wire::OpenAiChat,
        Wire::OpenAiResponses,
        Wire::Gemini,
    ];

    /// The path of its POST requests. In that of Gemini, `MODEL` is the model.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Wire::AnthropicMessages => "/v1/messages",
            Wire::OpenAiChat => "/v1/chat/completions",
            Wire::OpenAiResponses => "/v1/responses",
            Wire::Gemini => "/v1beta/models/MODEL:generateContent",
        }
    }

    /// The path and the query of a request for a stream of this model.
    #[must_use]
    pub fn stream_path(self, model: &str) -> String {
        match self {
            Wire::Gemini => format!("/v1beta/models/{model}:streamGenerateContent?alt=sse"),
            _ => self.path().to_owned(),
        }
    }

    /// The wire of a path, which may have another prefix than `/v1`.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Wire> {
        if GeminiPath::parse(path).is_some_and(|path| path.is_message()) {
            return Some(Wire::Gemini);
        }
        let ends = |wire: &&Wire| path.ends_with(wire.path().trim_start_matches("/v1"));
        Wire::ALL.iter().find(ends).copied()
    }
}

/// The last event that the client has of a stream that it resumes:
/// <https://platform.openai.com/docs/guides/background#streaming-a-background-response>.
const LAST_EVENT: &str = "starting_after";

/// How the client asks for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// One document.
    Document,
    /// A stream of server-sent events.
    Events,
    /// A JSON array that is written element by element, as Gemini streams without `alt=sse`.
    Array,
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
    /// The body as sent; of Gemini, with the names in camel case, and with the model of the path.
    pub body: Value,
    /// How the answer is sent.
    pub form: AnswerForm,
}

impl Request {
    /// A request without HTTP.
    #[must_use]
    pub fn in_process(n: u64, wire: Wire, body: Value) -> Self {
        let form = match &body["stream"] {
            Value::Bool(true) => AnswerForm::Events,
            _ => AnswerForm::Document,
        };
        let body = match wire {
            Wire::Gemini => gemini_body(body),
            _ => body,
        };
        Request {
            n,
            wire,
            headers: Arc::default(),
            body,
            form,
        }
    }

    /// A request for a message to a path, which has the model and the form of the answer if the API is Gemini.
    #[must_use]
    pub fn to_path(n: u64, wire: Wire, path: &str, query: &str, body: Value) -> Self {
        let mut request = Self::in_process(n, wire, body);
        if let (Wire::Gemini, Some(path)) = (wire, GeminiPath::parse(path)) {
            request.form = path.answer_form(query);
            if let Value::Object(members) = &mut request.body {
                members.insert("model".to_owned(), path.model.into());
            }
        }
        request
    }

    /// The name of the requested model; empty if there is none.
    #[must_use]
    pub fn model(&self) -> &str {
        let model = self.body["model"].as_str().unwrap_or_default();
        match self.wire {
            Wire::Gemini => model.strip_prefix("models/").unwrap_or(model),
            _ => model,
        }
    }

    /// Whether the client asks for a stream.
    #[must_use]
    pub fn is_streamed(&self) -> bool {
        self.form != AnswerForm::Document
    }

    /// Whether the client asks for a response that it fetches later.
    pub(crate) fn is_in_background(&self) -> bool {
        self.wire == Wire::OpenAiResponses && self.body["background"] == true
    }

    /// The number of the first event of its stream that is sent, which another is only if the stream is resumed.
    pub(crate) fn first_event(&self) -> u64 {
        let last = self.body[LAST_EVENT].as_u64();
        last.map_or(0, |last| last + 1)
    }

    /// The request for the rest of the stream of a stored response, after this event.
    pub(crate) fn resumed_after(&self, last: Option<u64>) -> Self {
        let mut request = self.clone();
        request.form = AnswerForm::Events;
        request.body[LAST_EVENT] = last.into();
        request
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
