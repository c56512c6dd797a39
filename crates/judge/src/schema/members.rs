//! Checks of frames and matchers that people write by hand, such as steps of scenarios: unknown members, and contradictions to a schema.

use super::Schemas;
use super::violation::brief;
use crate::finding::Level;
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use std::sync::{Arc, PoisonError};

/// A JSON Pointer into the frame or matcher, and what is wrong there.
pub type MemberError = (String, String);

/// A member that a definition does not know.
struct UnknownMember {
    place: String,
    message: String,
    is_misspelt: bool,
}

/// The members of an object, from all parts of a definition together.
#[derive(Debug, Default)]
struct Members<'a> {
    /// The definitions of members that apply in every case.
    fixed: Vec<(&'a str, &'a Value)>,
    /// The definitions of members that apply in some cases only.
    maybe: Vec<(&'a str, &'a Value)>,
    /// Required members.
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

    fn names(&self) -> impl Iterator<Item = &'a str> {
        let parts = self.fixed.iter().chain(&self.maybe);
        parts.map(|(name, _)| *name)
    }

    fn knows(&self, name: &str) -> bool {
        self.open || !self.all(name).is_empty()
    }

    fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.maybe.is_empty()
    }
}

impl Schemas {
    /// The members of a frame, at any depth, that none of its definitions knows: that of its name, and that of its nested kind.
    pub fn unknown_members(&self, names: &[&str], frame: &Value) -> Vec<MemberError> {
        let members = self.unknown(names, frame).into_iter();
        members.map(|one| (one.place, one.message)).collect()
    }

    /// Those of the unknown members whose name is nearly that of a member that is not there.
    pub fn misspelt_members(&self, names: &[&str], frame: &Value) -> Vec<MemberError> {
        let members = self.unknown(names, frame).into_iter();
        let misspelt = members.filter(|one| one.is_misspelt);
        misspelt.map(|one| (one.place, one.message)).collect()
    }

    fn unknown(&self, names: &[&str], frame: &Value) -> Vec<UnknownMember> {
        let mut found = Vec::new();
        let definitions = names.iter();
        let definitions = definitions.filter_map(|name| self.document["$defs"].get(*name));
        let definitions: Vec<&Value> = definitions.collect();
        self.find_unknown(&definitions, frame, String::new(), &mut found);
        found
    }

    fn find_unknown(
        &self,
        parts: &[&Value],
        value: &Value,
        at: String,
        found: &mut Vec<UnknownMember>,
    ) {
        match value {
            Value::Object(written) => {
                let members = self.members(parts);
                if members.is_empty() {
                    return;
                }
                for (name, value) in written {
                    let place = format!("{at}/{}", spanned_yaml::escape_step(name));
                    if members.knows(name) {
                        self.find_unknown(&members.all(name), value, place, found);
                    } else {
                        let missing = members.names().filter(|name| !written.contains_key(*name));
                        let near = spanned_yaml::suggestion(name, missing);
                        found.push(UnknownMember {
                            place,
                            is_misspelt: !near.is_empty(),
                            message: format!("there is no member `{name}` here{near}"),
                        });
                    }
                }
            }
            Value::Array(items) => {
                let inner: Vec<&Value> = self
                    .parts_of(parts)
                    .into_iter()
                    .filter_map(|(part, _)| part.get("items"))
                    .collect();
                for (n, item) in items.iter().enumerate() {
                    self.find_unknown(&inner, item, format!("{at}/{n}"), found);
                }
            }
            _ => {}
        }
    }

    /// The parts of a matcher that no valid frame can match. Only certain ones are reported: plain values, lists of alternatives, and members
    /// that are required or forbidden.
    pub fn contradictions(&self, name: &str, matcher: &Value) -> Vec<MemberError> {
        let mut found = Vec::new();
        if let Some(definition) = self.document["$defs"].get(name) {
            self.find_contradictions(&[definition], matcher, String::new(), &mut found);
        }
        found
    }

    fn find_contradictions(
        &self,
        parts: &[&Value],
        matcher: &Value,
        at: String,
        found: &mut Vec<MemberError>,
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
                if self.excludes(parts, &json!({})) && self.has_type(parts) {
                    found.push((at, "no object is allowed here".to_owned()));
                    return;
                }
                self.find_member_contradictions(parts, written, &at, found);
            }
            Value::Array(_) => {}
            plain => {
                if !has_placeholder(plain) && self.excludes(parts, plain) {
                    found.push((at, format!("{} is not allowed here", brief(plain))));
                }
            }
        }
    }

    fn find_member_contradictions(
        &self,
        parts: &[&Value],
        written: &Map<String, Value>,
        at: &str,
        found: &mut Vec<MemberError>,
    ) {
        let members = self.members(parts);
        for (name, matcher) in written {
            let name = name.strip_prefix('$').unwrap_or(name);
            let place = format!("{at}/{}", spanned_yaml::escape_step(name));
            let absent = matcher.get("$absent") == Some(&Value::Bool(true));
            if absent && members.required.contains(&name) {
                found.push((place, format!("`{name}` is always there")));
            } else if !absent && members.closed && !members.knows(name) {
                found.push((place, format!("there is no member `{name}` here")));
            } else {
                let fixed = members.fixed.iter().filter(|(member, _)| *member == name);
                let fixed: Vec<_> = fixed.map(|(_, part)| *part).collect();
                self.find_contradictions(&fixed, matcher, place, found);
            }
        }
    }

    /// Whether one of these definitions certainly forbids a value. Parts below the level `must` forbid nothing.
    fn excludes(&self, parts: &[&Value], value: &Value) -> bool {
        self.parts_of(parts).into_iter().any(|(part, fixed)| {
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
            let validator = self.validator_of_part(own);
            validator.is_some_and(|validator| !validator.is_valid(value))
        })
    }

    /// The validator of these keywords; `None` if there are none, or if they are not valid.
    fn validator_of_part(&self, keywords: Map<String, Value>) -> Option<Arc<Validator>> {
        if keywords.is_empty() {
            return None;
        }
        let schema = Value::Object(keywords);
        let mut known = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let compile = || jsonschema::draft202012::new(&schema).ok().map(Arc::new);
        known
            .entry(schema.to_string())
            .or_insert_with(compile)
            .clone()
    }

    fn is_weak(&self, part: &Map<String, Value>) -> bool {
        let level = part.get("x-level").cloned();
        level.is_some_and(|level| serde_json::from_value::<Level>(level).ok() != Some(Level::Must))
    }

    /// Whether these definitions define the type of a value.
    fn has_type(&self, parts: &[&Value]) -> bool {
        let mut all = self.parts_of(parts).into_iter();
        all.any(|(part, fixed)| fixed && part.get("type").is_some())
    }

    /// The parts of definitions, through references, and whether each applies in every case.
    pub(super) fn parts_of<'a>(&'a self, parts: &[&'a Value]) -> Vec<(&'a Value, bool)> {
        let mut all: Vec<(&Value, bool)> = Vec::new();
        let mut next: Vec<(&Value, bool)> = parts.iter().map(|part| (*part, true)).collect();
        while let Some((part, fixed)) = next.pop() {
            if all.iter().any(|(known, _)| std::ptr::eq(*known, part)) {
                continue;
            }
            // A part inside of a weak part is weak too.
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
        for (part, fixed) in self.parts_of(parts) {
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

/// Whether a text has placeholders, which are filled in when the scenario runs.
fn has_placeholder(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains('{'))
}
