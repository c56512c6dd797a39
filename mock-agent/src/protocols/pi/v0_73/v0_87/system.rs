//! "SystemMessage" of the page: what the model is told, and with which tools.

use super::super::super::tools::TOOLS;
use serde_json::{Value, json};

const PREAMBLE: &str = "You are a scripted agent that stands in for a real one.";

/// The leading message of a session.
pub(super) fn message(timestamp: u64) -> Value {
    let tools = TOOLS.iter().map(|tool| {
        json!({ "name": tool.name, "description": tool.purpose, "parameters": (tool.parameters)() })
    });
    let list: String = TOOLS
        .iter()
        .map(|tool| format!("- {}: {}\n", tool.name, tool.purpose))
        .collect();
    json!({
        "role": "system",
        "content": "",
        "sections": { "preamble": PREAMBLE, "tools": format!("<tools>\n{list}</tools>") },
        "toolsAdded": tools.collect::<Vec<_>>(),
        "timestamp": timestamp,
    })
}
