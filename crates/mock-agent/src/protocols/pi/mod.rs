//! The protocol pi: the RPC mode of 0.14 (December 2025), 0.73 (May 2026), 0.87 and 1.6 (November 2026).

pub(super) mod adapters;
mod commands;
mod compaction;
mod configure;
mod dialogs;
mod edit;
mod entries;
mod events;
mod expand;
mod extension_script;
mod first_session;
mod flags;
mod jobs;
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
mod v0_14;
mod version;

use entries::{EntryTree, LogEntry};
use extension_script::{ExtensionScript, PendingDialog};
use responses::{Answer, Handler, PiCommand, PiSession, Reply};
use session_log::SessionLog;
use state::{PiState, RunState};
use version::PiVersion::{self, V0_14, V0_73, V0_87, V1_6};
