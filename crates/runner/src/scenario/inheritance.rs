//! Scenario inheritance: rewrites a scenario of a base dialect into the names of the dialect, or of the agent, that it is played with.

use conform_judge::dialect::{Inheritance, MemberNames, ToolName};
use indexmap::IndexMap;
use spanned_yaml::{Key, Kind, Node};

/// The subject of a part of a scenario.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScenarioPart {
    /// Frames of the agent.
    Event,
    /// Frames of the host.
    Command,
    /// The model: its script, or a request to it.
    Model,
}

/// Rewrites one scenario.
struct Rewriter<'a> {
    inheritance: &'a Inheritance,
    /// The ids of the calls in the scenario's model script, where events write them in another form.
    calls: Vec<String>,
}

/// The scenario as it reads in the dialect that inherits it.
pub(crate) fn inherit(scenario: &Node, inheritance: &Inheritance) -> Node {
    let calls = match &inheritance.call_ids {
        Some(_) => scenario.get("model").map(calls_of).unwrap_or_default(),
        None => Vec::new(),
    };
    let rewriter = Rewriter { inheritance, calls };
    entries(scenario, |key, value| match key {
        "clauses" => rewriter.remaining_clauses(value),
        "model" => rewriter.rewrite(value, ScenarioPart::Model),
        "steps" | "answers" => items(value, |step| rewriter.step(step)),
        _ => value.clone(),
    })
}

/// The ids of the calls in a model script, at any depth.
pub(crate) fn calls_of(model: &Node) -> Vec<String> {
    let mut calls = Vec::new();
    for item in model.as_list().into_iter().flatten() {
        calls.extend(calls_of(item));
    }
    for (key, value) in model.as_map().into_iter().flatten() {
        let listed = value.as_list().filter(|_| key.name == "tool_calls");
        let called = listed.into_iter().flatten();
        let ids = called.filter_map(|call| call.get("id")?.as_str());
        calls.extend(ids.map(str::to_owned));
        calls.extend(calls_of(value));
    }
    calls
}

impl Rewriter<'_> {
    /// A step, or an automatic answer.
    fn step(&self, step: &Node) -> Node {
        entries(step, |key, value| match key {
            "clauses" => self.remaining_clauses(value),
            "capture" => value.clone(),
            "send" => self.rewrite(value, ScenarioPart::Command),
            "expect_request" => self.rewrite(value, ScenarioPart::Model),
            _ => self.rewrite(value, ScenarioPart::Event),
        })
    }

    /// A list of clauses without those that the inheriting dialect does not have.
    fn remaining_clauses(&self, clauses: &Node) -> Node {
        let Some(list) = clauses.as_list() else {
            return clauses.clone();
        };
        let removed = self.inheritance.without_clauses.iter();
        let remains = |clause: &&Node| removed.clone().all(|gone| clause.as_str() != Some(gone));
        clauses.with_kind(Kind::List(list.iter().filter(remains).cloned().collect()))
    }

    fn rewrite(&self, node: &Node, part: ScenarioPart) -> Node {
        match node.kind() {
            Kind::List(_) => items(node, |item| self.rewrite(item, part)),
            Kind::Map(map) => node.with_kind(Kind::Map(self.rewrite_map(node, map, part))),
            _ => node.clone(),
        }
    }

    fn rewrite_map(
        &self,
        node: &Node,
        map: &[(Key, Node)],
        part: ScenarioPart,
    ) -> Vec<(Key, Node)> {
        let model = MemberNames::default();
        let members = match part {
            ScenarioPart::Model => &model,
            ScenarioPart::Event | ScenarioPart::Command => &self.inheritance.members,
        };
        let is = |names: &[String], key: &str| names.iter().any(|name| name == key);
        let tool = |value: &Node| self.inheritance.tools.get(value.as_str()?);
        let called = members.tool.iter().find_map(|key| tool(node.get(key)?));
        let new_names = self.new_names(node, part);
        let entry = |(key, value): &(Key, Node)| {
            let name = key.name.as_str();
            let value = match (tool(value), called) {
                (Some(tool), _) if is(&members.tool, name) => {
                    value.with_kind(Kind::Text(tool.name.clone()))
                }
                (_, Some(tool)) if is(&members.arguments, name) => arguments(value, tool),
                _ if part == ScenarioPart::Event && is(&members.call, name) => self.call_id(value),
                _ => self.rewrite(value, part),
            };
            let name = new_names.and_then(|names| names.get(name));
            let key = name.map_or_else(|| key.clone(), |name| renamed(key, name));
            (key, value)
        };
        map.iter().map(entry).collect()
    }

    /// The members that have another name, if this node is a frame that has such members.
    fn new_names(&self, node: &Node, part: ScenarioPart) -> Option<&IndexMap<String, String>> {
        let (events, commands) = &self.inheritance.names_at;
        match part {
            ScenarioPart::Model => None,
            ScenarioPart::Event => self.inheritance.rename.get(node.at(events)?.as_str()?),
            ScenarioPart::Command => {
                let name = node.at(commands)?.as_str()?;
                self.inheritance.rename.get(&format!(">{name}"))
            }
        }
    }

    /// A matcher for the id of a call in the form in which events write it.
    fn call_id(&self, id: &Node) -> Node {
        let is_call = |id: &&str| self.calls.iter().any(|call| call == id);
        let known = id.as_str().filter(is_call);
        let (Some(name), Some(pattern)) = (known, &self.inheritance.call_ids) else {
            return id.clone();
        };
        let pattern = format!("^(?:{})$", pattern.replace("{id}", &regex::escape(name)));
        let (name, span) = ("$regex".to_owned(), id.span());
        let pattern = id.with_kind(Kind::Text(pattern));
        id.with_kind(Kind::Map(vec![(Key { name, span }, pattern)]))
    }
}

