//! The tools: what the model may call.

mod bash;
mod edit;
mod glob;
mod grep;
mod mcp;
mod media;
mod output;
mod pattern;
mod read;
mod registry;
pub(super) mod shell;
mod spawn;
mod subagent;
mod tail;
mod walk;
mod workspace;
mod write;

pub(super) use bash::{Bash, TOOL as BASH};
pub(super) use edit::{Edit, TOOL as EDIT};
pub(super) use glob::TOOL as GLOB;
pub(super) use grep::TOOL as GREP;
pub(super) use mcp::{DEMO as DEMO_MCP, McpTool, load as load_mcp};
pub(super) use media::{Media, base64, sniff, unbase64};
pub(super) use read::{Read, TOOL as READ};
pub(super) use registry::{
    Cx, Job, JobFuture, Progress, Refused, SubagentRunner, SubagentTask, TOOLS, Tool, Toolbox,
};
pub(super) use spawn::TOOL as SPAWN;
pub(super) use subagent::TOOL as SUBAGENT;
pub(super) use workspace::Workspace;
pub(super) use write::{TOOL as WRITE, Write};
