//! The protocol synaps: the synaps-bridge RPC protocol, version 1.

pub(super) mod adapters;
mod answers;
mod attachments;
mod commands;
mod configure;
mod events;
mod flags;
mod frames;
mod settings_file;
mod state;
mod tools;

use commands::SynapsSession;
use state::{ActiveCommand, COMPACT, StreamingCall, SynapsState};
