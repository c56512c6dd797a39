//! The functions of each wire: encodes a message, validates a request, writes errors.

use bytes::Bytes;
use serde_json::{Value, json};

use super::encoder::{Encoder, WireContext};
use super::{anthropic, chat, gemini, responses};
use crate::answer::{AnswerMessage, HttpError, Piece};
use crate::ids;
use crate::request::{Request, Wire};
use crate::script::StreamError;
use crate::signatures::SignatureStore;

/// The encoder of a message's stream.
pub(crate) fn encoder<'a>(
    context: &'a WireContext<'a>,
    message: &'a AnswerMessage,
) -> Box<dyn Encoder + 'a> {
    match context.request.wire {
        Wire::AnthropicMessages => Box::new(anthropic::AnthropicStream::new(context, message)),
        Wire::OpenAiChat => Box::new(chat::ChatStream::new(context, message)),
        Wire::OpenAiResponses => Box::new(responses::ResponsesStream::new(context, message)),
        Wire::Gemini => Box::new(gemini::GeminiStream::new(context, message)),
    }
}

/// A message as one document.
///
/// # Errors
/// The HTTP error, if the script ends the message with an error.
pub(crate) fn whole(context: &WireContext, message: &AnswerMessage) -> Result<Bytes, HttpError> {
    let wire = context.request.wire;
    let mut errors = message.pieces.iter().filter_map(|piece| match piece {
        Piece::Error(error) => Some(error),
        _ => None,
    });
    if let Some(StreamError { kind, message }) = errors.next() {
        let (kind, code) = wire.error_words(kind);
        let status = wire.status_of(&kind);
        return Err(HttpError::new(status, kind, message).about(None, code.as_deref()));
    }
    Ok(match wire {
        Wire::OpenAiChat => chat::whole(context, message),
        _ => document(context, message).to_string().into(),
    })
}

/// The document of a message without an error.
pub(crate) fn document(context: &WireContext, message: &AnswerMessage) -> Value {
    match context.request.wire {
        Wire::AnthropicMessages => anthropic::whole(context, message),
        Wire::OpenAiChat => {
            serde_json::from_slice(&chat::whole(context, message)).unwrap_or_default()
        }
        Wire::OpenAiResponses => responses::whole(context, message),
        Wire::Gemini => gemini::whole(context, message),
    }
}

/// The document of a response before its end.
pub(crate) fn unfinished(context: &WireContext, message: &AnswerMessage, status: &str) -> Value {
    responses::document(context, message, status, Vec::new())
}

/// The answer to a request for a response that the client fetches later; none for any other request.
pub(crate) fn queued(context: &WireContext, message: &AnswerMessage) -> Option<Value> {
    let request = context.request;
    let is_fetched =
        request.is_in_background() && !request.is_streamed() && message.stop().is_some();
    is_fetched.then(|| unfinished(context, message, "queued"))
}

/// The id of a message.
pub(crate) fn message_id(wire: Wire, seed: u64, message: &AnswerMessage) -> String {
    let (prefix, length) = match wire {
        Wire::AnthropicMessages => ("msg_01", 22),
        Wire::OpenAiChat => ("chatcmpl-", 29),
        Wire::OpenAiResponses => ("resp_", 48),
        Wire::Gemini => ("", 23),
    };
    ids::id(prefix, length, seed, &message.path)
}

/// The error of the real API for a request that is not valid.
pub(crate) fn validation_error(
    request: &Request,
    signatures: &SignatureStore,
) -> Option<HttpError> {
    match request.wire {
        Wire::AnthropicMessages => anthropic::validation_error(request, signatures, true),
        Wire::OpenAiChat => chat::validation_error(&request.body),
        Wire::OpenAiResponses => responses::validation_error(&request.body),
        Wire::Gemini => gemini::validation_error(request),
    }
}

/// The error of the real API for a token count request that is not valid.
pub(crate) fn token_count_error(
    request: &Request,
    signatures: &SignatureStore,
) -> Option<HttpError> {
    anthropic::validation_error(request, signatures, false)
}

/// The token count of a body: a fourth of the characters of its strings and keys.
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
    /// The id of a request, by its number.
    pub(crate) fn request_id(self, seed: u64, n: u64) -> String {
        ids::id("req_011", 21, seed, &n.to_string())
    }

    /// The body of an error.
    pub(crate) fn error_body(self, error: &HttpError, request_id: &str) -> Value {
        match self {
            Wire::AnthropicMessages => {
                let mut document = anthropic::error_document(&error.kind, &error.message);
                if let Some(code) = &error.details.code {
                    document["error"]["details"] = json!({ "error_code": code });
                }
                document["request_id"] = request_id.into();
                document
            }
            Wire::OpenAiChat | Wire::OpenAiResponses => chat::error_document(
                &error.kind,
                &error.message,
                error.details.param.as_deref(),
                error.details.code.as_deref(),
            ),
            Wire::Gemini => gemini::error_document(error),
        }
    }

    /// The prefix of a tool call's id, and the number of letters after it.
    pub(crate) fn call_id(self) -> (&'static str, usize) {
        match self {
            Wire::AnthropicMessages => ("toolu_01", 22),
            Wire::OpenAiChat | Wire::OpenAiResponses => ("call_", 24),
            Wire::Gemini => ("", 8),
        }
    }
}
