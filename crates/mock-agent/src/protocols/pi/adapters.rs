//! The adapters of pi, one for each version.

use super::configure::{configure, configure_v0_14};
use super::flags::{FLAGS_V0_14, FLAGS_V0_73, OTHER_COMMANDS};
use super::tools::{TOOLS_V0_14, TOOLS_V0_73, TOOLS_V0_87};
use super::{PiState, PiVersion};
use crate::config::UnknownArguments;
use crate::protocols::adapter::Adapter;

pub(in crate::protocols) const V0_14: Adapter = Adapter {
    name: "pi",
    version: "0.14",
    is_default: false,
    version_line: "0.14.0",
    flags: FLAGS_V0_14,
    unknown_arguments: UnknownArguments::Ignored,
    other_commands: OTHER_COMMANDS,
    other_mode_flags: &["--print", "-p", "--export"],
    // "Starting RPC Mode" of the specification.
    activation: "--mode rpc",
    line_limit: LINE_LIMIT,
    exits_by_signal: false,
    line: frame_faults::line,
    is_json_rpc: false,
    connect: || PiState::connect(PiVersion::V0_14),
    tools: TOOLS_V0_14,
    configure: configure_v0_14,
};

pub(in crate::protocols) const V0_73: Adapter = Adapter {
    version: "0.73",
    version_line: "0.73.1",
    exits_by_signal: true,
    // Like the real agent. Some readers take U+2028 for the end of a line, and the specification defines it as text.
    line: frame_faults::raw_line,
    is_json_rpc: false,
    flags: FLAGS_V0_73,
    connect: || PiState::connect(PiVersion::V0_73),
    tools: TOOLS_V0_73,
    configure: |options, env| configure(PiVersion::V0_73, options, env),
    ..V0_14
};

pub(in crate::protocols) const V0_87: Adapter = Adapter {
    version: "0.87",
    version_line: "0.87.1",
    connect: || PiState::connect(PiVersion::V0_87),
    tools: TOOLS_V0_87,
    configure: |options, env| configure(PiVersion::V0_87, options, env),
    ..V0_73
};

pub(in crate::protocols) const V1_6: Adapter = Adapter {
    version: "1.6",
    is_default: true,
    version_line: "1.6.0",
    connect: || PiState::connect(PiVersion::V1_6),
    configure: |options, env| configure(PiVersion::V1_6, options, env),
    ..V0_87
};

/// The longest command, in bytes. The specification names no limit. Attachments are part of the line.
pub(super) const LINE_LIMIT: usize = 64 << 20;
