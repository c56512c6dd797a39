//! synaps@1: the synaps-bridge RPC protocol, version 1.

mod answers;
mod attachments;
mod commands;
mod events;
mod faults;
mod frames;
mod history;
mod launch;
mod settings;
mod tools;

use crate::config::options::RPC;
use crate::protocols::adapter::Adapter;

pub(super) const V1: Adapter = Adapter {
    name: "synaps",
    version: "1",
    chosen: |args| args.first().is_some_and(|arg| arg == ACTIVATION),
    flags: RPC,
    line_limit: frames::LIMIT,
    kind_pointer: "/type",
    emitter: || Box::new(events::Events::default()),
    command: commands::take,
    parent: None,
    faults: faults::TABLE,
    without_faults: &[],
    without_frames: &[],
    caught_here: &[],
    tools: tools::TOOLS,
    configure: launch::configure,
};

/// The subcommand that asks for this dialect.
const ACTIVATION: &str = "rpc";
