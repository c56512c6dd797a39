//! Command-line flags of the protocol synaps.

use crate::config::flags::FlagEffect::{Ignored, Switch, Text};
use crate::config::flags::FlagValue::{No, Optional, Required};
use crate::config::flags::flags;
use crate::config::{Flags, MCP_FLAGS};

pub(super) const FLAGS: &[Flags] = &[OWN, MCP_FLAGS];

const OWN: Flags = flags! {
    "rpc" => Switch(|_| {}), "Speak the bridge's RPC protocol on standard input and output";
    "--continue ID" => Text(|o| &mut o.resume), "The id of the session to resume";
    "--system -s TEXT" => Text(|o| &mut o.system_prompt), "The system prompt, or a file with it";
    "--model -m ID" => Text(|o| &mut o.model), "The model to use";
    "--profile NAME" => Text(|o| &mut o.profile), "The settings to use";
    "--prompt-manifest --as" => Ignored(Required);
    "--attach" => Ignored(Optional);
    "--no-extensions --observe --takeover --keep-warm --new --create --no-confirm-answers" => Ignored(No);
};

/// Commands of the real agent that do not speak the bridge's protocol.
pub(super) const OTHER_COMMANDS: &[(&str, &str)] = &[
    (
        "chat server agent watcher login auth status quota-keeper",
        "",
    ),
    ("auth-broker daemon attach send completions prompt", ""),
    ("tools trace retention", ""),
];
