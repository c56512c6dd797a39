//! The protocol synaps: the synaps-bridge RPC protocol, version 1.

pub(super) mod adapters;
mod answers;
mod attachments;
mod commands;
mod events;
mod faults;
mod flags;
mod frames;
mod hooks;
mod launch;
mod settings;
mod state;
mod tools;
