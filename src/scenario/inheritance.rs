//! A scenario of a base as it reads in the dialect that extends it.

use crate::dialect::{Inheritance, ToolName};
use indexmap::IndexMap;
use spanned_yaml::{Key, Kind, Node};
use std::ops::Deref;

/// The keys under which scenarios name a tool, and those under which its arguments stand beside them.
const TOOL_KEYS: &[&str] = &["name", "tool_name", "toolName"];
const ARGUMENT_KEYS: &[&str] = &["args", "arguments", "input"];

/// The keys under which events name a call.
const CALL_KEYS: &[&str] = &["id", "toolCallId", "tool_id", "call_id"];

/// What a part of a scenario speaks of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Of what the agent writes, or of neither side.
    Event,
    /// Of what the host writes.
    Command,
    /// Of what the model answers.
    Model,
}

/// A delta's inheritance, and the ids of the calls of one scenario's model.
struct Reading<'a> {
    inheritance: &'a Inheritance,
    calls: Vec<String>,
}

impl Deref for Reading<'_> {
    type Target = Inheritance;

    fn deref(&self) -> &Inheritance {
        self.inheritance
    }
}

impl Reading<'_> {
    /// What an event says for the id of a call.
    fn call(&self, id: &Node) -> Node {
        let named = id
            .as_str()
            .filter(|id| self.calls.iter().any(|call| call == id));
        let (Some(name), Some(pattern)) = (named, &self.call_ids) else {
            return id.clone();
        };
        let pattern = format!("^(?:{})$", pattern.replace("{id}", &regex::escape(name)));
        let operator = Key {
            name: "$regex".to_owned(),
            span: id.span(),
        };
        id.with_kind(Kind::Map(vec![(
            operator,
            id.with_kind(Kind::Text(pattern)),
        )]))
    }
}

/// The ids of the calls of a model, however deep they stand.
fn calls_of(model: &Node) -> Vec<String> {
    let mut calls = Vec::new();
    for item in model.as_list().into_iter().flatten() {
        calls.extend(calls_of(item));
    }
    for (key, value) in model.as_map().into_iter().flatten() {
        let ids = value.as_list().filter(|_| key.name == "tool_calls");
        let ids = ids
            .into_iter()
            .flatten()
            .filter_map(|call| call.get("id")?.as_str());
        calls.extend(ids.map(str::to_owned));
        calls.extend(calls_of(value));
    }
    calls
}

/// The scenario with the names of the delta.
pub(super) fn inherit(scenario: &Node, inheritance: &Inheritance) -> Node {
    let Some(entries) = scenario.as_map() else {
        return scenario.clone();
    };
    let calls = match &inheritance.call_ids {
        Some(_) => scenario.get("model").map(calls_of).unwrap_or_default(),
        None => Vec::new(),
    };
    let inheritance = &Reading { inheritance, calls };
    let entries = entries.iter().map(|(key, value)| {
        let value = match key.name.as_str() {
            "name" => value.clone(),
            "clauses" => kept_clauses(value, inheritance),
            "model" => renamed(value, Part::Model, inheritance),
            _ => renamed(value, Part::Event, inheritance),
        };
        (key.clone(), value)
    });
    scenario.with_kind(Kind::Map(entries.collect()))
}

fn kept_clauses(clauses: &Node, inheritance: &Reading<'_>) -> Node {
    let kept = |clause: &&Node| {
        let id = clause.as_str().unwrap_or_default();
        !inheritance.without_clauses.iter().any(|gone| gone == id)
    };
    match clauses.as_list() {
        Some(list) => clauses.with_kind(Kind::List(list.iter().filter(kept).cloned().collect())),
        None => clauses.clone(),
    }
}

fn renamed(node: &Node, part: Part, inheritance: &Reading<'_>) -> Node {
    match node.kind() {
        Kind::List(items) => {
            let items = items.iter().map(|item| renamed(item, part, inheritance));
            node.with_kind(Kind::List(items.collect()))
        }
        Kind::Map(entries) => node.with_kind(Kind::Map(map(node, entries, part, inheritance))),
        _ => node.clone(),
    }
}

fn map(
    node: &Node,
    entries: &[(Key, Node)],
    part: Part,
    inheritance: &Reading<'_>,
) -> Vec<(Key, Node)> {
    let members = members_of(node, part, inheritance);
    let tool = |value: &Node| inheritance.tools.get(value.as_str()?);
    let called = node.get("name").and_then(tool);
    let entry = |(key, value): &(Key, Node)| {
        let name = key.name.as_str();
        let inner = match name {
            "send" => Part::Command,
            _ => part,
        };
        let value = match (tool(value), called) {
            (Some(tool), _) if TOOL_KEYS.contains(&name) => {
                value.with_kind(Kind::Text(tool.name.clone()))
            }
            (_, Some(tool)) if ARGUMENT_KEYS.contains(&name) => arguments(value, tool),
            _ if name == "clauses" => kept_clauses(value, inheritance),
            _ if part == Part::Event && CALL_KEYS.contains(&name) => inheritance.call(value),
            _ => renamed(value, inner, inheritance),
        };
        let name = members.and_then(|members| members.get(name));
        (
            name.map_or_else(|| key.clone(), |name| with_name(key, name)),
            value,
        )
    };
    entries.iter().map(entry).collect()
}

