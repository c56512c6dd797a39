//! JSON Schema validation of frames: one compiled validator for each event and command, selected by name. A `oneOf` over all of them would
//! give useless messages.

mod members;

pub use members::MemberError;

use crate::finding::{DifferenceKind, Level};
use jsonschema::paths::Location;
use jsonschema::{Draft, Keyword, ValidationError, Validator, error::ValidationErrorKind};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// A keyword of our own for numbers that readers parse into integer types: `true` forbids a fraction or an exponent even if the value is
/// whole (`1.0`), which the JSON Schema type `integer` allows.
const PLAIN_INTEGER: &str = "x-plain-integer";

/// The URI by which validators refer to the document of all definitions.
const DOCUMENT: &str = "conform:///definitions";

/// The definitions of one direction of a dialect.
#[derive(Debug)]
pub struct Schemas {
    document: Value,
    validators: HashMap<String, Arc<Validator>>,
}

/// A violation of a schema by a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaViolation {
    /// Where in the frame.
    pub pointer: String,
    /// What is wrong there, in one sentence.
    pub message: String,
    /// What would have been allowed.
    pub expected: Vec<String>,
    /// The kind of difference, without the values.
    pub kind: DifferenceKind,
    /// The clauses of the nearest part of the definition that names any (`x-clauses`).
    pub clauses: Vec<String>,
    /// The level of that part (`x-level`); `must` by default.
    pub level: Level,
}

/// A keyword of a definition that a frame can break, with its annotations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatedKeyword {
    /// A JSON Pointer from the definition, through references.
    pub at: String,
    /// The clauses that a finding there cites.
    pub clauses: Vec<String>,
    /// The level of a finding there.
    pub level: Level,
}

/// The annotations `x-clauses` and `x-level` that apply at a place: the innermost ones on the path to it.
#[derive(Debug, Clone, Default)]
struct Annotations {
    clauses: Vec<String>,
    level: Level,
}

