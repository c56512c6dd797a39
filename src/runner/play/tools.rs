//! Tools that the agent offers to the model, and those that the script calls.

use super::{Player, Stop};
use serde_json::Value;

/// The names of the tools that a request offers, on any wire.
pub(super) fn offered(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().into_iter().flatten();
    let name = |tool: &Value| {
        let name = tool
            .get("name")
            .or_else(|| tool.pointer("/function/name"))?;
        name.as_str().map(str::to_owned)
    };
    tools.filter_map(name).collect()
}

impl Player {
    /// A reply that calls a tool which the agent need not have, and did not offer: no model would have called it, so there is nothing to see.
    pub(super) fn tools(&self, n: u64, reply: usize) -> Result<(), Stop> {
        let (Some(reply), Some(offered)) = (self.script.replies.get(reply), self.offered.get(&n))
        else {
            return Ok(());
        };
        let optional = &self.stage.dialect.optional_tools;
        let lacking = reply
            .calls()
            .map(|call| &call.name)
            .find(|name| optional.contains(name) && !offered.contains(name));
        match lacking {
            None => Ok(()),
            Some(name) => Err(Stop::Skipped(format!(
                "the agent does not offer the model a tool `{name}`"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_tools_of_a_request_are_read_on_every_wire() {
        let tools = json!([{ "name": "Read" }, { "type": "function", "function": { "name": "Bash" } }, { "type": "web_search" }]);
        assert_eq!(offered(&json!({ "tools": tools })), ["Read", "Bash"]);
        assert!(offered(&json!({ "messages": [] })).is_empty());
        assert!(offered(&Value::Null).is_empty());
    }
}
