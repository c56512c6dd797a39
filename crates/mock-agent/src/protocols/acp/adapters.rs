//! The adapter of acp@1, and its flags.

use super::configure::configure;
use super::state::AcpState;
use super::{rpc, tools};
use crate::config::flags::FlagEffect::{Count, OneOf, Switch, Text};
use crate::config::flags::flags;
use crate::config::{Flags, MCP_FLAGS, UnknownArguments};
use crate::protocols::adapter::Adapter;
use std::cell::RefCell;
use std::rc::Rc;

pub(in crate::protocols) const V1: Adapter = Adapter {
    name: "acp",
    version: "1",
    is_default: true,
    is_json_rpc: true,
    version_line: concat!("mock-agent ", env!("CARGO_PKG_VERSION")),
    flags: &[OWN, MCP_FLAGS],
    unknown_arguments: UnknownArguments::Refused,
    other_commands: &[],
    other_mode_flags: &[],
    activation: "--acp",
    line_limit: rpc::LIMIT,
    line: rpc::line,
    connect: || Rc::new(RefCell::new(AcpState::default())),
    exits_by_signal: false,
    tools: tools::TOOLS,
    configure,
};

const OWN: Flags = flags! {
    "--acp" => Switch(|_| {}), "Speak the Agent Client Protocol on standard input and output";
    "--mode MODE" => OneOf(&["ask", "auto-edit", "bypass"], |o| &mut o.first_mode), "The mode in which sessions start: ask, auto-edit or bypass; by default ask";
    "--login" => Switch(|o| o.login = true), "Require a login before sessions";
    "--page N" => Count(|o| &mut o.page), "The number of sessions in a page of session/list; by default 20";
    "--provider NAME" => Text(|o| &mut o.provider), "anthropic, openai, bedrock or vertex";
    "--model ID" => Text(|o| &mut o.model), "The model to use";
    "--max-tokens N" => Count(|o| &mut o.max_tokens), "The maximum output tokens of a reply";
    "--max-turns N" => Count(|o| &mut o.max_turns), "The maximum number of requests to the model for one prompt";
    "--base-url URL" => Text(|o| &mut o.base_url), "The base URL of the model's API (http:// only)";
    "--system-prompt TEXT" => Text(|o| &mut o.system_prompt), "The system prompt";
};
