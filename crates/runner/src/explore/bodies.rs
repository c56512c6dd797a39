//! The bodies of scenarios as moves: what can be spliced is decided by the structure of a scenario.
//!
//! Names that may come once in a session get the number of the body: captures, gates, and the ids of calls and commands. Everything else
//! stays as it is written, so that the same prompts, files and arguments come again.

use super::fill::NUMBER;
use super::moves::Splicing;
use crate::scenario::types::{Step, StepAction};
use crate::scenario::{SourceFile, calls_of, load};
use conform_judge::dialect::Dialect;
use json_matcher::{Captures, Matcher, Segment, segments};
use serde_json::{Map, Value, json};
use spanned_yaml::{Kind, Node};
use std::collections::BTreeSet;
use std::time::Duration;

/// Stands for the number of a body until its scenario has the names of the dialect, whose patterns would escape braces.
const MARK: char = '\u{e000}';
/// The longest time that a step of a body waits however fast the agent is.
const LONGEST_WAIT: Duration = Duration::from_millis(500);
/// The longest text of a scenario, in bytes: large data make slow sessions.
const LONGEST_TEXT: usize = 6 << 10;
/// Begins the placeholder for the command of an MCP server.
const MCP: &str = "mcp_";
/// How often a reply is given that a scenario repeats forever.
const REPEATS: u32 = 99;

/// A scenario as a move.
pub(super) struct Body {
    /// How its agent is started; null for the start of the dialect.
    pub(super) agent: Value,
    /// The abilities that its client declares.
    pub(super) abilities: BTreeSet<String>,
    /// The files that it needs, with their texts.
    pub(super) files: Map<String, Value>,
    /// The keys of the move.
    pub(super) file: Map<String, Value>,
    /// Whether the process has ended after it.
    pub(super) ends: bool,
    /// Whether it starts the agent with other settings.
    pub(super) restarts: bool,
}

/// The names in a scenario that may come once in a session.
#[derive(Default)]
struct OwnNames {
    captures: BTreeSet<String>,
    calls: BTreeSet<String>,
    servers: BTreeSet<String>,
    /// The ids of commands, which have one of these members.
    ids: BTreeSet<String>,
    members: Vec<String>,
}

impl Body {
    /// The body of a scenario; `None` if it cannot follow others.
    pub(super) fn of(source: &SourceFile, dialect: &Dialect, splicing: &Splicing) -> Option<Self> {
        let is_short = source.text.len() <= LONGEST_TEXT;
        let written = source.read().ok().filter(|_| is_short)?;
        let scenario = load(&written, &source.id, Some(dialect)).ok()?;
        let is_plain = |key: &str| written.get(key).is_none();
        let is_quick = scenario
            .longest_wait()
            .is_none_or(|time| time <= LONGEST_WAIT);
        // A session has the whole prelude, so also what is before the part that a scenario names.
        let has_prelude = written
            .get("prelude")
            .is_none_or(|part| part.as_str().is_some());
        if !is_quick
            || !has_prelude
            || !["budgets", "rules_only"].into_iter().all(is_plain)
            || !scenario.client.answers.is_empty()
        {
            return None;
        }
        let numbered = source
            .read_as(|node| OwnNames::of(node, &splicing.ids).number(node, ""))
            .ok()?;
        let mut keys = match numbered_value(&numbered.to_value()) {
            Value::Object(keys) => keys,
            _ => return None,
        };
        let mut file = Map::new();
        for key in [
            "needs", "wire", "ending", "mcp", "model", "answers", "steps",
        ] {
            file.extend(keys.shift_remove(key).map(|value| (key.to_owned(), value)));
        }
        let asks = keys.get("asks") == Some(&true.into());
        if let (true, Some(Value::Array(steps))) = (asks, file.get_mut("steps")) {
            steps.insert(0, json!({ "asks": null }));
        }
        for step in list(&mut file, "steps").filter_map(Value::as_object_mut) {
            step.retain(|key, _| key != "clauses" && key != "level");
        }
        for reply in list(&mut file, "model").filter_map(Value::as_object_mut) {
            if reply.get("repeat").is_some_and(Value::is_string) && !reply.contains_key("when") {
                reply.insert("repeat".to_owned(), REPEATS.into());
            }
        }
        let files = match keys.shift_remove("files") {
            Some(Value::Object(files)) => files,
            _ => Map::new(),
        };
        let steps = file.get("steps").and_then(Value::as_array);
        let ends = splicing.ends(file.contains_key("ending"), steps.into_iter().flatten());
        Some(Body {
            agent: keys.shift_remove("agent").unwrap_or_default(),
            abilities: scenario.client.abilities.iter().cloned().collect(),
            files,
            ends,
            restarts: scenario.steps.iter().any(has_settings),
            file,
        })
    }
}

