//! What a definition says of the members of a frame, for those who write frames and matchers by hand.

use super::{Schemas, brief, escape};
use crate::finding::Level;
use serde_json::{Map, Value, json};

/// A JSON Pointer into what was written, and what is wrong there.
pub type MemberMistake = (String, String);

/// What the parts of a definition say together of one object.
#[derive(Debug, Default)]
struct Members<'a> {
    /// The definitions of each member; those that hold whatever else the object says.
    fixed: Vec<(&'a str, &'a Value)>,
    /// Those that hold in some cases only.
    maybe: Vec<(&'a str, &'a Value)>,
    /// Members that must be there.
    required: Vec<&'a str>,
    /// Whether other members are allowed by name.
    open: bool,
    /// Whether other members are forbidden.
    closed: bool,
}

impl<'a> Members<'a> {
    fn all(&self, name: &str) -> Vec<&'a Value> {
        let parts = self.fixed.iter().chain(&self.maybe);
        let named = parts.filter(|(member, _)| *member == name);
        named.map(|(_, part)| *part).collect()
    }

    fn knows(&self, name: &str) -> bool {
        self.open || !self.all(name).is_empty()
    }

    fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.maybe.is_empty()
    }
}

impl Schemas {
    /// Members of a frame, at any depth, that its definition does not know.
    #[must_use]
    pub fn unknown_members(&self, name: &str, frame: &Value) -> Vec<MemberMistake> {
        let mut found = Vec::new();
        if let Some(definition) = self.document["$defs"].get(name) {
            self.strange(&[definition], frame, String::new(), &mut found);
        }
        found
    }

    fn strange(&self, parts: &[&Value], value: &Value, at: String, found: &mut Vec<MemberMistake>) {
        match value {
            Value::Object(written) => {
                let members = self.members(parts);
                if members.is_empty() {
                    return;
                }
                for (name, value) in written {
                    let place = format!("{at}/{}", escape(name));
                    if members.knows(name) {
                        self.strange(&members.all(name), value, place, found);
                    } else {
                        found.push((place, format!("there is no member `{name}` here")));
                    }
                }
            }
            Value::Array(items) => {
                let inner: Vec<&Value> = self
                    .flat(parts)
                    .into_iter()
                    .filter_map(|(part, _)| part.get("items"))
                    .collect();
                for (n, item) in items.iter().enumerate() {
                    self.strange(&inner, item, format!("{at}/{n}"), found);
                }
            }
            _ => {}
        }
    }

    /// What of a matcher on a frame no frame of this definition can meet. Only what is certain is told: plain values, lists of
    /// alternatives, and members that must be there or must not.
    #[must_use]
    pub fn contradictions(&self, name: &str, matcher: &Value) -> Vec<MemberMistake> {
        let mut found = Vec::new();
        if let Some(definition) = self.document["$defs"].get(name) {
            self.contradict(&[definition], matcher, String::new(), &mut found);
        }
        found
    }

    fn contradict(
        &self,
        parts: &[&Value],
        matcher: &Value,
        at: String,
        found: &mut Vec<MemberMistake>,
    ) {
        let operators = matcher
            .as_object()
            .filter(|m| m.keys().any(|k| k.starts_with('$') && !k.starts_with("$$")));
        if let Some(operators) = operators {
            let several = operators.get("$one_of").and_then(Value::as_array);
            if let Some(several) = several
                && !several.is_empty()
                && several.iter().all(|one| self.excludes(parts, one))
            {
                let words: Vec<_> = several.iter().map(brief).collect();
                found.push((at, format!("none of {} is allowed here", words.join(", "))));
            }
            return;
        }
        match matcher {
            Value::Object(written) => {
                if self.excludes(parts, &json!({})) && self.only_type(parts) {
                    found.push((at, "no object is allowed here".to_owned()));
                    return;
                }
                self.contradict_members(parts, written, &at, found);
            }
            Value::Array(_) => {}
            plain => {
                if !is_place(plain) && self.excludes(parts, plain) {
                    found.push((at, format!("{} is not allowed here", brief(plain))));
                }
            }
        }
    }

    fn contradict_members(
        &self,
        parts: &[&Value],
        written: &Map<String, Value>,
        at: &str,
        found: &mut Vec<MemberMistake>,
    ) {
        let members = self.members(parts);
        for (name, matcher) in written {
            let name = name.strip_prefix('$').unwrap_or(name);
            let place = format!("{at}/{}", escape(name));
            let absent = matcher.get("$absent") == Some(&Value::Bool(true));
            if absent && members.required.contains(&name) {
                found.push((place, format!("`{name}` is always there")));
            } else if !absent && members.closed && !members.knows(name) {
                found.push((place, format!("there is no member `{name}` here")));
            } else {
                let fixed = members.fixed.iter().filter(|(member, _)| *member == name);
                let fixed: Vec<_> = fixed.map(|(_, part)| *part).collect();
                self.contradict(&fixed, matcher, place, found);
            }
        }
    }

    /// Whether one of these definitions certainly refuses a value. What a definition only should ask for refuses nothing.
    fn excludes(&self, parts: &[&Value], value: &Value) -> bool {
        self.flat(parts).into_iter().any(|(part, fixed)| {
            let Some(part) = part.as_object().filter(|_| fixed) else {
                return false;
            };
            if self.is_weak(part) {
                return false;
            }
            let kept = ["type", "const", "enum", "pattern", "minimum", "maximum"];
            let own: Map<String, Value> = part
                .iter()
                .filter(|(keyword, _)| kept.contains(&keyword.as_str()))
                .map(|(keyword, value)| (keyword.clone(), value.clone()))
                .collect();
            !own.is_empty()
                && jsonschema::draft202012::new(&Value::Object(own))
                    .is_ok_and(|validator| !validator.is_valid(value))
        })
    }

