//! The functions of each wire: encodes a message, validates a request, writes errors.

use bytes::Bytes;
use serde_json::Value;

use super::encoder::{Encoder, WireContext};
use super::{anthropic, chat, responses};
use crate::answer::{AnswerMessage, HttpError, Piece};
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
        return Err(HttpError::new(wire.status_of(kind), kind, message));
    }
    let document = match wire {
        Wire::OpenAiChat => return Ok(chat::whole(context, message)),
        Wire::AnthropicMessages => anthropic::whole(context, message),
        Wire::OpenAiResponses => responses::whole(context, message),
    };
    Ok(document.to_string().into())
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

    /// The prefix of a tool call's id, and the number of letters after it.
    pub(crate) fn call_id(self) -> (&'static str, usize) {
        match self {
            Wire::AnthropicMessages => ("toolu_01", 22),
            Wire::OpenAiChat | Wire::OpenAiResponses => ("call_", 24),
        }
    }
}