/// Whether a step starts the agent with settings of its own.
fn has_settings(step: &Step) -> bool {
    matches!(&step.action, StepAction::Restart(setup) if !setup.is_empty())
}

impl Splicing {
    /// Whether no scenario can follow these steps, because the process has ended or its session is closed.
    fn ends<'s>(&self, has_ending: bool, steps: impl Iterator<Item = &'s Value>) -> bool {
        let fits = |all: &[Matcher], step: &Value| {
            let mut all = all.iter();
            all.any(|one| one.matches(step, &Captures::default()).is_ok())
        };
        let mut is_over = has_ending;
        for step in steps {
            let has = |verb: &str| step.get(verb).is_some();
            is_over |= ["close_stdin", "signal", "expect_exit"]
                .into_iter()
                .any(has);
            is_over &= !has("restart");
            is_over |= fits(&self.closes, step);
            is_over &= !fits(&self.reopens, step);
        }
        is_over
    }
}

fn list<'m>(map: &'m mut Map<String, Value>, key: &str) -> impl Iterator<Item = &'m mut Value> {
    map.get_mut(key)
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
}

impl OwnNames {
    fn of(scenario: &Node, members: &[String]) -> Self {
        let mut names = OwnNames {
            members: members.to_vec(),
            ..OwnNames::default()
        };
        names
            .calls
            .extend(scenario.get("model").map(calls_of).unwrap_or_default());
        let servers = scenario.get("mcp").and_then(Node::as_map);
        for (name, _) in servers.into_iter().flatten() {
            names.captures.insert(format!("{MCP}{}", name.name));
            names.servers.insert(name.name.clone());
        }
        let steps = scenario.get("steps").and_then(Node::as_list);
        let answers = scenario.get("answers").and_then(Node::as_list);
        for step in steps.into_iter().chain(answers).flatten() {
            let captured = step.get("capture").and_then(Node::as_map);
            names.captures.extend(
                captured
                    .into_iter()
                    .flatten()
                    .map(|(key, _)| key.name.clone()),
            );
            let sent = step.get("send");
            let ids = members.iter().filter_map(|id| sent?.get(id)?.as_str());
            names.ids.extend(
                ids.filter(|id| !id.is_empty() && !id.contains('{'))
                    .map(str::to_owned),
            );
        }
        names
    }

    /// The node with a mark behind each name. `key`: the key that leads to it.
    fn number(&self, node: &Node, key: &str) -> Node {
        match node.kind() {
            Kind::List(items) => node.with_kind(Kind::List(
                items.iter().map(|item| self.number(item, key)).collect(),
            )),
            Kind::Map(entries) => {
                let entries = entries.iter().map(|(name, value)| {
                    let is_own = match key {
                        "capture" => self.captures.contains(&name.name),
                        "mcp" => self.servers.contains(&name.name),
                        _ => false,
                    };
                    let mut name = name.clone();
                    // An operator, such as `$one_of`, is about the value of the key before it.
                    let inner = if name.name.starts_with('$') {
                        key
                    } else {
                        &name.name
                    };
                    let value = self.number(value, inner);
                    if is_own {
                        name.name.push(MARK);
                    }
                    (name, value)
                });
                node.with_kind(Kind::Map(entries.collect()))
            }
            Kind::Text(text) => node.with_kind(Kind::Text(self.number_text(text, key))),
            _ => node.clone(),
        }
    }

