//! Recorded answers of a model, as replies of a script: the inverse of `wire`.
//!
//! ```text
//!  path, status, body ──► anthropic | chat | responses: events ──► builder: blocks, chunks, usage, stop ──► ScriptReply
//! ```

mod anthropic;
mod builder;
mod chat;
mod responses;

use crate::script::{HttpFault, ScriptReply};
use builder::ReplyBuilder;
use serde_json::Value;

/// The lowest HTTP status that is no success.
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
    pub end: RecordedEnd,
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedEnd {
    /// With the end of its body.
    Complete,
    /// The client closed the connection.
    ClientClosed,
    /// The connection broke off.
    Cut,
}

/// Reads the data of one event into the reply.
type ReadEvent = fn(&Value, &mut ReplyBuilder);

/// Reads a whole message, which is not streamed, into the reply.
type ReadMessage = fn(&Value, &mut ReplyBuilder);

/// The ends of paths, and what is answered there.
const READERS: [(&str, ReadEvent, ReadMessage); 3] = [
    ("/messages", anthropic::event, anthropic::message),
    ("/chat/completions", chat::event, chat::message),
    ("/responses", responses::event, responses::message),
];

/// Whether requests to a path are answered by a message of the model.
#[must_use]
pub fn is_message_path(path: &str) -> bool {
    READERS.iter().any(|(end, ..)| path.ends_with(end))
}

/// The reply that gives this answer again; `None` if it is no answer of an API that is known here.
#[must_use]
pub fn recorded_reply(answer: &RecordedAnswer<'_>) -> Option<ScriptReply> {
    let (_, event, message) = READERS
        .iter()
        .find(|(end, ..)| answer.path.ends_with(end))?;
    if answer.status >= FIRST_ERROR {
        let error = http_error(answer);
        return Some(ScriptReply {
            error: Some(error),
            ..ScriptReply::default()
        });
    }
    let mut builder = ReplyBuilder::default();
    match serde_json::from_str::<Value>(answer.body) {
        Ok(document) => message(&document, &mut builder),
        Err(_) => {
            for data in event_data(answer.body) {
                event(&data, &mut builder);
            }
        }
    }
    Some(builder.finish(answer.end))
}

/// The data of the events in a stream that are JSON.
fn event_data(body: &str) -> impl Iterator<Item = Value> {
    let data = body
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(str::trim);
    data.filter_map(|data| serde_json::from_str(data).ok())
}

/// The error of a response without success: the parts of the usual document, or else the body as it is.
fn http_error(answer: &RecordedAnswer<'_>) -> HttpFault {
    let document: Value = serde_json::from_str(answer.body).unwrap_or_default();
    let part = |name: &str| document["error"][name].as_str().map(str::to_owned);
    let message = part("message");
    HttpFault {
        status: answer.status,
        body: message.is_none().then(|| answer.body.to_owned()),
        kind: part("type"),
        code: part("code"),
        message,
        headers: indexmap::IndexMap::new(),
    }
}

#[cfg(test)]
mod tests;
