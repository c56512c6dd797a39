//! The tools that the model can call: files, shell, sub-agents, MCP; confined to the workspace.
//! There is a file for each; what they share is in `tool`.

mod bash;
mod edit;
mod files;
mod glob;
mod grep;
pub(crate) mod mcp;
pub(crate) mod mcp_client;
mod media;
mod output_limit;
mod read;
mod scripted;
pub(crate) mod shell;
mod spawn;
mod subagent;
mod tool;
mod tool_error;
mod toolbox;
mod workspace;
mod write;

pub(crate) use bash::{Bash, CommandEnd, TOOL as BASH, bracketed, with_note};
pub(crate) use edit::{Edit, EditResult, TOOL as EDIT};
pub(crate) use files::read_file;
pub(crate) use glob::TOOL as GLOB;
pub(crate) use grep::TOOL as GREP;
pub(crate) use mcp::{DEMO_MCP, McpListError, McpTool, load_mcp};
pub(crate) use media::{Media, sniff};
pub(crate) use read::{Read, TOOL as READ, numbered};
pub(crate) use scripted::ScriptedTool;
pub(crate) use spawn::TOOL as SPAWN;
pub(crate) use subagent::{SubagentTask, TOOL as SUBAGENT};
use tool::InstantJob;
pub(crate) use tool::{
    Category, Job, JobFuture, NestedStep, Progress, ProgressListener, SubagentFuture,
    SubagentRunner, Tool, ToolContext, ToolOutput, ToolResult,
};
use tool_error::EditError;
pub(crate) use tool_error::{FileError, ToolError};
pub(crate) use toolbox::Toolbox;
pub(crate) use workspace::{Workspace, WorkspaceError};
pub(crate) use write::{TOOL as WRITE, Write};

/// The tools of a protocol that has no names of its own for them.
pub(crate) const TOOLS: &[Tool] = &[READ, WRITE, EDIT, BASH, GLOB, GREP, SPAWN];
