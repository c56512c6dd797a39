//! Tools of other servers, scripted: each gives back what its declaration says.

use super::output::clip;
use super::registry::{Cx, Job, JobFuture};
use crate::agent::event::Outcome;
use crate::agent::model::ToolSpec;
use crate::located;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::rc::Rc;

/// One tool of an MCP server, as a user declares it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::agent) struct McpTool {
    /// `mcp__SERVER__TOOL`.
    pub(super) name: String,
    #[serde(default)]
    description: String,
    /// JSON Schema of the arguments; any object if left out.
    parameters: Option<Value>,
    /// What it gives back; its arguments if left out.
    output: Option<String>,
    /// Whether what it gives back is an error.
    #[serde(default)]
    error: bool,
}

/// What there is where nothing is declared.
pub(in crate::agent) const DEMO: &str =
    "[{ name: mcp__demo__echo, description: Gives back its arguments. }]";

/// Reads a list of tools: YAML or JSON, in a file or in the text itself; `none` for none.
///
/// # Errors
/// What is wrong, and where.
pub(in crate::agent) fn load(text: &str) -> Result<Vec<McpTool>, String> {
    if text == "none" {
        return Ok(Vec::new());
    }
    let node = if text.trim_start().starts_with('[') {
        located::load_yaml("MCP tools", text)
    } else {
        located::load_file(Path::new(text))
    };
    let tools: Vec<McpTool> = node
        .and_then(|node| located::decode(&node))
        .map_err(|error| error.headline())?;
    match tools.iter().find(|tool| !well_named(&tool.name)) {
        Some(tool) => Err(format!(
            "MCP tool {:?}: the name must be mcp__SERVER__TOOL",
            tool.name
        )),
        None => Ok(tools),
    }
}

fn well_named(name: &str) -> bool {
    let parts = name.strip_prefix("mcp__").and_then(|n| n.split_once("__"));
    parts.is_some_and(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

impl McpTool {
    pub(super) fn spec(&self) -> ToolSpec {
        let any = || json!({ "type": "object" });
        ToolSpec {
            name: self.name.clone(),
            purpose: self.description.clone(),
            parameters: self.parameters.clone().unwrap_or_else(any),
        }
    }

    pub(super) fn call(&self, args: &Value) -> McpCall {
        let text = self.output.clone().unwrap_or_else(|| args.to_string());
        McpCall {
            name: self.name.clone(),
            outcome: Outcome {
                ok: !self.error,
                ..Outcome::text(clip(text, 0))
            },
        }
    }
}

/// A call of such a tool.
pub(super) struct McpCall {
    name: String,
    outcome: Outcome,
}

impl Job for McpCall {
    fn describe(&self) -> String {
        format!("Call {}", self.name)
    }

    fn run<'a>(self: Rc<Self>, _: Cx<'a>) -> JobFuture<'a> {
        Box::pin(async move { self.outcome.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_declared_in_a_list() {
        let tools = load("[{name: mcp__docs__search, output: found}]").unwrap();

        assert_eq!(
            tools[0].call(&json!({ "q": 1 })).outcome,
            Outcome::text("found")
        );
    }

    #[test]
    fn a_bad_declaration_is_refused_with_its_place() {
        assert!(
            load("[{name: search}]")
                .unwrap_err()
                .contains("mcp__SERVER__TOOL")
        );
        let unknown = load("[{name: mcp__a__b, reply: x}]").unwrap_err();
        assert!(unknown.contains("MCP tools:1:"), "{unknown}");
    }
}
