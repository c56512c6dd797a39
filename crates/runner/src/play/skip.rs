//! The reasons to skip a scenario: a feature that the agent is known to lack, a capability that it does not declare, a tool that it does
//! not offer to the model.

use crate::agent::MissingFeature;
use crate::scenario::Scenario;
use crate::scenario::types::StepAction;
use conform_judge::dialect::Dialect;
use mock_provider::script::ScriptReply;
use serde_json::Value;

/// Why a scenario is skipped with an agent that lacks these features; `None` if it needs none of them.
pub(super) fn missing_feature(
    features: &[MissingFeature],
    dialect: &Dialect,
    scenario: &Scenario,
) -> Option<String> {
    let sent = || sent_commands(dialect, scenario);
    let is_needed = |feature: &&MissingFeature| {
        scenario.needs.contains(&feature.name)
            || scenario.wire.as_ref() == Some(&feature.name)
            || sent().any(|name| name == feature.name)
    };
    let feature = features.iter().find(is_needed)?;
    Some(format!(
        "the agent lacks {}: {}",
        feature.name, feature.reason
    ))
}

/// The names of all commands that a scenario sends.
fn sent_commands<'a>(
    dialect: &'a Dialect,
    scenario: &'a Scenario,
) -> impl Iterator<Item = String> + 'a {
    let name = |command: &Value| {
        let name = command.pointer(&dialect.commands.discriminator)?;
        name.as_str().map(str::to_owned)
    };
    let answers = scenario.answers.iter().map(|answer| &answer.send);
    let answers = answers.filter_map(move |send| name(send.written()));
    let steps = scenario.steps.iter().flat_map(move |step| {
        let commands = match &step.action {
            StepAction::Send(template) => vec![template.written().clone()],
            StepAction::SendRaw(text) => json_lines(text.as_bytes()),
            StepAction::SendBytes(chunks) => json_lines(&chunks.concat()),
            _ => Vec::new(),
        };
        commands
            .into_iter()
            .filter_map(move |command| name(&command))
    });
    answers.chain(steps)
}

/// The values of the lines that are JSON.
fn json_lines(bytes: &[u8]) -> Vec<Value> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

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

/// Why a scenario is skipped after this event: the agent declares its capabilities in it, and one that the scenario needs is not there.
pub(super) fn undeclared_capability(
    dialect: &Dialect,
    scenario: &Scenario,
    event: &Value,
) -> Option<String> {
    let identity = dialect.events.identify(event);
    let is_declared =
        |value: Option<&Value>| !matches!(value, None | Some(Value::Null | Value::Bool(false)));
    let is_undeclared = |need: &&String| {
        dialect.capabilities.get(*need).is_some_and(|capability| {
            let declares = capability
                .event
                .as_ref()
                .is_some_and(|name| identity.is(name));
            declares && !is_declared(event.pointer(&capability.at))
        })
    };
    let need = scenario.needs.iter().find(is_undeclared)?;
    Some(format!("the agent does not declare {need}"))
}

/// Why a scenario is skipped after this reply of the model: it calls an optional tool of the dialect that the request did not offer,
/// which no model would do.
pub(super) fn unoffered_tool(
    dialect: &Dialect,
    reply: &ScriptReply,
    offered: &[String],
) -> Option<String> {
    let optional = &dialect.optional_tools;
    let mut names = reply.calls().map(|call| &call.name);
    let name = names.find(|name| optional.contains(name) && !offered.contains(name))?;
    Some(format!(
        "the agent does not offer the model a tool `{name}`"
    ))
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