    fn is_weak(&self, part: &Map<String, Value>) -> bool {
        let level = part.get("x-level").cloned();
        level.is_some_and(|level| serde_json::from_value::<Level>(level).ok() != Some(Level::Must))
    }

    /// Whether these definitions say of which type a value is.
    fn only_type(&self, parts: &[&Value]) -> bool {
        let mut all = self.flat(parts).into_iter();
        all.any(|(part, fixed)| fixed && part.get("type").is_some())
    }

    /// The parts of definitions with those that they refer to, and whether each holds in every case.
    fn flat<'a>(&'a self, parts: &[&'a Value]) -> Vec<(&'a Value, bool)> {
        let mut all: Vec<(&Value, bool)> = Vec::new();
        let mut next: Vec<(&Value, bool)> = parts.iter().map(|part| (*part, true)).collect();
        while let Some((part, fixed)) = next.pop() {
            if all.iter().any(|(known, _)| std::ptr::eq(*known, part)) {
                continue;
            }
            // What stands beneath a weak part is asked for as weakly.
            let fixed = fixed && !part.as_object().is_some_and(|part| self.is_weak(part));
            all.push((part, fixed));
            let target = part.get("$ref").and_then(Value::as_str);
            let target = target.and_then(|t| self.document.pointer(t.trim_start_matches('#')));
            next.extend(target.map(|target| (target, fixed)));
            let list = |keyword: &str| part.get(keyword).and_then(Value::as_array);
            next.extend(list("allOf").into_iter().flatten().map(|one| (one, fixed)));
            for keyword in ["anyOf", "oneOf"] {
                next.extend(list(keyword).into_iter().flatten().map(|one| (one, false)));
            }
            for keyword in ["if", "then", "else", "dependentSchemas"] {
                next.extend(part.get(keyword).map(|one| (one, false)));
            }
        }
        all
    }

    fn members<'a>(&'a self, parts: &[&'a Value]) -> Members<'a> {
        let mut members = Members::default();
        for (part, fixed) in self.flat(parts) {
            let properties = part.get("properties").and_then(Value::as_object);
            for (name, member) in properties.into_iter().flatten() {
                let list = match fixed {
                    true => &mut members.fixed,
                    false => &mut members.maybe,
                };
                list.push((name, member));
            }
            let required = part.get("required").and_then(Value::as_array);
            let required = required.filter(|_| fixed).into_iter().flatten();
            members.required.extend(required.filter_map(Value::as_str));
            match part.get("additionalProperties") {
                Some(Value::Bool(false)) => members.closed |= fixed,
                Some(_) => members.open = true,
                None => {}
            }
            members.open |= part.get("patternProperties").is_some();
        }
        members
    }
}

/// Whether a text is filled only when it is used.
fn is_place(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains('{'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schemas() -> Schemas {
        let document = json!({ "$defs": {
            "go": {
                "type": "object", "required": ["type"],
                "properties": {
                    "type": { "const": "go" },
                    "mode": { "enum": ["a", "b"] },
                    "where": { "$ref": "#/$defs/Place" },
                    "free": { "type": "object" },
                    "soft": { "enum": ["x"], "x-level": "should" }
                },
                "anyOf": [{ "properties": { "mode": { "const": "a" }, "more": { "type": "integer" } } }, {}]
            },
            "Place": { "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } }, "additionalProperties": false }
        }});
        Schemas::compile(document, ["go"].into_iter()).unwrap()
    }

    fn places(mistakes: Vec<MemberMistake>) -> Vec<String> {
        mistakes.into_iter().map(|(at, _)| at).collect()
    }

    #[test]
    fn members_that_no_part_knows_are_strangers() {
        let frame = json!({ "type": "go", "then run": null, "more": 1, "free": { "any": 1 }, "where": { "id": "x", "idd": 1 } });
        assert_eq!(
            places(schemas().unknown_members("go", &frame)),
            ["/then run", "/where/idd"]
        );
    }

    #[test]
    fn what_no_frame_can_meet_is_a_contradiction() {
        let wrong = |matcher| places(schemas().contradictions("go", &matcher));
        assert_eq!(wrong(json!({ "mode": "c" })), ["/mode"]);
        assert_eq!(
            wrong(json!({ "mode": { "$one_of": ["c", "d"] } })),
            ["/mode"]
        );
        assert_eq!(wrong(json!({ "where": { "id": 1 } })), ["/where/id"]);
        assert_eq!(wrong(json!({ "where": { "idd": "x" } })), ["/where/idd"]);
        assert_eq!(wrong(json!({ "where": "x" })), ["/where"]);
        assert_eq!(wrong(json!({ "type": { "$absent": true } })), ["/type"]);
        for right in [
            json!({ "mode": "b" }),
            json!({ "mode": { "$one_of": ["a", "d"] } }),
            json!({ "mode": "{name}" }),
            json!({ "soft": "y" }),
            json!({ "unknown": 1 }),
            json!({ "where": { "id": { "$regex": "x" } } }),
            json!({ "more": "x" }),
        ] {
            assert_eq!(wrong(right.clone()), Vec::<String>::new(), "{right}");
        }
    }
}
