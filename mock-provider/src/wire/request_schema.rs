//! The JSON Schemas of request bodies (`request.json` of each wire), with the words of the real API for what breaks them.
//!
//! Some keywords are our own:
//! - `x-by: { MEMBER: { VALUE: DEFINITION | true } }`: the member is one of these values, and chooses the definition of its object.
//! - `x-errors: { KEYWORD: MESSAGE }`: the message of the real API where the keyword does not hold, as a text or with a `param` and a
//!   `code`. `{path}`, `{value}`, `{type}`, `{limit}` and `{model}` are filled.
//! - `x-starts` and the formats of `request_keywords.rs`.
//! - `x-own-models`: how the vendor's own models begin. A request for another model may have more members, as other servers of the
//!   same API know them.

use std::sync::LazyLock;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, ValidationError, Validator};
use serde_json::{Value, json};

use super::request_error::{BrokenRule, Place, phrase};
use super::request_keywords::with_keywords;
use crate::answer::HttpError;
use crate::conversation::list;
use crate::request::Wire;

/// The compiled schema of a wire's request body.
struct RequestSchema {
    document: Value,
    validator: Validator,
}

static SCHEMAS: [LazyLock<Option<RequestSchema>>; 4] = [
    LazyLock::new(|| RequestSchema::compile(include_str!("anthropic/request.json"))),
    LazyLock::new(|| RequestSchema::compile(include_str!("chat/request.json"))),
    LazyLock::new(|| RequestSchema::compile(include_str!("responses/request.json"))),
    LazyLock::new(|| RequestSchema::compile(include_str!("gemini/request.json"))),
];

/// How a body may depart from the schema.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Leniency<'a> {
    /// Members that the endpoint does not require.
    pub(super) optional: &'a [&'a str],
    /// Whether it may have members that the schema does not know, as previews of the API add them.
    pub(super) more_members: bool,
}

/// The error of the real API for a body that breaks the schema of its wire.
///
/// # Errors
/// The error.
pub(super) fn check_body(wire: Wire, body: &Value, lenient: Leniency<'_>) -> Result<(), HttpError> {
    let schema = match wire {
        Wire::AnthropicMessages => &SCHEMAS[0],
        Wire::OpenAiChat => &SCHEMAS[1],
        Wire::OpenAiResponses => &SCHEMAS[2],
        Wire::Gemini => &SCHEMAS[3],
    };
    match LazyLock::force(schema) {
        Some(schema) if !schema.validator.is_valid(body) => schema.first_error(wire, body, lenient),
        _ => Ok(()),
    }
}

impl RequestSchema {
    /// The schema of a file; none if it is not valid, which a test excludes.
    fn compile(text: &str) -> Option<Self> {
        let mut document: Value = serde_json::from_str(text).ok()?;
        expand(&mut document);
        let options = with_keywords(jsonschema::options().with_draft(Draft::Draft202012));
        let validator = options.build(&document).ok()?;
        Some(RequestSchema {
            document,
            validator,
        })
    }

    fn first_error(
        &self,
        wire: Wire,
        body: &Value,
        lenient: Leniency<'_>,
    ) -> Result<(), HttpError> {
        let model = body["model"].as_str().unwrap_or_default();
        let own_models = list(&self.document["x-own-models"]).iter();
        let is_own_model = own_models
            .filter_map(Value::as_str)
            .any(|prefix| model.starts_with(prefix));
        let counts = |error: &ValidationError<'_>| match error.kind() {
            ValidationErrorKind::AdditionalProperties { .. } => {
                let is_of_preview =
                    lenient.more_members && error.instance_path().as_str().is_empty();
                is_own_model && !is_of_preview
            }
            ValidationErrorKind::Required { property } => {
                !lenient.optional.iter().any(|member| property == member)
            }
            _ => true,
        };
        let mut errors = self.validator.iter_errors(body);
        let Some(error) = errors.find(counts) else {
            return Ok(());
        };
        let place = Place::new(body, error.instance_path().as_str());
        let rule = BrokenRule {
            kind: error.kind(),
            value: error.instance(),
            known: self.known_message(&error),
        };
        Err(phrase(wire, &place, &rule))
    }

    /// The entry of `x-errors` beside the keyword that does not hold.
    fn known_message(&self, error: &ValidationError<'_>) -> Option<&Value> {
        let keyword = error.kind().keyword();
        let path = error.schema_path().as_str();
        let (parent, _) = path.rsplit_once(&format!("/{keyword}"))?;
        let known = self
            .document
            .pointer(parent)?
            .get("x-errors")?
            .get(keyword)?;
        match error.kind() {
            ValidationErrorKind::Required { property } if known.is_object() => {
                known.get(property.as_str()?)
            }
            _ => Some(known),
        }
    }
}

/// Replaces every `x-by` by the standard keywords.
fn expand(node: &mut Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(expand),
        Value::Object(map) => {
            map.values_mut().for_each(expand);
            let Some(Value::Object(choice)) = map.remove("x-by") else {
                return;
            };
            map.entry("type").or_insert_with(|| "object".into());
            for (member, cases) in choice {
                let cases = cases.as_object().into_iter().flatten();
                let values: Vec<&String> = cases.clone().map(|(value, _)| value).collect();
                let branches = cases.filter_map(|(value, definition)| {
                    let target = format!("#/$defs/{}", definition.as_str()?);
                    Some(json!({
                        "if": { "required": [member], "properties": { member.as_str(): { "const": value } } },
                        "then": { "$ref": target },
                    }))
                });
                map.insert("required".into(), json!([member]));
                map.insert("allOf".into(), branches.collect());
                map.insert(
                    "properties".into(),
                    json!({ member.as_str(): { "enum": values } }),
                );
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_compiles_and_every_message_stands_beside_its_keyword() {
        for schema in &SCHEMAS {
            let schema = LazyLock::force(schema).as_ref().expect("a valid schema");
            check_messages(&schema.document);
        }
    }

    fn check_messages(node: &Value) {
        if let Some(known) = node.get("x-errors").and_then(Value::as_object) {
            for keyword in known.keys() {
                assert!(node.get(keyword).is_some(), "{keyword}: {node}");
            }
        }
        match node {
            Value::Array(items) => items.iter().for_each(check_messages),
            Value::Object(map) => map.values().for_each(check_messages),
            _ => {}
        }
    }
}
