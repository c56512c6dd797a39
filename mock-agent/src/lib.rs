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

mod approval;
mod asking;
mod attachments;
mod calls;
mod card;
mod compaction;
mod config;
mod dialogue;
mod errands;
mod event;
pub mod faults;
mod helper;
mod ids;
mod mcp;
mod message;
mod model;
mod os;
mod process;
mod protocols;
mod queues;
mod reply;
mod retry;
mod running;
mod session;
mod shells;
mod spending;
mod store;
mod subagent;
mod tools;
mod turn;
mod voice;

pub use config::options::PROTOCOL_VARIABLE as PROTOCOL;
pub use process::main;

pub use protocols::table::{all_faults, dialects};
