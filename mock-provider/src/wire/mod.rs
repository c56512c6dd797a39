//! The languages that real agents speak to their models: a folder each, for what it answers and what it
//! refuses.
//!
//! A new wire is a variant of [`Wire`], its folder, and its arms here.

mod anthropic;
mod chat;
mod errors;
mod fold;
mod headers;
mod models;
mod responses;
mod sse;

use serde_json::Value;

use crate::answer::{HttpError, Message, Piece};
use crate::headers::Headers;
use crate::memory::Memory;
use crate::request::{Request, Wire};

pub(crate) use models::{model as one_model, models};

/// What an answer on a wire depends on besides the message.
pub(crate) struct Context<'a> {
    pub(crate) request: &'a Request,
    pub(crate) seed: u64,
}

/// Turns pieces into events, each the bytes of one.
pub(crate) trait Encoder {
    /// The events of a piece; none for waits and cuts.
    fn encode(&mut self, piece: &Piece) -> Vec<Vec<u8>>;
    /// A sign of life without content.
    fn ping(&self) -> Vec<u8>;
}

/// The encoder of a message's stream.
pub(crate) fn encoder<'a>(context: &'a Context<'a>, message: &'a Message) -> Box<dyn Encoder + 'a> {
    match context.request.wire {
        Wire::AnthropicMessages => Box::new(anthropic::Stream::new(context, message)),
        Wire::OpenAiChat => Box::new(chat::Stream::new(context, message)),
        Wire::OpenAiResponses => Box::new(responses::Stream::new(context, message)),
    }
}

/// A message as one document, or the HTTP error that it comes to where the script breaks it off with one.
pub(crate) fn whole(context: &Context, message: &Message) -> Result<Value, HttpError> {
    let wire = context.request.wire;
    if let Some((kind, text)) = fold::fold(&message.pieces).error {
        return Err(HttpError::new(wire.status_of(&kind), kind, text));
    }
    Ok(match wire {
        Wire::AnthropicMessages => anthropic::whole(context, message),
        Wire::OpenAiChat => chat::whole(context, message),
        Wire::OpenAiResponses => responses::whole(context, message),
    })
}

/// The error that the real API would refuse a request with.
pub(crate) fn refusal(request: &Request, memory: &Memory) -> Option<HttpError> {
    match request.wire {
        Wire::AnthropicMessages => anthropic::refusal(request, memory, true),
        Wire::OpenAiChat => chat::refusal(&request.body),
        Wire::OpenAiResponses => responses::refusal(&request.body),
    }
}

/// The error that the real API would refuse a request for a count of tokens with.
pub(crate) fn count_refusal(request: &Request, memory: &Memory) -> Option<HttpError> {
    anthropic::refusal(request, memory, false)
}

/// A count of tokens: a fourth of the characters of the body's strings.
pub(crate) fn count_tokens(body: &Value) -> u64 {
    fn characters(value: &Value) -> usize {
        match value {
            Value::String(text) => text.chars().count(),
            Value::Array(list) => list.iter().map(characters).sum(),
            Value::Object(map) => map
                .iter()
                .map(|(key, value)| key.chars().count() + characters(value))
                .sum(),
            _ => 1,
        }
    }
    (characters(body) as u64).div_ceil(4)
}

impl Wire {
    /// The headers of a reply; the script's own come over them.
    pub(crate) fn headers(self, status: u16, request_id: &str) -> Headers {
        match self {
            Wire::AnthropicMessages => headers::anthropic(status, request_id),
            Wire::OpenAiChat | Wire::OpenAiResponses => headers::openai(status, request_id),
        }
    }

    /// The id of the request of this number.
    pub(crate) fn request_id(self, seed: u64, n: u64) -> String {
        crate::ids::id("req_011", 21, seed, &n.to_string())
    }

    /// The body of an error.
    pub(crate) fn error_body(self, error: &HttpError, request_id: &str) -> Value {
        match self {
            Wire::AnthropicMessages => {
                let mut document = anthropic::error_document(&error.kind, &error.message);
                document["request_id"] = request_id.into();
                document
            }
            Wire::OpenAiChat | Wire::OpenAiResponses => chat::error_document(
                &error.kind,
                &error.message,
                error.details.param.as_deref(),
                error.details.code.as_deref(),
            ),
        }
    }

    /// The error that goes with an HTTP status where nobody says otherwise.
    pub(crate) fn usual_error(self, status: u16) -> HttpError {
        errors::usual(self.errors(), status)
    }

    /// The HTTP status that goes with a type of error; 500 for one nobody knows.
    fn status_of(self, kind: &str) -> u16 {
        self.errors()
            .iter()
            .find(|usual| usual.kind == kind)
            .map_or(500, |usual| usual.status)
    }

    fn errors(self) -> &'static [errors::Usual] {
        match self {
            Wire::AnthropicMessages => &errors::ANTHROPIC,
            Wire::OpenAiChat | Wire::OpenAiResponses => &errors::OPENAI,
        }
    }

    /// The prefix of a tool call's id, and how many letters follow it.
    pub(crate) fn call_id(self) -> (&'static str, usize) {
        match self {
            Wire::AnthropicMessages => ("toolu_01", 22),
            Wire::OpenAiChat | Wire::OpenAiResponses => ("call_", 24),
        }
    }
}
