//! Model errors: refused requests, broken connections and streams; which are retryable, and `retry-after`.

use hyper::HeaderMap;
use hyper::header::RETRY_AFTER;
use mock_provider::DecodeError;
use mock_provider::script::StreamError;
use serde_json::Value;
use std::time::Duration;

/// A request that failed, or a reply that was interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelError {
    pub(crate) message: String,
    /// Whether the same request may succeed later.
    pub(crate) retryable: bool,
    /// Whether the connection was lost in the middle of a reply.
    pub(crate) interrupted: bool,
    /// How long the server asks clients to wait.
    pub(crate) retry_after: Option<Duration>,
}

/// Types of temporary errors, on all wires.
const TEMPORARY: [&str; 6] = [
    "overloaded_error",
    "rate_limit_error",
    "rate_limit_exceeded",
    "api_error",
    "timeout_error",
    "server_error",
];

/// The code for an account without credit. It has the status of a rate limit, but waiting does not help.
const NO_CREDIT: &str = "insufficient_quota";

/// How much of an error body that is not an error document is shown, in characters.
const EXCERPT: usize = 300;

impl ModelError {
    /// No connection, or none that speaks HTTP.
    pub(super) fn unreachable(message: impl Into<String>) -> Self {
        ModelError {
            message: message.into(),
            retryable: true,
            interrupted: false,
            retry_after: None,
        }
    }

    /// The connection was lost in the middle of a reply.
    pub(super) fn interrupted(message: impl Into<String>) -> Self {
        ModelError {
            interrupted: true,
            ..ModelError::unreachable(message)
        }
    }

    /// The stream ended before the reply did.
    pub(crate) fn cut_short() -> Self {
        ModelError::interrupted("The model's stream broke off: it ended before the reply did.")
    }

    /// The connection was closed in the middle of a reply.
    pub(super) fn disconnected() -> Self {
        ModelError::interrupted("The model's stream broke off: the connection was closed.")
    }

    /// The connection was closed before a response began.
    pub(super) fn unanswered() -> Self {
        ModelError::unreachable("The model's connection was closed before it answered.")
    }

    /// The response is not what the wire specifies.
    pub(super) fn malformed(message: impl Into<String>) -> Self {
        ModelError {
            retryable: false,
            ..ModelError::unreachable(message)
        }
    }

    /// Timeout: nothing was received for this long.
    pub(crate) fn timeout(limit: Duration) -> Self {
        ModelError::unreachable(format!(
            "The model has sent nothing for {} s",
            limit.as_secs_f64()
        ))
    }

    /// The wait that the header `retry-after` asks for.
    pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
        let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?;
        Duration::try_from_secs_f64(seconds.trim().parse().ok()?).ok()
    }

    /// A response without success.
    pub(super) fn status(status: u16, body: &[u8], retry_after: Option<Duration>) -> Self {
        let document = serde_json::from_slice::<Value>(body).unwrap_or_default();
        let error = &document["error"];
        let text = error["message"].as_str().map_or_else(
            || excerpt(&String::from_utf8_lossy(body)),
            |message| message.trim_end_matches('.').to_owned(),
        );
        let kind = error["type"].as_str().unwrap_or("error");
        let quota = kind == NO_CREDIT || error["code"] == NO_CREDIT;
        let wait = retry_after.map_or(String::new(), |wait| {
            format!(" Retry after {}s.", wait.as_secs_f64())
        });
        ModelError {
            message: format!("{text} (HTTP {status}, {kind}).{wait}"),
            retryable: !quota && (matches!(status, 408 | 409 | 429) || status >= 500),
            interrupted: false,
            retry_after,
        }
    }

    /// An error event in a stream.
    pub(super) fn in_stream(kind: &str, message: &str) -> Self {
        ModelError {
            message: format!("{} ({kind}).", message.trim_end_matches('.')),
            retryable: TEMPORARY.contains(&kind),
            interrupted: false,
            retry_after: None,
        }
    }
}

impl From<DecodeError> for ModelError {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::EndlessLine => {
                ModelError::malformed("The model's stream has an endless line.")
            }
            DecodeError::NotJson(error) => {
                ModelError::malformed(format!("The stream is not JSON: {error}"))
            }
            DecodeError::Reported(StreamError { kind, message }) => {
                ModelError::in_stream(&kind, &message)
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
