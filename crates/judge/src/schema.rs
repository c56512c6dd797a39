//! JSON Schema validation of frames: one compiled validator for each event and command, selected by name. A `oneOf` over all of them would
//! give useless messages.

mod annotations;
mod frame_validator;
mod members;
mod plain_integer;
mod union;
mod violation;

pub use annotations::AnnotatedKeyword;
pub use frame_validator::FrameValidator;
pub use members::MemberError;

use jsonschema::{Draft, ValidationError, Validator};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The URI by which validators refer to the document of all definitions.
const DOCUMENT: &str = "conform:///definitions";

/// When mistakes in definitions are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaCheck {
    /// When they are loaded.
    AtOnce,
    /// Not before a definition is used: they were checked before.
    WhenUsed,
}

/// The definitions of one direction of a dialect.
#[derive(Debug)]
pub struct Schemas {
    document: Value,
    validators: HashMap<String, Arc<FrameValidator>>,
    /// Validators of parts of definitions, by their keywords as JSON: steps of scenarios are compared with the same parts many times.
    parts: Mutex<HashMap<String, Option<Arc<Validator>>>>,
}

impl Schemas {
    /// Compiles the definitions in `$defs` of these names.
    ///
    /// # Errors
    /// The pointer into the document and the reason, for each definition that is missing, or for the first one that does not compile.
    pub fn compile<'a>(
        document: Value,
        names: impl Iterator<Item = &'a str>,
        check: SchemaCheck,
    ) -> Result<Self, Vec<(String, String)>> {
        let defs = document.get("$defs").cloned().unwrap_or_default();
        let mut root = Value::Object(Map::from_iter([("$defs".to_owned(), defs)]));
        let at_once = check == SchemaCheck::AtOnce;
        // The whole document is checked against the meta-schema once. Each validator then only refers to it.
        let checked = if at_once {
            jsonschema::draft202012::meta::validate(&root).map_err(|e| place_and_reason(&e))
        } else {
            Ok(())
        };
        let published = document.get("published");
        let has_published = published.is_some();
        if let Some(published) = published {
            root["published"] = published.clone();
        }
        let registry = jsonschema::Registry::new()
            .draft(Draft::Draft202012)
            .add(DOCUMENT, root)
            .and_then(|registry| registry.prepare())
            .map(Arc::new)
            .map_err(|error| vec![(String::new(), error.to_string())])?;
        let (mut validators, mut missing) = (HashMap::new(), Vec::new());
        for name in names {
            let pointer = format!("/$defs/{}", spanned_yaml::escape_step(name));
            if document.pointer(&pointer).is_none() {
                missing.push((pointer, format!("`{name}` has no definition in `$defs`")));
                continue;
            }
            checked.as_ref().map_err(|error| vec![error.clone()])?;
            let reference = json!({ "$ref": format!("{DOCUMENT}#{}", as_fragment(&pointer)) });
            let validator = FrameValidator::new(reference, &registry);
            if at_once && (!has_published || !is_published(&document["$defs"][name])) {
                validator
                    .compile()
                    .map_err(|error| vec![(pointer, error.to_string())])?;
            }
            validators.insert(name.to_owned(), Arc::new(validator));
        }
        if !missing.is_empty() {
            return Err(missing);
        }
        Ok(Schemas {
            document,
            validators,
            parts: Mutex::default(),
        })
    }

    /// The definitions as written.
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Whether the definition of this name requires more than the name itself, so that a frame can break it.
    pub fn can_be_broken(&self, name: &str, discriminator: &str) -> bool {
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
    pub fn validator(&self, name: &str) -> Option<Arc<FrameValidator>> {
        self.validators.get(name).cloned()
    }

    /// Whether a frame is valid by a definition; true for a name without one.
    pub fn is_valid(&self, name: &str, frame: &Value) -> bool {
        self.validators
            .get(name)
            .is_none_or(|v| v.get().is_valid(frame))
    }
}

/// Whether a definition of ours only refers to the published file, which is checked on its own.
fn is_published(definition: &Value) -> bool {
    let all = definition["allOf"].as_array().map_or(0, Vec::len);
    all == 1
        && definition
            .as_object()
            .is_some_and(|definition| definition.len() == 1)
}

