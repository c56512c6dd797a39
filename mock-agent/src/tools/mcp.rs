//! Tools of other servers: scripted ones give back what their declaration says, the others ask their server.

use super::output::clip;
use super::registry::{Cx, Job, JobFuture};
use crate::core::call::{Outcome, Output};
use crate::mcp::Connection;
use crate::model::ToolSpec;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::rc::Rc;

/// One tool of an MCP server, as a user declares it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct McpTool {
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
    /// The server that is asked, if there is one.
    #[serde(skip)]
    server: Option<Rc<Connection>>,
}

/// What there is where nothing is declared.
pub(crate) const DEMO: &str = "[{ name: mcp__demo__echo, description: Gives back its arguments. }]";

/// Reads a list of tools: YAML or JSON, in a file or in the text itself; `none` for none.
///
/// # Errors
/// What is wrong, and where.
pub(crate) fn load(text: &str) -> Result<Vec<McpTool>, String> {
    if text == "none" {
        return Ok(Vec::new());
    }
    let node = if text.trim_start().starts_with('[') {
        spanned_yaml::load_yaml("MCP tools", text)
    } else {
        spanned_yaml::load_file(Path::new(text))
    };
    let tools: Vec<McpTool> = node
        .and_then(|node| spanned_yaml::decode(&node))
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
    /// A tool of a server that is connected.
    pub(crate) fn served(
        server: &str,
        name: &str,
        description: &str,
        parameters: Option<Value>,
        connection: Rc<Connection>,
    ) -> Self {
        McpTool {
            name: format!("mcp__{server}__{name}"),
            description: description.to_owned(),
            parameters,
            output: None,
            error: false,
            server: Some(connection),
        }
    }

    /// Its name at its server.
    pub(crate) fn short_name(&self) -> &str {
        let parts = self.name.splitn(3, "__");
        parts.last().unwrap_or(&self.name)
    }

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
            asks: self
                .server
                .clone()
                .map(|server| (server, self.short_name().to_owned(), args.clone())),
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
    /// Whom to ask for what, with which arguments.
    asks: Option<(Rc<Connection>, String, Value)>,
    outcome: Outcome,
}

impl Job for McpCall {
    fn describe(&self) -> String {
        format!("Call {}", self.name)
    }

    fn run<'a>(self: Rc<Self>, _: Cx<'a>) -> JobFuture<'a> {
        Box::pin(async move {
            match &self.asks {
                Some((server, tool, args)) => {
                    let mut outcome = server.call(tool, args).await;
                    if let Output::Text(text) = outcome.output {
                        outcome.output = Output::Text(clip(text, 0));
                    }
                    outcome
                }
                None => self.outcome.clone(),
            }
        })
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
