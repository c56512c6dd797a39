//! The journal: what reached the model and how each exchange ended, as it happens.

use std::time::Instant;

use bytes::Bytes;
use serde_json::Value;
use tokio::sync::mpsc;

use super::route::ApiEndpoint;
use crate::failure::ScriptFailure;
use crate::headers::Headers;

/// Receives the journal. Unbounded: a client waits for its answers, so the journal is never far ahead of its reader.
pub type Journal = mpsc::UnboundedReceiver<JournalEntry>;

/// One entry of the journal.
#[derive(Debug, Clone)]
pub struct JournalEntry {
    /// When it happened.
    pub at: Instant,
    /// What happened.
    pub event: JournalEvent,
}

impl JournalEntry {
    pub(super) fn now(event: JournalEvent) -> Self {
        JournalEntry {
            at: Instant::now(),
            event,
        }
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum JournalEvent {
    /// A request came. Stands before anything its client can see of the answer.
    Request(ReceivedRequest),
    /// A request was not as it should be. Stands right behind its request.
    Failure(ScriptFailure),
    /// An answer waits at a gate that is not open.
    Waiting {
        /// The number of the request.
        n: u64,
        /// The gate.
        gate: String,
    },
    /// An exchange ended. A complete one stands before its client can see the last byte.
    Reply {
        /// The number of the request.
        n: u64,
        /// The HTTP status, also where the head was not sent any more.
        status: u16,
        /// The number of the reply in the script; none where the request got no reply of the script.
        reply: Option<usize>,
        /// How it ended.
        end: ExchangeEnd,
    },
}

/// How an exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeEnd {
    /// Handed over to its last byte.
    Complete,
    /// The client went away before the end.
    ClientClosed,
    /// The script cut it short, or the server was shut down.
    Cut,
}

impl ExchangeEnd {
    /// The word used in transcripts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ExchangeEnd::Complete => "complete",
            ExchangeEnd::ClientClosed => "client_closed",
            ExchangeEnd::Cut => "cut",
        }
    }
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedRequest {
    /// Its number, from 0. Every request counts, also one for a list of models.
    pub n: u64,
    /// The HTTP method.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The query, without the question mark; empty if there is none.
    pub query: String,
    /// What was asked for.
    pub endpoint: ApiEndpoint,
    /// The headers. What shows them hides secrets.
    pub headers: Headers,
    /// The body, byte for byte; empty if it was too large to be taken.
    pub body: Bytes,
}

impl ReceivedRequest {
    /// The body as JSON; a JSON string holding the text where it is not JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&self.body)))
    }
}
