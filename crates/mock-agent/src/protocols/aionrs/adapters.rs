//! The adapters of aionrs, one for each version.

use super::events::AionrsState;
use super::flags::FLAGS;
use super::tools::TOOLS_V0_2;
use super::version::AionrsVersion;
use crate::config::{AgentConfig, ArgumentError, CliOptions, Env, StartError, UnknownArguments};
use crate::protocols::adapter::Adapter;
use crate::tools::TOOLS;

pub(in crate::protocols) const V0_1: Adapter = Adapter {
    name: "aionrs",
    version: "0.1",
    is_default: true,
    version_line: "aionrs 0.1.0",
    flags: FLAGS,
    unknown_arguments: UnknownArguments::Refused,
    other_commands: &[],
    other_mode_flags: &[],
    activation: "--json-stream",
    line_limit: LINE_LIMIT,
    line: frame_faults::line,
    is_json_rpc: false,
    connect: || AionrsState::connect(AionrsVersion::V0_1),
    exits_by_signal: false,
    tools: TOOLS,
    configure,
};

pub(in crate::protocols) const V0_2: Adapter = Adapter {
    version: "0.2",
    is_default: false,
    version_line: "aionrs 0.2.0",
    connect: || AionrsState::connect(AionrsVersion::V0_2),
    tools: TOOLS_V0_2,
    ..V0_1
};

/// The longest command, in bytes. The specification names no limit.
pub(super) const LINE_LIMIT: usize = 16 << 20;

fn configure(options: CliOptions, env: Env<'_>) -> Result<AgentConfig, StartError> {
    let both = options.session_id.is_some() && options.resume.is_some();
    if both {
        return Err(ArgumentError::Exclusive {
            one: "--session-id",
            other: "--resume",
        }
        .into());
    }
    AgentConfig::new(options, env)
}
