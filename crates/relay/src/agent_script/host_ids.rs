//! Ids that the host chose. A script takes them from the commands that it receives, so that a host with other ids gets its own ids in the
//! events.

use serde_json::{Map, Value};
use std::collections::HashSet;

/// The shortest text that is taken for the same id under a member of another name.
const UNMISTAKABLE: usize = 8;

/// The ids of the host, in the order in which they were captured.
#[derive(Debug, Default)]
pub(super) struct HostIds {
    ids: Vec<HostId>,
    /// Ids that the agent chose.
    of_agent: HashSet<String>,
}

#[derive(Debug)]
struct HostId {
    member: String,
    value: Value,
}

/// The kind of a member of a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CommandMember {
    /// A new id of the host, captured under this name.
    New(String),
    /// An id of the host that was captured before, under this name.
    Captured(String),
    /// No id of the host.
    Other,
}

impl HostIds {
    /// Notes the ids that the agent chose in an event.
    pub(super) fn event(&mut self, event: &Value) {
        match event {
            Value::Object(members) => {
                for (name, value) in members {
                    match value {
                        Value::String(_) | Value::Number(_) if is_id(name) => {
                            if self.echo(name, value).is_none() {
                                self.of_agent.insert(value.to_string());
                            }
                        }
                        _ => self.event(value),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.event(item)),
            _ => {}
        }
    }

    /// What a member of a command is.
    pub(super) fn command_member(&mut self, name: &str, value: &Value) -> CommandMember {
        if !is_id(name) || !(value.is_string() || value.is_number()) {
            return CommandMember::Other;
        }
        if let Some(captured) = self.echo(name, value) {
            return CommandMember::Captured(captured);
        }
        if self.of_agent.contains(&value.to_string()) {
            return CommandMember::Other;
        }
        self.ids.push(HostId {
            member: name.to_owned(),
            value: value.clone(),
        });
        CommandMember::New(capture_name(self.ids.len()))
    }

    /// The name under which a value was captured, if it is an id of the host.
    pub(super) fn echo(&self, member: &str, value: &Value) -> Option<String> {
        let is_unmistakable = value
            .as_str()
            .is_some_and(|text| text.len() >= UNMISTAKABLE);
        let found = self.ids.iter().rposition(|id| {
            id.value == *value && (id.member == member || is_unmistakable && is_id(member))
        });
        found.map(|place| capture_name(place + 1))
    }

    /// The members of a JSON text that are ids of the host: the text as it is written, and its replacement.
    pub(super) fn in_text(&self) -> impl Iterator<Item = (String, String)> {
        self.ids.iter().enumerate().rev().flat_map(|(place, id)| {
            let name = capture_name(place + 1);
            let (member, value) = (&id.member, &id.value);
            let placeholder = match value {
                Value::String(_) => format!("\"{{{name}}}\""),
                _ => format!("{{{name}}}"),
            };
            ["", " "].map(|blank| {
                let before = format!("\"{member}\":{blank}");
                (format!("{before}{value}"), format!("{before}{placeholder}"))
            })
        })
    }
}

fn capture_name(number: usize) -> String {
    format!("id{number}")
}

/// Whether a member of this name is an id.
fn is_id(name: &str) -> bool {
    name.len() >= 2 && name.is_char_boundary(name.len() - 2) && {
        name[name.len() - 2..].eq_ignore_ascii_case("id")
    }
}

/// A value with the ids of the host replaced by placeholders, and every other text as it is.
pub(super) fn template(value: &Value, ids: &HostIds) -> Value {
    match value {
        Value::String(text) => json_matcher::escape(text).into(),
        Value::Array(items) => items.iter().map(|item| template(item, ids)).collect(),
        Value::Object(members) => {
            let written = members.iter().map(|(name, value)| {
                let written = match ids.echo(name, value) {
                    Some(capture) => format!("{{{capture}}}").into(),
                    None => template(value, ids),
                };
                (plain_key(name), written)
            });
            Value::Object(written.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// A key as it is written where keys with `$` are functions or operators.
pub(super) fn plain_key(name: &str) -> String {
    let doubled = if name.starts_with('$') { "$" } else { "" };
    format!("{doubled}{name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_id_belongs_to_the_side_that_used_it_first() {
        let mut ids = HostIds::default();
        ids.event(&json!({ "type": "request", "call_id": "c1" }));
        assert_eq!(
            ids.command_member("call_id", &json!("c1")),
            CommandMember::Other
        );
        assert_eq!(
            ids.command_member("text", &json!("c2")),
            CommandMember::Other
        );
        assert_eq!(
            ids.command_member("id", &json!(7)),
            CommandMember::New("id1".into())
        );
        assert_eq!(
            ids.command_member("id", &json!(7)),
            CommandMember::Captured("id1".into())
        );
        let event = json!({ "id": 7, "count": 7, "$n": "{id1}", "of": [{ "id": 8 }] });
        let written = json!({ "id": "{id1}", "count": 7, "$$n": "{{id1}}", "of": [{ "id": 8 }] });
        assert_eq!(template(&event, &ids), written);
    }

    #[test]
    fn a_long_id_is_known_under_other_names() {
        let mut ids = HostIds::default();
        let long = json!("0b2f-11-77");
        assert_eq!(
            ids.command_member("msg_id", &long),
            CommandMember::New("id1".into())
        );
        assert_eq!(ids.echo("requestId", &long).as_deref(), Some("id1"));
        assert_eq!(ids.echo("text", &long), None);
    }
}
