//! Command-line flags of the protocol aionrs.

use crate::config::options::FlagEffect::{Count, Switch, Text};
use crate::config::options::FlagValue::{No, Required};
use crate::config::options::{Flag, IgnoredFlags, MCP_FLAG};

pub(super) const FLAGS: &[Flag] = &[
    Flag::new("--json-stream", Switch(|_| {})),
    Flag::new("--provider", Text(|o| &mut o.provider)),
    Flag::new("--model", Text(|o| &mut o.model)),
    Flag::new("--max-tokens", Count(|o| &mut o.max_tokens)),
    Flag::new("--max-turns", Count(|o| &mut o.max_turns)),
    Flag::new("--base-url", Text(|o| &mut o.base_url)),
    Flag::new("--system-prompt", Text(|o| &mut o.system_prompt)),
    Flag::new("--auto-approve", Switch(|o| o.auto_approve = true)),
    Flag::new("--workspace", Text(|o| &mut o.workspace)),
    Flag::new("--session-id", Text(|o| &mut o.session_id)),
    Flag::new("--resume", Text(|o| &mut o.resume)),
    MCP_FLAG,
];

/// The help on those that only this protocol has.
pub(super) const FLAGS_HELP: &str = "\
--json-stream            Speak the JSON Stream protocol on standard input and output
--provider NAME          anthropic, openai, bedrock or vertex
--model ID               The model to use
--max-tokens N           The maximum output tokens of a reply
--max-turns N            The maximum number of requests to the model for one message
--base-url URL           The base URL of the model's API (http:// only)
--system-prompt TEXT     The system prompt
--auto-approve           Start in yolo mode
--workspace PATH         The folder for file operations
--session-id ID          The id of the new session
--resume ID              The id of the session to resume, or latest
";

pub(super) const IGNORED_FLAGS: &[IgnoredFlags] = &[
    (Required, &["--api-key", "--profile", "--config"]),
    (No, &["--verbose", "-v"]),
];
