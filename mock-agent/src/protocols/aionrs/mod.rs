//! aionrs@0.1: JSON Stream Protocol, version 0.1.0; and what the versions after it do otherwise.

mod commands;
mod events;
mod faults;
mod v0_2;

pub(super) use v0_2::V0_2;

use crate::config::options::{COMMON, Options};
use crate::config::{AgentConfig, Env};
use crate::protocols::adapter::Adapter;
use crate::tools::TOOLS;

pub(super) const V0_1: Adapter = Adapter {
    name: "aionrs",
    version: "0.1",
    chosen: |args| args.iter().any(|arg| arg == ACTIVATION),
    flags: COMMON,
    line_limit: LINE_LIMIT,
    kind_pointer: "/type",
    emitter: || Box::new(events::Events),
    command: |session, input| commands::take(session, input, &[commands::COMMANDS]),
    parent: None,
    faults: faults::TABLE,
    without_faults: &[],
    without_frames: &[],
    caught_here: &[],
    tools: TOOLS,
    configure,
};

/// The flag that asks for this dialect.
const ACTIVATION: &str = "--json-stream";

/// The longest command, in bytes. The page names no limit.
const LINE_LIMIT: usize = 16 << 20;

fn configure(options: Options, env: Env<'_>) -> Result<AgentConfig, String> {
    let both = options.session_id.is_some() && options.resume.is_some();
    if both {
        return Err("--session-id and --resume exclude each other".into());
    }
    AgentConfig::new(options, env)
}
