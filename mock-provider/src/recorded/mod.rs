//! Recorded answers of a model, as replies of a script.

mod losses;
mod reply;

pub use losses::{LostPart, recorded_losses};

use crate::answer::{Blocks, said};
use crate::request::Wire;
use crate::script::{HttpFault, ScriptReply, StreamError};
use crate::server::ExchangeEnd;
use crate::wire::{DecodeError, ReplyDecoder};
use serde_json::Value;

/// The lowest HTTP status that is not a success.
const FIRST_ERROR: u16 = 300;

/// An answer as it came over HTTP.
#[derive(Debug, Clone, Copy)]
pub struct RecordedAnswer<'a> {
    /// The path of the request.
    pub path: &'a str,
    /// The HTTP status.
    pub status: u16,
    /// The body, as far as it came.
    pub body: &'a str,
    /// How it ended.
    pub end: ExchangeEnd,
}

/// Whether requests to a path are answered by a message of the model.
#[must_use]
pub fn is_message_path(path: &str) -> bool {
    Wire::of_path(path).is_some()
}

/// The reply that reproduces this answer; `None` if it is not an answer of a known API.
#[must_use]
pub fn recorded_reply(answer: &RecordedAnswer<'_>) -> Option<ScriptReply> {
    if answer.status >= FIRST_ERROR {
        Wire::of_path(answer.path)?;
        return Some(ScriptReply {
            error: Some(http_error(answer)),
            ..ScriptReply::default()
        });
    }
    let (decoder, error) = decoded(answer)?;
    Some(reply::scripted(decoder, error, answer.end))
}

/// The content of this answer, if it is complete, as [`AnswerMessage::said`](crate::answer::AnswerMessage::said) gives it.
#[must_use]
pub fn recorded_message(answer: &RecordedAnswer<'_>) -> Option<Value> {
    let (mut decoder, error) = decoded(answer)?;
    let is_whole =
        error.is_none() && answer.status < FIRST_ERROR && answer.end == ExchangeEnd::Complete;
    let mut blocks = Blocks::default();
    while let Some(chunk) = decoder.take() {
        blocks.add(&chunk);
    }
    said(&blocks.0, decoder.stop(), decoder.usage()).filter(|_| is_whole)
}

/// The decoder after the whole answer, and the error that the answer reports.
fn decoded(answer: &RecordedAnswer<'_>) -> Option<(ReplyDecoder, Option<StreamError>)> {
    let mut decoder = ReplyDecoder::new(Wire::of_path(answer.path)?);
    let decoded = match document(answer.body) {
        Some(document) => decoder.document(&document),
        None => decoder.push(answer.body.as_bytes()),
    };
    decoder.end();
    let error = match decoded {
        Err(DecodeError::Reported(error)) => Some(error),
        _ => None,
    };
    Some((decoder, error))
}

/// The document of a body that is JSON; of an array that broke off, its complete elements.
fn document(body: &str) -> Option<Value> {
    let cut_array = || {
        let ends = body.rmatch_indices('}').filter(|_| body.starts_with('['));
        let mut starts = ends.map(|(end, _)| format!("{}]", &body[..=end]));
        starts.find_map(|array| serde_json::from_str(&array).ok())
    };
    serde_json::from_str(body).ok().or_else(cut_array)
}

/// The error of a response without success: the parts of the usual document, or else the body as it is.
fn http_error(answer: &RecordedAnswer<'_>) -> HttpFault {
    let mut document: Value = serde_json::from_str(answer.body).unwrap_or_default();
    if let Value::Array(documents) = &mut document {
        document = documents.pop().unwrap_or_default();
    }
    let part = |name: &str| document["error"][name].as_str().map(str::to_owned);
    let message = part("message");
    // In Gemini's document, `code` is the status of HTTP and `status` the type.
    HttpFault {
        status: answer.status,
        body: message.is_none().then(|| answer.body.to_owned()),
        kind: part("type").or_else(|| part("status")),
        code: part("code"),
        message,
        headers: indexmap::IndexMap::new(),
    }
}

#[cfg(test)]
mod tests;
