//! Command-line flags of the protocol aionrs.

use crate::config::flags::FlagEffect::{Count, Ignored, Switch, Text};
use crate::config::flags::FlagValue::{No, Required};
use crate::config::flags::flags;
use crate::config::{Flags, MCP_FLAGS};

pub(super) const FLAGS: &[Flags] = &[OWN, MCP_FLAGS];

const OWN: Flags = flags! {
    "--json-stream" => Switch(|_| {}), "Speak the JSON Stream protocol on standard input and output";
    "--provider NAME" => Text(|o| &mut o.provider), "anthropic, openai, bedrock or vertex";
    "--model ID" => Text(|o| &mut o.model), "The model to use";
    "--max-tokens N" => Count(|o| &mut o.max_tokens), "The maximum output tokens of a reply";
    "--max-turns N" => Count(|o| &mut o.max_turns), "The maximum number of requests to the model for one message";
    "--base-url URL" => Text(|o| &mut o.base_url), "The base URL of the model's API (http:// only)";
    "--system-prompt TEXT" => Text(|o| &mut o.system_prompt), "The system prompt";
    "--auto-approve" => Switch(|o| o.auto_approve = true), "Start in yolo mode";
    "--workspace PATH" => Text(|o| &mut o.workspace), "The folder for file operations";
    "--session-id ID" => Text(|o| &mut o.session_id), "The id of the new session";
    "--resume ID" => Text(|o| &mut o.resume), "The id of the session to resume, or latest";
    "--api-key --profile --config" => Ignored(Required);
    "--verbose -v" => Ignored(No);
};
