//! The protocol pi: the RPC mode of 0.14 (December 2025), 0.73 (May 2026) and 0.87 (November 2026).

pub(super) mod adapters;
mod attachments_v0_14;
mod commands;
mod commands_v0_14;
mod compaction;
mod configure;
mod dialogs;
mod entries;
mod events;
mod events_v0_14;
mod expand;
mod extension_script;
mod flags;
mod hooks;
mod messages;
mod models;
mod models_json;
mod queries;
mod queue;
mod responses;
mod session_log;
mod sessions;
mod shell;
mod state;
mod stream;
mod tools;
mod version;
