//! Lints of the MCP servers of a scenario: mistakes in their scripts, servers that no command starts, and steps that wait for others.

use crate::scenario::context::LoadContext;
use crate::scenario::file::{ScenarioFile, StepVerb};
use spanned_yaml::{Node, Spanned};

/// The beginning of the placeholders for the commands of MCP servers.
const PREFIX: &str = "mcp_";

/// The placeholder for the command of an MCP server.
pub(crate) fn placeholder(server: &str) -> String {
    format!("{PREFIX}{server}")
}

/// Whether a placeholder stands for the command of an MCP server of the scenario.
pub(super) fn is_server(file: &ScenarioFile, word: &str) -> bool {
    let name = word.strip_prefix(PREFIX);
    name.is_some_and(|name| file.mcp.keys().any(|known| known.value == name))
}

pub(super) fn servers(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    for (span, message) in mcp_server::mistakes(&file.mcp) {
        context.error(span, message);
    }
    let values = file.steps.iter().flat_map(|step| step.verb.values());
    let used: Vec<_> = values.flat_map(json_matcher::placeholders_in).collect();
    for name in file.mcp.keys() {
        let word = placeholder(name);
        if !used.iter().any(|one| one.value == word) {
            let message = format!(
                "no step has the MCP server `{0}`: send `{{{word}}}` as its command",
                name.value
            );
            context.error(name.span, message);
        }
    }
    for step in &file.steps {
        let StepVerb::ExpectMcp(matcher) = &step.verb else {
            continue;
        };
        let Some(server) = matcher.get("server") else {
            let message = "a step names its MCP server: write `server: NAME`";
            context.error(matcher.span(), message);
            continue;
        };
        if let Some(value) = server.as_str().map(str::to_owned) {
            let span = Node::span(server);
            let known = file.mcp.keys().map(|name| name.value.as_str());
            context.known("MCP server", &Spanned { value, span }, known);
        }
    }
}
