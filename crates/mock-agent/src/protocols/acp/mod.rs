//! The Agent Client Protocol, version 1: JSON-RPC in both directions, with several sessions in one process.
//!
//! The session of the process only holds what they share. Each session of the host is one of the core, with an encoder of its own.

pub(super) mod adapters;
mod commands;
mod configure;
mod content;
mod events;
mod files;
mod host;
mod options;
mod prompt;
mod replay;
mod rpc;
mod session_tools;
mod sessions;
mod state;
mod subagents;
mod terminals;
mod tools;

use commands::Agent;
use rpc::RpcError;
use state::{AcpSession, AcpState, OpenPrompt, Pending};