impl Annotations {
    fn take(&mut self, part: &Value) {
        if let Some(list) = part.get("x-clauses").and_then(Value::as_array) {
            let list = list.iter().filter_map(|clause| clause.as_str());
            self.clauses = list.map(str::to_owned).collect();
        }
        if let Some(level) = part.get("x-level") {
            self.level = serde_json::from_value(level.clone()).unwrap_or_default();
        }
    }
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
        let defs = document.get("$defs").cloned().unwrap_or_default();
        let root = Value::Object(Map::from_iter([("$defs".to_owned(), defs)]));
        // The whole document is checked against the meta-schema once. Each validator then only refers to it.
        let checked = jsonschema::draft202012::meta::validate(&root);
        let registry = jsonschema::Registry::new()
            .draft(Draft::Draft202012)
            .add(DOCUMENT, &root)
            .and_then(|registry| registry.prepare())
            .map_err(|error| (String::new(), error.to_string()))?;
        let mut validators = HashMap::new();
        for name in names {
            let pointer = format!("/$defs/{}", escape(name));
            if document.pointer(&pointer).is_none() {
                return Err((pointer, format!("`{name}` has no definition in `$defs`")));
            }
            checked.as_ref().map_err(place_and_reason)?;
            let validator = jsonschema::options()
                .with_draft(Draft::Draft202012)
                .should_validate_formats(true)
                .with_keyword(PLAIN_INTEGER, plain_integer)
                .with_registry(&registry)
                .build(&json!({ "$ref": format!("{DOCUMENT}#{}", as_fragment(&pointer)) }))
                .map_err(|error| place_and_reason(&error))?;
            validators.insert(name.to_owned(), Arc::new(validator));
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

    /// Whether the definition of this name requires more than the name itself, so that a frame can break it.
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

    /// The validator of a definition.
    #[must_use]
    pub fn validator(&self, name: &str) -> Option<Arc<Validator>> {
        self.validators.get(name).cloned()
    }

    /// Whether a frame is valid by a definition; true for a name without one.
    #[must_use]
    pub fn is_valid(&self, name: &str, frame: &Value) -> bool {
        self.validators.get(name).is_none_or(|v| v.is_valid(frame))
    }

    /// The violations of a definition by a frame, at most `most` of them.
    #[must_use]
    pub fn violations(&self, name: &str, frame: &Value, most: usize) -> Vec<SchemaViolation> {
        let Some(validator) = self.validators.get(name) else {
            return Vec::new();
        };
        let errors = validator.iter_errors(frame).take(most);
        errors.map(|error| self.violation(name, &error)).collect()
    }

    fn violation(&self, name: &str, error: &ValidationError<'_>) -> SchemaViolation {
        let path = error.schema_path().to_string();
        let (clauses, level) = self.annotations(name, error.evaluation_path().as_str());
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
                let expected = self.keyword(&path);
                (
                    format!("{} is {}", place(&pointer), kind_of(error.instance())),
                    vec![format!(
                        "a value of type {}",
                        expected.map_or(String::new(), words)
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
        let kind = match error.kind() {
            ValidationErrorKind::Required { .. } => DifferenceKind::Missing,
            ValidationErrorKind::Type { .. } => DifferenceKind::WrongType,
            _ => DifferenceKind::WrongValue,
        };
        SchemaViolation {
            pointer,
            message,
            expected,
            kind,
            clauses,
            level,
        }
    }

    fn keyword(&self, path: &str) -> Option<&Value> {
        self.document.pointer(path)
    }

    /// The `x-clauses` and `x-level` that apply to a keyword: those in the definition with the keyword, or else beside the `$ref` to it.
    fn annotations(&self, name: &str, path: &str) -> (Vec<String>, Level) {
        let mut marks = Annotations::default();
        let mut part = &self.document["$defs"][name];
        marks.take(part);
        // The schema that is compiled for a name is a reference to its definition.
        let mut way = path.strip_prefix("/$ref").unwrap_or(path);
        if let Some(place) = path.strip_prefix("/$defs") {
            // The path to a keyword of our own starts at the document.
            part = &self.document["$defs"];
            way = place;
        }
        for step in way.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let next = match part {
                Value::Array(items) => step.parse().ok().and_then(|n: usize| items.get(n)),
                other => other.get(&step),
            };
            let next = match next {
                Some(Value::String(target)) if step == "$ref" => {
                    self.document.pointer(target.trim_start_matches('#'))
                }
                next => next,
            };
            let Some(next) = next else { break };
            part = next;
            marks.take(part);
        }
        (marks.clauses, marks.level)
    }

    /// The keywords of a definition that a frame can break, through references.
    #[must_use]
    pub fn annotated_keywords(&self, name: &str) -> Vec<AnnotatedKeyword> {
        let mut all = Vec::new();
        let mut way = vec![name.to_owned()];
        let part = &self.document["$defs"][name];
        self.collect_annotated(
            part,
            String::new(),
            Annotations::default(),
            &mut way,
            &mut all,
        );
        all
    }

    fn collect_annotated(
        &self,
        part: &Value,
        at: String,
        mut marks: Annotations,
        way: &mut Vec<String>,
        all: &mut Vec<AnnotatedKeyword>,
    ) {
        let Some(members) = part.as_object() else {
            return;
        };
        marks.take(part);
        for (keyword, value) in members {
            let place = format!("{at}/{keyword}");
            match keyword.as_str() {
                "$ref" => {
                    let target = value.as_str().and_then(|t| t.strip_prefix("#/$defs/"));
                    let Some(target) = target.filter(|t| !way.iter().any(|w| w == t)) else {
                        continue;
                    };
                    way.push(target.to_owned());
                    let next = &self.document["$defs"][target];
                    self.collect_annotated(next, at.clone(), marks.clone(), way, all);
                    way.pop();
                }
                "properties" | "patternProperties" | "dependentSchemas" => {
                    for (name, value) in value.as_object().into_iter().flatten() {
                        let place = format!("{place}/{}", escape(name));
                        self.collect_annotated(value, place, marks.clone(), way, all);
                    }
                }
                "allOf" | "prefixItems" => {
                    for (n, value) in value.as_array().into_iter().flatten().enumerate() {
                        self.collect_annotated(
                            value,
                            format!("{place}/{n}"),
                            marks.clone(),
                            way,
                            all,
                        );
                    }
                }
                "then" | "else" | "items" | "additionalProperties" if value.is_object() => {
                    self.collect_annotated(value, place, marks.clone(), way, all);
                }
                "if" | "then" | "description" | "x-clauses" | "x-level" => {}
                _ => all.push(AnnotatedKeyword {
                    at: place,
                    clauses: marks.clauses.clone(),
                    level: marks.level,
                }),
            }
        }
    }
    /// The clauses that the definition of a name cites, at any depth.
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

    /// The names of the definitions that cite this clause, at any depth.
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

/// The validator of [`PLAIN_INTEGER`].
struct PlainInteger;

impl<'i> Keyword<'i> for PlainInteger {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        Err(ValidationError::custom(format!(
            "{} is written with a fraction or an exponent, which readers of integers refuse",
            brief(instance)
        )))
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        // A number that is not whole is reported by `type`.
        instance.as_f64().is_none_or(|value| value.fract() != 0.0) || !instance.is_f64()
    }
}

fn plain_integer<'a>(
    _: &'a Map<String, Value>,
    _: &'a Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    Ok(Box::new(PlainInteger))
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

fn place_and_reason(error: &ValidationError<'_>) -> (String, String) {
    (error.instance_path().to_string(), error.to_string())
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A JSON Pointer as the fragment of a URI: a frame's name may hold any character.
fn as_fragment(pointer: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/$".contains(&byte);
    let each = pointer.bytes();
    each.map(|byte| {
        if plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    })
    .collect()
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
                    "n": { "$ref": "#/$defs/Count", "x-clauses": ["p.n"] },
                    "kind": { "enum": ["a", "b"] },
                    "usage": { "$ref": "#/$defs/Usage", "x-clauses": ["p.usage"], "x-level": "should" }
                }
            },
            "Count": { "type": "integer", "minimum": 0, "x-clauses": ["p.count"] },
            "Usage": { "type": "object", "properties": { "input": { "type": "integer" }, "cached": { "$ref": "#/$defs/Count" } } }
        }});
        Schemas::compile(document, ["ready"].into_iter()).unwrap()
    }

    #[test]
    fn a_violation_has_its_pointer_and_the_nearest_clause() {
        let violations =
            schemas().violations("ready", &json!({"version": "2", "n": "x", "kind": "c"}), 9);
        let seen: Vec<_> = violations
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
        let missing = &schemas().violations("ready", &json!({"version": "1"}), 9)[0];
        assert_eq!(missing.pointer, "/n");
        assert_eq!(missing.message, "`n` is missing");
    }

    #[test]
    fn clauses_beside_a_reference_apply_if_its_target_has_none() {
        let frame = json!({"version": "1", "n": 1, "usage": {"input": "x", "cached": "y"}});
        let violations = schemas().violations("ready", &frame, 9);
        let seen: Vec<_> = violations
            .iter()
            .map(|f| (f.pointer.as_str(), f.clauses[0].as_str(), f.level))
            .collect();
        assert_eq!(
            seen,
            [
                ("/usage/input", "p.usage", Level::Should),
                ("/usage/cached", "p.count", Level::Should),
            ]
        );
    }

    #[test]
    fn every_keyword_that_can_be_broken_is_listed_with_its_clauses() {
        let marked = schemas().annotated_keywords("ready");
        let at = |at: &str| {
            marked
                .iter()
                .find(|m| m.at == at)
                .map(|m| m.clauses.clone())
        };
        assert_eq!(
            at("/properties/usage/type"),
            Some(vec!["p.usage".to_owned()])
        );
        assert_eq!(
            at("/properties/n/minimum"),
            Some(vec!["p.count".to_owned()])
        );
        assert_eq!(at("/required"), Some(vec!["p.ready".to_owned()]));
    }

    #[test]
    fn an_integer_with_a_fraction_is_found_where_it_must_be_plain() {
        let document = json!({ "$defs": {
            "end": { "x-clauses": ["p.end"], "properties": { "usage": { "$ref": "#/$defs/Usage" } } },
            "Usage": { "properties": {
                "tokens": { "type": "integer", PLAIN_INTEGER: true, "x-clauses": ["p.tokens"] },
            } },
        }});
        let schemas = Schemas::compile(document, ["end"].into_iter()).unwrap();
        let violations =
            |text: &str| schemas.violations("end", &serde_json::from_str(text).unwrap(), 9);

        assert_eq!(violations(r#"{"usage":{"tokens":12}}"#), []);
        for tokens in ["12.0", "1e3"] {
            let found = violations(&format!(r#"{{"usage":{{"tokens":{tokens}}}}}"#));
            assert_eq!(found.len(), 1, "{tokens}");
            assert_eq!(found[0].pointer, "/usage/tokens");
            assert_eq!(found[0].clauses, ["p.tokens"]);
            assert!(
                found[0].message.contains("fraction"),
                "{}",
                found[0].message
            );
        }
        assert_eq!(violations(r#"{"usage":{"tokens":1.5}}"#).len(), 1);
    }

    #[test]
    fn a_name_without_a_definition_is_refused() {
        let error = Schemas::compile(json!({"$defs": {}}), ["x"].into_iter()).unwrap_err();
        assert_eq!(error.0, "/$defs/x");
    }

    #[test]
    fn a_name_may_hold_any_character() {
        let name = "session/up date%";
        let document = json!({ "$defs": { name: { "required": ["a"] } } });
        let schemas = Schemas::compile(document, [name].into_iter()).unwrap();
        let violations = schemas.violations(name, &json!({}), 9);
        assert_eq!(violations.len(), 1);
    }

    #[test]
    fn a_dangling_reference_is_refused() {
        let document = json!({"$defs": {"x": {"$ref": "#/$defs/nowhere"}}});
        assert!(Schemas::compile(document, ["x"].into_iter()).is_err());
    }
}
