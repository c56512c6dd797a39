//! Command-line flags of the protocol synaps.

use crate::config::options::FlagEffect::{Switch, Text};
use crate::config::options::FlagValue::{No, Optional, Required};
use crate::config::options::{Flag, IgnoredFlags, MCP_FLAG};

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("rpc", Switch(|_| {})),
    Flag::new("--continue", Text(|o| &mut o.resume)),
    Flag::new("--system", Text(|o| &mut o.system_prompt)),
    Flag::new("-s", Text(|o| &mut o.system_prompt)),
    Flag::new("--model", Text(|o| &mut o.model)),
    Flag::new("-m", Text(|o| &mut o.model)),
    Flag::new("--profile", Text(|o| &mut o.profile)),
    MCP_FLAG,
];

/// The help on those that only this protocol has.
pub(super) const FLAGS_HELP: &str = "\
rpc                      Speak the bridge's RPC protocol on standard input and output
--continue ID            The id of the session to resume
--system TEXT            The system prompt, or a file with it
-s TEXT                  Short form
--model ID               The model to use
-m ID                    Short form
--profile NAME           The settings to use
";

/// Commands of the real agent that do not speak the bridge's protocol.
pub(super) const OTHER_COMMANDS: &[(&str, &str)] = &[
    (
        "chat server agent watcher login auth status quota-keeper",
        "",
    ),
    ("auth-broker daemon attach send completions prompt", ""),
    ("tools trace retention", ""),
];

pub(super) const IGNORED_FLAGS: &[IgnoredFlags] = &[
    (Required, &["--prompt-manifest", "--as"]),
    (Optional, &["--attach"]),
    (
        No,
        &["--no-extensions", "--observe", "--takeover", "--keep-warm"],
    ),
    (No, &["--new", "--create", "--no-confirm-answers"]),
];
