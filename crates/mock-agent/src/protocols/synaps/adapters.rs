//! The adapter of synaps@1.

use super::configure::configure;
use super::flags::{FLAGS, OTHER_COMMANDS};
use super::{SynapsState, frames, tools};
use crate::config::UnknownArguments;
use crate::protocols::adapter::Adapter;
use std::cell::RefCell;
use std::rc::Rc;

pub(in crate::protocols) const V1: Adapter = Adapter {
    name: "synaps",
    version: "1",
    is_default: true,
    version_line: "synaps 0.11.1",
    flags: FLAGS,
    unknown_arguments: UnknownArguments::Refused,
    other_commands: OTHER_COMMANDS,
    other_mode_flags: &[],
    activation: "rpc",
    line_limit: frames::LIMIT,
    line: frame_faults::line,
    is_json_rpc: false,
    connect: || Rc::new(RefCell::new(SynapsState::default())),
    exits_by_signal: false,
    tools: tools::TOOLS,
    configure,
};
