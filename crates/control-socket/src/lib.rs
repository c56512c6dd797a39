//! How a test controls mock agents and scripted models while they run.
//!
//! ```text
//!  test ── Client ──► socket ──► ControlServer: a task for each connection ──► Incoming ──► the agent's event loop
//!            ▲                                                                        │
//!            └──────────────────── one JSON object a line: Response ◄─────────────────┘
//! ```
//!
//! Every process that a test controls registers in a folder of the test, in the order in which the processes start: `1.json`, `2.json`
//! and so on ([`Registered`]). Each file has the address of a Unix socket of mode 0600, or of a port on loopback with a token. A test
//! sends [`Request`]s, one JSON object a line, and gets a [`Response`] for each, in order.

mod client;
mod connection;
mod journal;
mod protocol;
mod registry;
mod server;

pub use client::{Client, ClientError};
pub use connection::{Incoming, Outcome, Reply, Responses};
pub use journal::{Journal, Record};
pub use protocol::{Command, Request, Response};
pub use registry::{ControlAddress, Registered, failed_starts, registered, wait_for};
pub use server::ControlServer;