fn arguments(node: &Node, tool: &ToolName) -> Node {
    let Some(map) = node.as_map() else {
        return node.clone();
    };
    let map = map.iter().map(|(key, value)| {
        let name = tool.args.get(&key.name);
        let key = name.map_or_else(|| key.clone(), |name| renamed(key, name));
        (key, value.clone())
    });
    node.with_kind(Kind::Map(map.collect()))
}

fn renamed(key: &Key, name: &str) -> Key {
    Key {
        name: name.to_owned(),
        span: key.span,
    }
}

/// The node, each of its entries changed if it is a map.
pub(crate) fn entries(node: &Node, change: impl Fn(&str, &Node) -> Node) -> Node {
    let Some(map) = node.as_map() else {
        return node.clone();
    };
    let map = map
        .iter()
        .map(|(key, value)| (key.clone(), change(&key.name, value)));
    node.with_kind(Kind::Map(map.collect()))
}

/// The node, each of its items changed if it is a list.
fn items(node: &Node, change: impl Fn(&Node) -> Node) -> Node {
    match node.as_list() {
        Some(list) => node.with_kind(Kind::List(list.iter().map(change).collect())),
        None => node.clone(),
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
            members: member_names(),
            without_clauses: vec!["x.gone".into()],
            names_at: ("/type".into(), "/type".into()),
            ..Inheritance::default()
        }
    }

    /// Those of a dialect with `tool_name` or `name` for tools, and `call_id` or `id` for calls.
    fn member_names() -> MemberNames {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        MemberNames {
            tool: names(&["name", "tool_name"]),
            call: names(&["id", "call_id"]),
            ..MemberNames::default()
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
                "{ name: Bash, model: [{ tool_calls: [{ name: Bash, args: { command: ls } }, { name: Read, args: { command: x } }] }], steps: [{ expect: { tool: { name: Bash } } }, { expect: { tool_name: Bash, args: { command: ls } } }, { expect: { other: Bash } }] }"
            ),
            json!({
                "name": "Bash",
                "model": [{ "tool_calls": [
                    { "name": "Exec", "args": { "cmd": "ls" } },
                    { "name": "Read", "args": { "command": "x" } },
                ] }],
                "steps": [
                    { "expect": { "tool": { "name": "Exec" } } },
                    { "expect": { "tool_name": "Exec", "args": { "cmd": "ls" } } },
                    { "expect": { "other": "Bash" } },
                ],
            })
        );
    }

    #[test]
    fn ids_of_calls_are_matched_in_the_form_of_the_wire() {
        let inheritance = Inheritance {
            call_ids: Some(r"{id}(\|.+)?".into()),
            members: member_names(),
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
    fn removed_clauses_are_no_longer_cited() {
        assert_eq!(
            read("{ clauses: [x.gone, x.here], steps: [{ clauses: [x.gone] }] }"),
            json!({ "clauses": ["x.here"], "steps": [{ "clauses": [] }] })
        );
    }
}
