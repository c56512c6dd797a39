//! The scripted model as an HTTP server.
//!
//! ```text
//!  listener (accept) ──► handler (one request) ──► route (path, headers) ──► Model
//!                           │                                                 │ answer
//!                           └──► exchange (journals the end) ◄── response ◄───┘
//!                                                                └─► body (writes, waits, gates, cuts)
//! ```

mod body;
mod connection;
mod cors;
mod exchange;
mod gates;
mod handler;
mod journal;
mod listener;
mod response;
mod route;
mod state;

pub use crate::conversations::ConversationPath;
pub use journal::{ExchangeEnd, Journal, JournalEntry, JournalEvent, ReceivedRequest, body_json};
pub use listener::Server;
pub use route::{ApiEndpoint, GeminiEndpoint};
pub use state::{Observer, ServerOptions};
