//! The reference agent: a real agent whose model is scripted.
//!
//! ```text
//!  stdin ─► input ─► protocols::*::commands ─► session ─► turn ─► model (script in-process, or HTTP)
//!                                             │         └───► tools (confined to the workspace)
//!  stdout ◄─ outbox ◄─ protocols::*::events ◄── event
//! ```
//!
//! The core (session, turn, calls, approval, tools, model) speaks no protocol. An adapter turns a dialect's commands into calls on
//! the session, and the core's events into frames. Every frame passes the `outbox`; faults play there and at the core's
//! named hooks, and nowhere else.

mod config;
mod core;
pub mod faults;
mod model;
mod os;
mod process;
mod protocols;
mod store;
mod tools;

pub use config::options::PROTOCOL_VARIABLE as PROTOCOL;
pub use process::main;

pub use protocols::table::{all_faults, dialects};
