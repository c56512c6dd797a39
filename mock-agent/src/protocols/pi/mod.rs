//! pi@0.14: the RPC mode of December 2025.

mod commands;
mod configure;
mod events;
mod faults;
mod flags;
mod messages;
mod models;
mod prompt;
mod stream;
mod tools;
mod v0_73;

use crate::protocols::adapter::Adapter;

pub(super) use v0_73::{V0_73, V0_87};

pub(super) const V0_14: Adapter = Adapter {
    name: "pi",
    version: "0.14",
    chosen,
    flags: flags::FLAGS,
    line_limit: LINE_LIMIT,
    emitter: || Box::new(events::Events::default()),
    command: commands::take,
    parent: None,
    faults: faults::FAULTS,
    without_faults: &[],
    without_frames: &[],
    caught_here: &[],
    tools: tools::TOOLS,
    configure: configure::configure,
};

/// The longest command, in bytes. The page names no limit; attachments come inside.
const LINE_LIMIT: usize = 64 << 20;

/// "Starting RPC Mode" of the page.
fn chosen(args: &[String]) -> bool {
    let two = |pair: &[String]| pair[0] == "--mode" && pair[1] == "rpc";
    args.windows(2).any(two) || args.iter().any(|arg| arg == "--mode=rpc")
}