/// The members that this frame, if it is one, calls otherwise.
fn members_of<'a>(
    node: &Node,
    part: Part,
    inheritance: &'a Reading<'_>,
) -> Option<&'a IndexMap<String, String>> {
    let (events, commands) = &inheritance.names_at;
    match part {
        Part::Model => None,
        Part::Event => inheritance.rename.get(node.at(events)?.as_str()?),
        Part::Command => {
            let name = node.at(commands)?.as_str()?;
            inheritance.rename.get(&format!(">{name}"))
        }
    }
}

fn arguments(node: &Node, tool: &ToolName) -> Node {
    let Some(entries) = node.as_map() else {
        return node.clone();
    };
    let entries = entries.iter().map(|(key, value)| {
        let name = tool.args.get(&key.name);
        let key = name.map_or_else(|| key.clone(), |name| with_name(key, name));
        (key, value.clone())
    });
    node.with_kind(Kind::Map(entries.collect()))
}

fn with_name(key: &Key, name: &str) -> Key {
    Key {
        name: name.to_owned(),
        span: key.span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use spanned_yaml::load_yaml;

    fn inheritance() -> Inheritance {
        let args = IndexMap::from([("command".to_owned(), "cmd".to_owned())]);
        let tool = ToolName {
            name: "Exec".into(),
            args,
        };
        let members = IndexMap::from([("input".to_owned(), "content".to_owned())]);
        Inheritance {
            rename: IndexMap::from([(">message".to_owned(), members)]),
            tools: IndexMap::from([("Bash".to_owned(), tool)]),
            without_clauses: vec!["x.gone".into()],
            names_at: ("/type".into(), "/type".into()),
            ..Inheritance::default()
        }
    }

    fn read(yaml: &str) -> Value {
        inherit(&load_yaml("s.yaml", yaml).unwrap(), &inheritance()).to_value()
    }

    #[test]
    fn members_of_commands_are_renamed_where_they_are_sent() {
        assert_eq!(
            read(
                "steps: [{ send: { type: message, input: a } }, { send: { type: other, input: b } }, { expect: { type: message, input: c } }]"
            ),
            json!({ "steps": [
                { "send": { "type": "message", "content": "a" } },
                { "send": { "type": "other", "input": "b" } },
                { "expect": { "type": "message", "input": "c" } },
            ] })
        );
    }

    #[test]
    fn tools_and_their_arguments_are_renamed_in_the_model_and_in_matchers() {
        assert_eq!(
            read(
                "{ name: Bash, model: [{ tool_calls: [{ name: Bash, args: { command: ls } }, { name: Read, args: { command: x } }] }], steps: [{ expect: { tool: { name: Bash } } }, { expect: { tool_name: Bash } }] }"
            ),
            json!({
                "name": "Bash",
                "model": [{ "tool_calls": [
                    { "name": "Exec", "args": { "cmd": "ls" } },
                    { "name": "Read", "args": { "command": "x" } },
                ] }],
                "steps": [{ "expect": { "tool": { "name": "Exec" } } }, { "expect": { "tool_name": "Exec" } }],
            })
        );
    }

    #[test]
    fn calls_are_named_as_the_wire_has_them() {
        let inheritance = Inheritance {
            call_ids: Some(r"{id}(\|.+)?".into()),
            ..Inheritance::default()
        };
        let yaml = "{ model: [{ tool_calls: [{ id: a.b }] }], steps: [{ expect: { id: a.b } }, { expect: { id: other } }, { send: { call_id: a.b } }] }";
        let read = inherit(&load_yaml("s.yaml", yaml).unwrap(), &inheritance);
        assert_eq!(
            read.to_value(),
            json!({ "model": [{ "tool_calls": [{ "id": "a.b" }] }], "steps": [
                { "expect": { "id": { "$regex": r"^(?:a\.b(\|.+)?)$" } } },
                { "expect": { "id": "other" } },
                { "send": { "call_id": "a.b" } },
            ] })
        );
    }

    #[test]
    fn removed_clauses_are_not_cited_any_more() {
        assert_eq!(
            read("{ clauses: [x.gone, x.here], steps: [{ clauses: [x.gone] }] }"),
            json!({ "clauses": ["x.here"], "steps": [{ "clauses": [] }] })
        );
    }
}
