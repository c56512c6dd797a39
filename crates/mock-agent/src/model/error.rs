//! Model errors: refused requests, broken connections and streams; which are retryable, and `retry-after`.

use hyper::HeaderMap;
use hyper::header::RETRY_AFTER;
use mock_provider::DecodeError;
use mock_provider::script::StreamError;
use serde_json::Value;
use std::time::Duration;
use thiserror::Error;

/// A request that failed, or a reply that was interrupted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum ModelError {
    /// No connection, or none that speaks HTTP.
    #[error("No answer from {host}:{port}: {why}.")]
    Unreachable {
        host: String,
        port: u16,
        why: String,
    },
    #[error("The model's connection was closed before it answered.")]
    Unanswered,
    #[error("The model's stream broke off: it ended before the reply did.")]
    CutShort,
    #[error("The model's stream broke off: the connection was closed.")]
    Disconnected,
    #[error("The model has sent nothing for {} s", .0.as_secs_f64())]
    Timeout(Duration),
    /// A request that cannot be sent, or a response that violates the specification of the wire.
    #[error("{0}")]
    Malformed(String),
    /// A response without success.
    #[error("{text} (HTTP {status}, {kind}).{}", asked_wait(*.retry_after))]
    Status {
        status: u16,
        kind: String,
        text: String,
        has_no_credit: bool,
        /// How long the server asks clients to wait.
        retry_after: Option<Duration>,
    },
    /// An error event in a stream.
    #[error("{} ({kind}).", .message.trim_end_matches('.'))]
    InStream { kind: String, message: String },
}

/// Types of temporary errors, on all wires.
const TEMPORARY: [&str; 10] = [
    "overloaded_error",
    "rate_limit_error",
    "rate_limit_exceeded",
    "api_error",
    "timeout_error",
    "server_error",
    "RESOURCE_EXHAUSTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DEADLINE_EXCEEDED",
];

/// The code for an account without credit. It has the status of a rate limit, but waiting does not help.
const NO_CREDIT: &str = "insufficient_quota";

/// How much of an error body that is not an error document is shown, in characters.
const EXCERPT: usize = 300;

impl ModelError {
    /// A response without success.
    pub(super) fn of_response(status: u16, headers: &HeaderMap, body: &[u8]) -> Self {
        let document = serde_json::from_slice::<Value>(body).unwrap_or_default();
        let error = &document["error"];
        let kind = error["type"].as_str().or(error["status"].as_str());
        let kind = kind.unwrap_or("error");
        ModelError::Status {
            status,
            text: error["message"].as_str().map_or_else(
                || excerpt(&String::from_utf8_lossy(body)),
                |message| message.trim_end_matches('.').to_owned(),
            ),
            has_no_credit: kind == NO_CREDIT || error["code"] == NO_CREDIT,
            kind: kind.to_owned(),
            retry_after: retry_after(headers),
        }
    }

    /// Whether the same request may succeed later.
    pub(crate) fn is_retryable(&self) -> bool {
        match self {
            ModelError::Malformed(_) => false,
            ModelError::InStream { kind, .. } => TEMPORARY.contains(&kind.as_str()),
            ModelError::Status {
                status,
                has_no_credit,
                ..
            } => !has_no_credit && (matches!(status, 408 | 409 | 429) || *status >= 500),
            _ => true,
        }
    }

    /// Whether the connection was lost in the middle of a reply.
    pub(crate) fn is_interruption(&self) -> bool {
        matches!(self, ModelError::CutShort | ModelError::Disconnected)
    }
}

/// The wait that the header `retry-after` asks for.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?;
    Duration::try_from_secs_f64(seconds.trim().parse().ok()?).ok()
}

fn asked_wait(retry_after: Option<Duration>) -> String {
    retry_after.map_or(String::new(), |wait| {
        format!(" Retry after {}s.", wait.as_secs_f64())
    })
}

impl From<DecodeError> for ModelError {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::EndlessLine => {
                ModelError::Malformed("The model's stream has an endless line.".into())
            }
            DecodeError::NotJson(error) => {
                ModelError::Malformed(format!("The stream is not JSON: {error}"))
            }
            DecodeError::Reported(StreamError { kind, message }) => {
                ModelError::InStream { kind, message }
            }
        }
    }
}

fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = line.chars().take(EXCERPT).collect();
    if shown.is_empty() {
        shown.push_str("no explanation");
    } else if shown.len() < line.len() {
        shown.push('…');
    }
    shown
}
