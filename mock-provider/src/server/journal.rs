//! The journal: requests, failures, waits at gates, and the end of each exchange, as they happen.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use hyper::HeaderMap;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;

use super::route::ApiEndpoint;
use crate::answer::AnswerMessage;
use crate::failure::ScriptFailure;

/// The receiver of the journal. It is unbounded: clients wait for their answers, so its reader never lags far.
pub type Journal = mpsc::UnboundedReceiver<JournalEntry>;

/// One entry of the journal.
#[derive(Debug, Clone)]
pub struct JournalEntry {
    /// When it happened.
    pub at: Instant,
    /// The event.
    pub event: JournalEvent,
}

/// An event of the journal.
#[derive(Debug, Clone, PartialEq)]
pub enum JournalEvent {
    /// A request arrived. The entry comes before its client can see any of the answer.
    Request(ReceivedRequest),
    /// A request failed a check. The entry follows its request.
    Failure(ScriptFailure),
    /// An answer waits at a gate that is not open.
    Waiting {
        /// The number of the request.
        n: u64,
        /// The gate.
        gate: String,
    },
    /// An exchange ended. The entry of a complete one comes before its client can see the last byte.
    Reply {
        /// The number of the request.
        n: u64,
        /// The HTTP status, also if the head was not sent.
        status: u16,
        /// The number of the reply in the script; none if the request got no reply of the script.
        reply: Option<usize>,
        /// The message, if it is complete.
        message: Option<Arc<AnswerMessage>>,
        /// How it ended.
        end: ExchangeEnd,
    },
}

/// How an exchange ended, written as in transcripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExchangeEnd {
    /// Sent to its last byte.
    Complete,
    /// The client disconnected before the end.
    ClientClosed,
    /// The script cut it, or the server was shut down.
    Cut,
}

/// A request as received.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedRequest {
    /// Its number, from 0. Every request is numbered, also one for a list of models.
    pub n: u64,
    /// The HTTP method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The query, without the question mark; empty if there is none.
    pub query: String,
    /// The requested endpoint.
    pub endpoint: ApiEndpoint,
    /// The headers. Their `Debug` does not show secrets.
    pub headers: Arc<HeaderMap>,
    /// The body, byte for byte, decoded if it was compressed; empty if it was too large.
    pub body: Bytes,
    /// Whether it is a side request that took no reply of the script.
    pub is_side_request: bool,
    /// The name of the lane that it belongs to.
    pub lane: Option<String>,
}

impl ReceivedRequest {
    /// The body as JSON; a JSON string with the text if it is not JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        body_json(&self.body)
    }
}

/// A body as JSON; a JSON string with the text if it is not JSON.
#[must_use]
pub fn body_json(body: &[u8]) -> Value {
    json_matcher::read_json(body).unwrap_or_else(|_| String::from_utf8_lossy(body).into())
}
