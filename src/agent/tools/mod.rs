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
mod spawn;
mod walk;
mod workspace;
mod write;

pub(super) use mcp::{DEMO as DEMO_MCP, McpTool, load as load_mcp};
pub(super) use media::{Media, base64, sniff};
pub(super) use registry::{Cx, Delegate, Job, JobFuture, Toolbox};
pub(super) use workspace::Workspace;
