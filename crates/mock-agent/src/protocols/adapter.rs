//! What a protocol adapter consists of: one value per version of a protocol.

use super::session::Connection;
use crate::config::{AgentConfig, CliOptions, Env, Flags, StartError, UnknownArguments};
use crate::tools::Tool;
use serde_json::Value;
use std::rc::Rc;

/// Where a frame of every protocol names its kind, as a JSON Pointer.
pub(crate) const KIND_POINTER: &str = "/type";

/// One version of a protocol.
pub(crate) struct Adapter {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// Whether hosts of the protocol speak this version, so that it is the default one.
    pub(crate) is_default: bool,
    pub(crate) version_line: &'static str,
    pub(crate) flags: &'static [Flags],
    /// The treatment of any other argument.
    pub(crate) unknown_arguments: UnknownArguments,
    /// The commands of the real agent that do not speak the protocol: names, separated by spaces, and what each of these prints
    /// on stdout, with `{}` for the second argument.
    pub(crate) other_commands: &'static [(&'static str, &'static str)],
    /// Flags of the real agent for modes without a protocol.
    pub(crate) other_mode_flags: &'static [&'static str],
    /// What chooses the protocol: a flag, a flag and its value, or the first argument.
    pub(crate) activation: &'static str,
    /// The longest line of input, in bytes.
    pub(crate) line_limit: usize,
    /// Whether the exit status after a signal is 128 and its number, not 0.
    pub(crate) exits_by_signal: bool,
    pub(crate) line: fn(&Value) -> Vec<u8>,
    /// Whether its messages are named as those of JSON-RPC, and not by [`KIND_POINTER`].
    pub(crate) is_json_rpc: bool,
    /// Makes the adapter's state of a session, with what it does.
    pub(crate) connect: fn() -> Rc<dyn Connection>,
    pub(crate) tools: &'static [Tool],
    /// Makes the configuration, or reports why it cannot.
    pub(crate) configure: fn(CliOptions, Env<'_>) -> Result<AgentConfig, StartError>,
}

impl Adapter {
    /// `NAME@VERSION`.
    pub(crate) fn id(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}