fn place_and_reason(error: &ValidationError<'_>) -> (String, String) {
    (error.instance_path().to_string(), error.to_string())
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

#[cfg(test)]
mod tests {
    use super::plain_integer::PLAIN_INTEGER;
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
        Schemas::compile(document, ["ready"].into_iter(), SchemaCheck::AtOnce).unwrap()
    }

    /// `POINTER CLAUSE LEVEL` of each violation.
    fn violations(frame: Value) -> Vec<String> {
        let found = schemas().violations("ready", &frame, 9);
        let each = found.iter();
        let each = each.map(|f| format!("{} {} {}", f.pointer, f.clauses[0], f.level.word()));
        each.collect()
    }

    #[test]
    fn a_violation_has_its_pointer_and_the_nearest_clause() {
        let seen = violations(json!({"version": "2", "n": "x", "kind": "c"}));
        for one in [
            "/version p.version should",
            "/n p.count must",
            "/kind p.ready must",
        ] {
            assert!(seen.iter().any(|seen| seen == one), "{seen:?}");
        }
        let missing = &schemas().violations("ready", &json!({"version": "1"}), 9)[0];
        assert_eq!(missing.pointer, "/n");
        assert_eq!(missing.message, "`n` is missing");
        // Clauses next to a reference apply if its target has none.
        let usage = json!({"version": "1", "n": 1, "usage": {"input": "x", "cached": "y"}});
        let expected = [
            "/usage/input p.usage should",
            "/usage/cached p.count should",
        ];
        assert_eq!(violations(usage), expected);
    }

    #[test]
    fn every_keyword_that_can_be_broken_is_listed_with_its_clauses() {
        let marked = schemas().annotated_keywords("ready");
        for (at, clause) in [
            ("/properties/usage/type", "p.usage"),
            ("/properties/n/minimum", "p.count"),
            ("/required", "p.ready"),
        ] {
            let found = marked.iter().find(|one| one.at == at).unwrap();
            assert_eq!(found.clauses, [clause]);
        }
    }

    #[test]
    fn an_integer_with_a_fraction_is_found_where_it_must_be_plain() {
        let document = json!({ "$defs": {
            "end": { "x-clauses": ["p.end"], "properties": { "usage": { "$ref": "#/$defs/Usage" } } },
            "Usage": { "properties": {
                "tokens": { "type": "integer", PLAIN_INTEGER: true, "x-clauses": ["p.tokens"] },
            } },
        }});
        let schemas = Schemas::compile(document, ["end"].into_iter(), SchemaCheck::AtOnce).unwrap();
        let violations =
            |text: &str| schemas.violations("end", &serde_json::from_str(text).unwrap(), 9);

        assert_eq!(violations(r#"{"usage":{"tokens":12}}"#), []);
        for tokens in ["12.0", "1e3"] {
            let found = violations(&format!(r#"{{"usage":{{"tokens":{tokens}}}}}"#));
            assert_eq!(found.len(), 1, "{tokens}");
            assert_eq!(found[0].pointer, "/usage/tokens");
            assert_eq!(found[0].clauses, ["p.tokens"]);
            assert!(found[0].message.contains("fraction"), "{found:?}");
        }
        assert_eq!(violations(r#"{"usage":{"tokens":1.5}}"#).len(), 1);
    }

    #[test]
    fn a_name_without_a_definition_and_a_dangling_reference_are_refused() {
        let error = Schemas::compile(json!({"$defs": {}}), ["x"].into_iter(), SchemaCheck::AtOnce)
            .unwrap_err();
        assert_eq!(error[0].0, "/$defs/x");
        let document = json!({"$defs": {"x": {"$ref": "#/$defs/nowhere"}}});
        assert!(Schemas::compile(document, ["x"].into_iter(), SchemaCheck::AtOnce).is_err());
    }

    #[test]
    fn a_name_may_hold_any_character() {
        let name = "session/up date%";
        let document = json!({ "$defs": { name: { "required": ["a"] } } });
        let schemas = Schemas::compile(document, [name].into_iter(), SchemaCheck::AtOnce).unwrap();
        let violations = schemas.violations(name, &json!({}), 9);
        assert_eq!(violations.len(), 1);
    }
}