    fn number_text(&self, text: &str, key: &str) -> String {
        let is_own = match key {
            "gate" | "release" => true,
            "server" => self.servers.contains(text),
            "type" | "name" | "text" => false,
            _ => {
                self.calls.contains(text)
                    || self.ids.contains(text) && self.members.iter().any(|one| one == key)
            }
        };
        if is_own {
            return format!("{text}{MARK}");
        }
        if key == "send_raw" {
            let ids = self.ids.iter();
            return ids.fold(text.to_owned(), |text, id| {
                text.replace(&format!("\"{id}\""), &format!("\"{id}{MARK}\""))
            });
        }
        let parts = segments(text).into_iter().map(|part| match part {
            Segment::Placeholder(name) if self.captures.contains(name) => {
                format!("{{{name}{MARK}}}")
            }
            Segment::Placeholder(name) => format!("{{{name}}}"),
            Segment::Text(text) => text.to_owned(),
        });
        if self
            .captures
            .iter()
            .any(|name| text.contains(&format!("{{{name}}}")))
        {
            parts.collect()
        } else {
            text.to_owned()
        }
    }
}

/// A value with the number of the body in place of each mark.
fn numbered_value(value: &Value) -> Value {
    let text = |text: &str| text.replace(MARK, &format!("_{NUMBER}"));
    match value {
        Value::String(one) => text(one).into(),
        Value::Array(items) => items.iter().map(numbered_value).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (text(key), numbered_value(value)))
            .collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use spanned_yaml::load_yaml;

    #[test]
    fn only_names_that_come_once_get_a_number() {
        let yaml = "{ model: [{ tool_calls: [{ id: t1, name: t1 }] }, { content: [{ gate: g }, { text: m1 }] }],
          steps: [{ send: { id: m1, input: m1 } }, { expect: { id: { $one_of: [m1, other] }, call: t1 }, capture: { c: /x } },
            { send: { id: '{c}' } }, { send_raw: '{\"id\":\"m1\"}' }, { release: g }] }";
        let node = load_yaml("s.yaml", yaml).unwrap();
        let names = OwnNames::of(&node, &["id".to_owned()]);
        assert_eq!(
            numbered_value(&names.number(&node, "").to_value()),
            json!({
                "model": [{ "tool_calls": [{ "id": "t1_{#}", "name": "t1" }] }, { "content": [{ "gate": "g_{#}" }, { "text": "m1" }] }],
                "steps": [
                    { "send": { "id": "m1_{#}", "input": "m1" } },
                    { "expect": { "id": { "$one_of": ["m1_{#}", "other"] }, "call": "t1_{#}" }, "capture": { "c_{#}": "/x" } },
                    { "send": { "id": "{c_{#}}" } },
                    { "send_raw": "{\"id\":\"m1_{#}\"}" },
                    { "release": "g_{#}" },
                ],
            })
        );
    }

    #[test]
    fn mcp_servers_get_a_number() {
        let yaml = "{ mcp: { birds: { tools: {} } }, steps: [{ send: { name: birds, command: '{mcp_birds}' } }, { expect_mcp: { server: birds } }] }";
        let node = load_yaml("s.yaml", yaml).unwrap();
        let names = OwnNames::of(&node, &[]);
        assert_eq!(
            numbered_value(&names.number(&node, "").to_value()),
            json!({
                "mcp": { "birds_{#}": { "tools": {} } },
                "steps": [{ "send": { "name": "birds", "command": "{mcp_birds_{#}}" } }, { "expect_mcp": { "server": "birds_{#}" } }],
            })
        );
    }

    #[test]
    fn a_session_that_is_closed_ends_a_body_unless_it_is_opened_again() {
        let matchers = |all: &[Value]| {
            all.iter()
                .map(|one| Matcher::compile(one).unwrap())
                .collect()
        };
        let splicing = Splicing {
            closes: matchers(&[
                json!({ "send": { "message": "close" } }),
                json!({ "restart": null }),
            ]),
            reopens: matchers(&[json!({ "send": { "message": "load" } })]),
            ..Splicing::default()
        };
        let send = |message: &str| json!({ "send": { "message": message } });
        for (steps, ends) in [
            (vec![send("prompt")], false),
            (vec![send("close"), send("prompt")], true),
            (vec![send("close"), send("load")], false),
            (
                vec![json!({ "close_stdin": null }), json!({ "restart": null })],
                true,
            ),
            (vec![json!({ "restart": null }), send("load")], false),
        ] {
            assert_eq!(splicing.ends(false, steps.iter()), ends, "{steps:?}");
        }
        assert!(!Splicing::default().ends(false, [json!({ "restart": null })].iter()));
    }
}
