//! JSON Schemas of matchers and of any value, for the schemas of files that hold them.

use crate::operators::OPERATORS;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Any JSON value.
#[derive(Debug)]
pub struct AnyValueSchema;

/// A matcher on any value.
#[derive(Debug)]
pub struct MatcherSchema;

impl JsonSchema for AnyValueSchema {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(true)
    }
}

impl JsonSchema for MatcherSchema {
    fn schema_name() -> Cow<'static, str> {
        "Matcher".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let any = generator.subschema_for::<MatcherSchema>();
        let operators = OPERATORS
            .iter()
            .map(|one| (one.name.to_owned(), json!({ "description": one.text })));
        json_schema!({
            "description": "Scalars must be equal, an object must have at least these entries, a list exactly these elements; \
                            a map of `$` keys is a list of operators that must all match. Texts may contain `{name}` placeholders.",
            "anyOf": [
                { "type": ["null", "boolean", "number", "string"] },
                { "type": "array", "items": any },
                { "type": "object", "properties": operators.collect::<Map<String, Value>>(), "additionalProperties": any }
            ]
        })
    }
}
