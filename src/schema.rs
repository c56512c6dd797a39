//! Compiled validators, one per event or command name, picked by the discriminator: never a `oneOf` over all of them.

use crate::finding::Level;
use jsonschema::{Draft, ValidationError, Validator, error::ValidationErrorKind};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The definitions of one direction of a dialect.
#[derive(Debug)]
pub struct Schemas {
    document: Value,
    validators: HashMap<String, Validator>,
}

/// One way in which a frame departs from its definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where in the frame.
    pub pointer: String,
    /// What is wrong there, in one sentence.
    pub message: String,
    /// What would have been right.
    pub expected: Vec<String>,
    /// The clauses of the nearest part of the definition that names any (`x-clauses`).
    pub clauses: Vec<String>,
    /// How strongly that part asks (`x-level`); `must` unless it says otherwise.
    pub level: Level,
}

impl Schemas {
    /// Compiles the definitions in `$defs` of these names.
    ///
    /// # Errors
    /// The pointer into the document and the reason, for the first definition that is missing or does not compile.
    pub fn compile<'a>(
        document: Value,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<Self, (String, String)> {
        let defs = document.get("$defs").cloned().unwrap_or_else(|| json!({}));
        let mut validators = HashMap::new();
        for name in names {
            let pointer = format!("/$defs/{}", escape(name));
            if document.pointer(&pointer).is_none() {
                return Err((pointer, format!("`{name}` has no definition in `$defs`")));
            }
            let root = json!({ "$defs": defs, "$ref": format!("#{pointer}") });
            let validator = jsonschema::options()
                .with_draft(Draft::Draft202012)
                .should_validate_formats(true)
                .build(&root)
                .map_err(|e| (e.instance_path().to_string(), e.to_string()))?;
            validators.insert(name.to_owned(), validator);
        }
        Ok(Schemas {
            document,
            validators,
        })
    }

    /// The definitions as written.
    #[must_use]
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Whether the definition of this name asks for more than the name itself, so that a frame can break it.
    #[must_use]
    pub fn asks(&self, name: &str, discriminator: &str) -> bool {
        let own = discriminator.trim_start_matches('/');
        let Some(definition) = self.document["$defs"][name].as_object() else {
            return false;
        };
        definition
            .iter()
            .any(|(keyword, part)| match keyword.as_str() {
                "description" | "type" | "x-clauses" => false,
                "required" => part
                    .as_array()
                    .is_some_and(|names| names.iter().any(|n| n != own)),
                "properties" => part.as_object().is_some_and(|p| p.keys().any(|k| k != own)),
                _ => true,
            })
    }

    /// Whether a frame has the shape of a definition; true for a name without one.
    #[must_use]
    pub fn is_valid(&self, name: &str, frame: &Value) -> bool {
        self.validators.get(name).is_none_or(|v| v.is_valid(frame))
    }

    /// Every way in which a frame departs from a definition, at most `most` of them.
    #[must_use]
    pub fn faults(&self, name: &str, frame: &Value, most: usize) -> Vec<Fault> {
        let Some(validator) = self.validators.get(name) else {
            return Vec::new();
        };
        let errors = validator.iter_errors(frame).take(most);
        errors.map(|error| self.fault(&error)).collect()
    }

