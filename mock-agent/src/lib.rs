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
mod args;
mod asking;
mod attachments;
mod calls;
mod card;
mod compaction;
mod config;
mod dialogue;
mod errands;
mod event;
mod exit;
pub mod faults;
mod help;
mod helper;
mod ids;
mod input;
mod mcp;
mod message;
mod model;
mod outbox;
mod prepare;
mod process;
mod protocol;
mod protocols;
mod provider;
mod queues;
mod reply;
mod retry;
mod run;
mod running;
mod script;
mod serve;
mod session;
mod shells;
mod signals;
mod spending;
mod store;
mod subagent;
mod tools;
mod turn;
mod voice;

pub use run::main;

pub use protocol::VARIABLE as PROTOCOL;

pub use protocols::table::{all_faults, dialects};
