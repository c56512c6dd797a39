//! pi@0.73: commands with ids and responses, queues, retries, sessions, extensions.

mod commands;
mod compactions;
mod configure;
mod dialogs;
mod events;
mod expand;
mod faults;
mod flags;
mod model;
mod queries;
mod responses;
mod sessions;
mod shell;
mod state;
mod v0_87;

pub(in crate::protocols) use v0_87::V0_87;

use super::{LINE_LIMIT, chosen, tools};
use crate::protocols::adapter::Adapter;

pub(in crate::protocols) const V0_73: Adapter = Adapter {
    name: "pi",
    version: "0.73",
    chosen,
    flags: flags::FLAGS,
    line_limit: LINE_LIMIT,
    emitter: || Box::new(state::Modern::default()),
    command: |session, input| commands::take(session, input, &[commands::COMMANDS]),
    parent: Some(&super::V0_14),
    faults: faults::FAULTS,
    without_faults: faults::WITHOUT,
    without_frames: &["bash_end", "compaction", "error"],
    caught_here: faults::CAUGHT_HERE,
    tools: tools::TOOLS,
    configure: configure::configure,
};