    fn fault(&self, error: &ValidationError<'_>) -> Fault {
        let path = error.schema_path().to_string();
        let (clauses, level) = self.marks(&path);
        let mut pointer = error.instance_path().to_string();
        let (message, expected) = match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                pointer = format!("{pointer}/{}", escape(name));
                (
                    format!("`{name}` is missing"),
                    vec![format!("a member `{name}`")],
                )
            }
            ValidationErrorKind::Type { .. } => {
                let wanted = self.keyword(&path);
                (
                    format!("{} is {}", place(&pointer), kind_of(error.instance())),
                    vec![format!(
                        "a value of type {}",
                        wanted.map_or(String::new(), words)
                    )],
                )
            }
            ValidationErrorKind::Enum { options } => (
                format!("{} is {}", place(&pointer), brief(error.instance())),
                vec![format!("one of {}", words(options))],
            ),
            ValidationErrorKind::Constant { expected_value } => (
                format!("{} is {}", place(&pointer), brief(error.instance())),
                vec![brief(expected_value)],
            ),
            _ => (error.to_string(), Vec::new()),
        };
        Fault {
            pointer,
            message,
            expected,
            clauses,
            level,
        }
    }

    fn keyword(&self, path: &str) -> Option<&Value> {
        self.document.pointer(path)
    }

    /// The `x-clauses` and `x-level` nearest to a keyword, each looked for from the inside out.
    fn marks(&self, path: &str) -> (Vec<String>, Level) {
        let mut clauses = None;
        let mut level = None;
        let mut path = path;
        while let Some((parent, _)) = path.rsplit_once('/') {
            let part = self.document.pointer(parent);
            clauses = clauses.or_else(|| {
                let list = part?.get("x-clauses")?.as_array()?;
                Some(
                    list.iter()
                        .filter_map(|c| c.as_str().map(str::to_owned))
                        .collect(),
                )
            });
            level = level.or_else(|| serde_json::from_value(part?.get("x-level")?.clone()).ok());
            path = parent;
        }
        (clauses.unwrap_or_default(), level.unwrap_or_default())
    }

    /// Every clause that the definition of a name says it checks, at any depth.
    #[must_use]
    pub fn clauses(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(definition) = self.document.pointer(&format!("/$defs/{}", escape(name))) {
            collect_clauses(definition, &mut found);
        }
        found.sort();
        found.dedup();
        found
    }

    /// The names of the definitions that say, at any depth, that they check this clause.
    #[must_use]
    pub fn citing(&self, clause: &str) -> Vec<String> {
        let definitions = self.document["$defs"].as_object().into_iter().flatten();
        let cites = |name: &&String| self.clauses(name).iter().any(|cited| cited == clause);
        definitions
            .map(|(name, _)| name)
            .filter(cites)
            .cloned()
            .collect()
    }
}

fn collect_clauses(part: &Value, found: &mut Vec<String>) {
    match part {
        Value::Object(members) => {
            for (name, member) in members {
                if name == "x-clauses" {
                    let list = member.as_array().into_iter().flatten();
                    found.extend(list.filter_map(|c| c.as_str().map(str::to_owned)));
                } else {
                    collect_clauses(member, found);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_clauses(item, found)),
        _ => {}
    }
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn place(pointer: &str) -> String {
    if pointer.is_empty() {
        "the frame".to_owned()
    } else {
        format!("`{pointer}`")
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(n) if n.is_f64() => "a number that is no integer",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(brief).collect::<Vec<_>>().join(", "),
        other => brief(other),
    }
}

fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schemas() -> Schemas {
        let document = json!({ "$defs": {
            "ready": {
                "x-clauses": ["p.ready"], "type": "object", "required": ["version", "n"],
                "properties": {
                    "version": { "type": "string", "x-clauses": ["p.version"], "x-level": "should", "pattern": "^1" },
                    "n": { "$ref": "#/$defs/Count" },
                    "kind": { "enum": ["a", "b"] }
                }
            },
            "Count": { "type": "integer", "minimum": 0, "x-clauses": ["p.count"] }
        }});
        Schemas::compile(document, ["ready"].into_iter()).unwrap()
    }

    #[test]
    fn a_fault_names_its_place_and_the_nearest_clause() {
        let faults = schemas().faults("ready", &json!({"version": "2", "n": "x", "kind": "c"}), 9);
        let seen: Vec<_> = faults
            .iter()
            .map(|f| (f.pointer.as_str(), f.clauses[0].as_str(), f.level))
            .collect();
        assert!(
            seen.contains(&("/version", "p.version", Level::Should)),
            "{seen:?}"
        );
        assert!(seen.contains(&("/n", "p.count", Level::Must)), "{seen:?}");
        assert!(
            seen.contains(&("/kind", "p.ready", Level::Must)),
            "{seen:?}"
        );
        let missing = &schemas().faults("ready", &json!({"version": "1"}), 9)[0];
        assert_eq!(missing.pointer, "/n");
        assert_eq!(missing.message, "`n` is missing");
    }

    #[test]
    fn a_name_without_a_definition_is_refused() {
        let error = Schemas::compile(json!({"$defs": {}}), ["x"].into_iter()).unwrap_err();
        assert_eq!(error.0, "/$defs/x");
    }

    #[test]
    fn a_dangling_reference_is_refused() {
        let document = json!({"$defs": {"x": {"$ref": "#/$defs/nowhere"}}});
        assert!(Schemas::compile(document, ["x"].into_iter()).is_err());
    }
}
