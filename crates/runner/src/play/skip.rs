//! The reasons to skip a scenario: a feature that the agent is known to lack, a capability that it does not declare, a tool that it does
//! not offer to the model.

use super::player::ScenarioPlayer;
use crate::agent::MissingFeature;
use crate::scenario::Scenario;
use crate::scenario::types::{Step, StepAction};
use conform_judge::dialect::Dialect;
use json_matcher::Matcher;
use mock_provider::script::ScriptReply;
use serde_json::Value;
use std::collections::HashMap;

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
    if let Some(why) = &scenario.unplayable {
        return Some(why.clone());
    }
    let MissingFeature { name, reason } = features.iter().find(is_needed)?;
    Some(format!("the agent lacks {name}: {reason}"))
}

/// The names of all commands that a scenario sends.
fn sent_commands<'a>(
    dialect: &'a Dialect,
    scenario: &'a Scenario,
) -> impl Iterator<Item = String> + 'a {
    let name = |command: &Value| {
        let name = dialect.commands.name_in_step(command);
        name.map(str::to_owned)
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
        let commands = commands.into_iter();
        commands.filter_map(move |command| name(&command))
    });
    answers.chain(steps)
}

/// The values of the lines that are JSON.
fn json_lines(bytes: &[u8]) -> Vec<Value> {
    let lines = bytes.split(|byte| *byte == b'\n');
    let values = lines.map(serde_json::from_slice);
    values.filter_map(Result::ok).collect()
}

/// The tools that a request offers, on any wire: the name of each, and the schema of its arguments.
pub(super) fn offered(body: &Value) -> Vec<(String, Value)> {
    let tools = body["tools"].as_array().into_iter().flatten();
    let tools = tools.flat_map(|tool| match tool["functionDeclarations"].as_array() {
        Some(functions) => functions.as_slice(),
        None => std::slice::from_ref(tool),
    });
    let tool = |tool: &Value| {
        let tool = tool.get("function").unwrap_or(tool);
        let name = tool.get("name")?.as_str()?;
        let members = ["input_schema", "parameters", "parametersJsonSchema"];
        let schema = members.iter().find_map(|member| tool.get(*member));
        Some((name.to_owned(), schema.cloned().unwrap_or_default()))
    };
    tools.filter_map(tool).collect()
}

/// Why a scenario is skipped after this event: the agent declares its capabilities in it, and one that the scenario needs is missing.
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
            let event_name = capability.event.as_ref();
            let declares = event_name.is_some_and(|name| identity.is(name));
            declares && !is_declared(event.pointer(&capability.at))
        })
    };
    let need = scenario.needs.iter().find(is_undeclared)?;
    Some(format!("the agent does not declare {need}"))
}

/// The matchers of the events that steps wait for.
pub(super) fn expected_by(steps: &[Step]) -> impl Iterator<Item = &Matcher> {
    steps.iter().flat_map(|step| match &step.action {
        StepAction::Expect(one) | StepAction::ExpectNext(one) => std::slice::from_ref(one),
        StepAction::Unordered(all) => all,
        _ => &[],
    })
}

impl ScenarioPlayer {
    /// Why the scenario is skipped after this event, by which the agent refuses to be played, unless a step waits for it.
    pub(super) fn refusal(&self, event: &Value) -> Option<String> {
        let log = &self.session.events;
        let refusals = &self.suite.dialect.refusals;
        let is_one = |matcher: &Matcher| matcher.matches(event, &self.captures).is_ok();
        let refusal = refusals.iter().find(|refusal| {
            is_one(&refusal.when) && !refusal.before.iter().any(|name| log.newest(name).is_some())
        })?;
        if expected_by(&self.scenario.steps[self.step..]).any(is_one) {
            return None;
        }
        let names = refusal.names.as_ref().and_then(|names| {
            let all = log.newest(&names.event)?.value.pointer(&names.at)?;
            let each = all.as_array()?.iter();
            let each = each.filter_map(|one| one.pointer(&names.name)?.as_str());
            Some(format!(" ({})", each.collect::<Vec<_>>().join(", ")))
        });
        Some(format!("{}{}", refusal.reason, names.unwrap_or_default()))
    }
}

/// Why a scenario is skipped after this reply of the model to request `n`, which no model would give: it calls an optional tool of the
/// dialect that no request offers, or one with arguments that the offered tool does not take, without its required ones.
pub(super) fn unoffered_tool(
    dialect: &Dialect,
    reply: &ScriptReply,
    offered: &HashMap<u64, Vec<(String, Value)>>,
    n: u64,
) -> Option<String> {
    for call in reply.calls() {
        let here = offered.get(&n).map_or(&[][..], Vec::as_slice);
        let names = here.iter().map(|(tool, _)| tool.as_str());
        let name = &call.name_of(names.clone()).to_owned();
        if call.offered.is_some() && !names.clone().any(|tool| tool == name) {
            return Some(format!(
                "the agent does not offer the model a tool whose name has `{name}`"
            ));
        }
        let mut all = offered.values().flatten();
        if dialect.optional_tools.contains(name) && !all.any(|(tool, _)| tool == name) {
            return Some(format!(
                "the agent does not offer the model a tool `{name}`"
            ));
        }
        let mut tools = offered.get(&n)?.iter();
        let schema = tools.find(|(tool, _)| tool == name).map(|(_, one)| one);
        if let (Some(schema), Some(Value::Object(args))) = (schema, &call.args)
            && let Some(properties) = schema["properties"].as_object()
            && let Some(other) = args.keys().find(|key| !properties.contains_key(*key))
            && let Some(required) = schema["required"].as_array()
            && let mut required = required.iter().filter_map(Value::as_str)
            && let Some(missing) = required.find(|key| !args.contains_key(*key))
        {
            return Some(format!(
                "the tool `{name}` of the agent takes no argument `{other}`, but `{missing}`: `tools` in conform.yaml gives names to arguments"
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_tools_of_a_request_are_read_on_every_wire() {
        let tools = json!([{ "name": "Read", "input_schema": 1 }, { "type": "function", "function": { "name": "Bash", "parameters": 2 } }, { "type": "web_search" }]);
        let expected = [("Read".to_owned(), json!(1)), ("Bash".to_owned(), json!(2))];
        assert_eq!(offered(&json!({ "tools": tools })), expected);
        assert!(offered(&json!({ "messages": [] })).is_empty());
        assert!(offered(&Value::Null).is_empty());
    }
}
