//! MCP tools: scripted ones return the output in their declaration, the others call their server.

use super::mcp_client::{ListedTool, McpConnection};
use super::output_limit::truncate;
use super::{Job, JobFuture, ToolContext, ToolOutput, ToolResult};
use crate::faults::{Bug, Faults};
use crate::model::ToolSpec;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::rc::Rc;
use thiserror::Error;

/// Why a list of MCP tools cannot be used.
#[derive(Debug, Error)]
pub(crate) enum McpListError {
    #[error("{}", .0.headline())]
    File(#[from] spanned_yaml::Error),
    #[error("MCP tool {name:?}: the name must be mcp__SERVER__TOOL")]
    Name { name: String },
}

/// An MCP tool, as a user declares it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct McpTool {
    /// `mcp__SERVER__TOOL`.
    pub(super) name: String,
    #[serde(default)]
    description: String,
    /// JSON Schema of the arguments; any object if left out.
    parameters: Option<Value>,
    output: Option<String>,
    #[serde(default)]
    error: bool,
    /// The connection to its server and its name there; none for a scripted tool.
    #[serde(skip)]
    server: Option<(Rc<McpConnection>, String)>,
}

pub(crate) const DEMO_MCP: &str =
    "[{ name: mcp__demo__echo, description: Returns its arguments. }]";

/// Loads a list of tools: YAML or JSON, in a file or in the text itself; `none` for none.
///
/// # Errors
/// The mistake in the list, with its place.
pub(crate) fn load_mcp(text: &str) -> Result<Vec<McpTool>, McpListError> {
    if text == "none" {
        return Ok(Vec::new());
    }
    let node = if text.trim_start().starts_with('[') {
        spanned_yaml::load_yaml("MCP tools", text)?
    } else {
        spanned_yaml::load_file(Path::new(text))?
    };
    let tools: Vec<McpTool> = spanned_yaml::decode(&node)?;
    match tools.iter().find(|tool| !is_valid_name(&tool.name)) {
        Some(tool) => Err(McpListError::Name {
            name: tool.name.clone(),
        }),
        None => Ok(tools),
    }
}

fn is_valid_name(name: &str) -> bool {
    let parts = name.strip_prefix("mcp__").and_then(|n| n.split_once("__"));
    parts.is_some_and(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

impl McpTool {
    /// A tool of a connected server.
    pub(crate) fn served(server: &str, tool: ListedTool, connection: Rc<McpConnection>) -> Self {
        McpTool {
            name: format!("mcp__{server}__{}", tool.name),
            description: tool.description,
            parameters: tool.parameters,
            output: None,
            error: false,
            server: Some((connection, tool.name)),
        }
    }

    /// Whether it is a tool of this server.
    pub(super) fn is_of(&self, server: &str) -> bool {
        let rest = self.name.strip_prefix("mcp__");
        let rest = rest.and_then(|rest| rest.strip_prefix(server));
        rest.is_some_and(|rest| rest.starts_with("__"))
    }

    /// The tool as it is described to the model.
    pub(super) fn spec(&self) -> ToolSpec {
        let any = || json!({ "type": "object", "properties": {} });
        ToolSpec {
            name: self.name.clone(),
            purpose: self.description.clone(),
            parameters: self.parameters.clone().unwrap_or_else(any),
        }
    }

    pub(super) fn call(&self, args: &Value) -> McpCall {
        let (tool, args) = (self.clone(), args.clone());
        McpCall { tool, args }
    }
}

fn has_members(value: &Value) -> bool {
    value.as_object().is_some_and(|members| !members.is_empty())
}

pub(super) struct McpCall {
    tool: McpTool,
    args: Value,
}

impl McpCall {
    async fn result(&self, faults: &Faults) -> ToolResult {
        let tool = &self.tool;
        if let Some((server, name)) = &tool.server {
            let loses_args = has_members(&self.args) && faults.triggers(Bug::McpCallLosesArguments);
            let no_args = json!({});
            let args = if loses_args { &no_args } else { &self.args };
            let result = server.call(name, args).await;
            if !result.ok && faults.triggers(Bug::McpFailureHangs) {
                std::future::pending::<()>().await;
            }
            if !result.ok && faults.triggers(Bug::McpFailureLosesText) {
                return ToolResult::error("The tool failed");
            }
            return result;
        }
        let text = tool.output.clone();
        ToolResult {
            ok: !tool.error,
            ..ToolResult::text(text.unwrap_or_else(|| self.args.to_string()))
        }
    }
}

impl Job for McpCall {
    fn describe(&self) -> String {
        format!("Call {}", self.tool.name)
    }

    fn run<'a>(self: Rc<Self>, context: ToolContext<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            let mut result = self.result(context.faults).await;
            if let ToolOutput::Text(text) = result.output {
                result.output = ToolOutput::Text(truncate(text, 0));
            }
            result
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_declaration_is_refused_with_its_location() {
        for (list, expected) in [
            ("[{name: search}]", "mcp__SERVER__TOOL"),
            ("[{name: mcp__a__b, reply: x}]", "MCP tools:1:"),
        ] {
            let why = load_mcp(list).unwrap_err().to_string();
            assert!(why.contains(expected), "{why}");
        }
    }
}
