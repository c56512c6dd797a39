//! Command-line flags of the protocol synaps.

use crate::config::options::{
    FAULT_FLAG, Flag, IgnoredFlag, MCP_FLAG, PACE_FLAG, PROTOCOL_FLAG, SCRIPT_FLAG, SEED_FLAG, text,
};
use crate::protocols::adapter::OtherCommand;

/// The subcommand and its flags.
pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: "rpc",
        value: None,
        help: "Speak the bridge's RPC protocol on standard input and output",
        set: |_, _| Ok(()),
    },
    text!(
        "--continue",
        "ID",
        resume,
        "The id of the session to resume"
    ),
    text!(
        "--system",
        "TEXT",
        system_prompt,
        "The system prompt, or a file with it"
    ),
    text!("-s", "TEXT", system_prompt, "Short form"),
    text!("--model", "ID", model, "The model to use"),
    text!("-m", "ID", model, "Short form"),
    text!("--profile", "NAME", profile, "The settings to use"),
    SCRIPT_FLAG,
    PACE_FLAG,
    SEED_FLAG,
    MCP_FLAG,
    PROTOCOL_FLAG,
    FAULT_FLAG,
];

/// Commands of the real agent that do not speak the bridge's protocol.
pub(super) const OTHER_COMMANDS: &[OtherCommand] = &[
    silent("chat"),
    silent("server"),
    silent("agent"),
    silent("watcher"),
    silent("login"),
    silent("auth"),
    silent("status"),
    silent("quota-keeper"),
    silent("auth-broker"),
    silent("daemon"),
    silent("attach"),
    silent("send"),
    silent("completions"),
    silent("prompt"),
    silent("tools"),
    silent("trace"),
    silent("retention"),
];

const fn silent(name: &'static str) -> OtherCommand {
    OtherCommand { name, output: "" }
}

/// Flags of the real agent without effect here.
pub(super) const IGNORED_FLAGS: &[IgnoredFlag] = &[
    IgnoredFlag::value(&["--prompt-manifest", "--as"]),
    IgnoredFlag::optional(&["--attach"]),
    IgnoredFlag::switch(&["--no-extensions", "--observe", "--takeover", "--keep-warm"]),
    IgnoredFlag::switch(&["--new", "--create", "--no-confirm-answers"]),
];
