//! Command-line flags of the protocol aionrs.

use crate::config::options::{
    FAULT_FLAG, Flag, IgnoredFlag, MCP_FLAG, PACE_FLAG, PROTOCOL_FLAG, SCRIPT_FLAG, SEED_FLAG,
    count, text,
};

/// The flags of every version.
pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: "--json-stream",
        value: None,
        help: "Speak the JSON Stream protocol on standard input and output",
        set: |_, _| Ok(()),
    },
    text!(
        "--provider",
        "NAME",
        provider,
        "anthropic, openai, bedrock or vertex"
    ),
    text!("--model", "ID", model, "The model to use"),
    count!(
        "--max-tokens",
        max_tokens,
        "The maximum output tokens of a reply"
    ),
    count!(
        "--max-turns",
        max_turns,
        "The maximum number of requests to the model for one message"
    ),
    text!(
        "--base-url",
        "URL",
        base_url,
        "The base URL of the model's API (http:// only)"
    ),
    text!(
        "--system-prompt",
        "TEXT",
        system_prompt,
        "The system prompt"
    ),
    Flag {
        name: "--auto-approve",
        value: None,
        help: "Start in yolo mode",
        set: |options, _| {
            options.auto_approve = true;
            Ok(())
        },
    },
    text!(
        "--workspace",
        "PATH",
        workspace,
        "The folder for file operations"
    ),
    text!(
        "--session-id",
        "ID",
        session_id,
        "The id of the new session"
    ),
    text!(
        "--resume",
        "ID",
        resume,
        "The id of the session to resume, or latest"
    ),
    SCRIPT_FLAG,
    PACE_FLAG,
    SEED_FLAG,
    MCP_FLAG,
    PROTOCOL_FLAG,
    FAULT_FLAG,
];

/// Flags of the real agent without effect here.
pub(super) const IGNORED_FLAGS: &[IgnoredFlag] = &[
    IgnoredFlag::value(&["--api-key", "--profile", "--config"]),
    IgnoredFlag::switch(&["--verbose", "-v"]),
];
