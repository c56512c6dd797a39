//! Hand-written JSON Schemas for parts of `ordering.yaml` that have several shapes: conditions, operands, changes of state, slice keys.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use std::borrow::Cow;

/// A condition.
pub(super) struct ConditionSchema;

/// An operand: text in the rule language, or a JSON value as it is.
pub(super) struct OperandSchema;

/// One change of a state variable, or several.
pub(super) struct ChangesSchema;

/// The key of slices: one source, or several that all count.
pub(super) struct SliceKeySchema;

impl JsonSchema for ConditionSchema {
    fn schema_name() -> Cow<'static, str> {
        "Condition".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let condition = generator.subschema_for::<ConditionSchema>();
        let operand = generator.subschema_for::<OperandSchema>();
        let list = json!({ "type": "array", "items": condition });
        let pattern = json!({ "type": "string", "description": "A frame pattern." });
        json_schema!({
            "description": "A comparison as text, the name of a condition, a list of conditions that must all hold, or one of any, all, \
                            not, seen, and every with holds.",
            "anyOf": [
                { "type": "string" },
                list,
                map(json!({ "any": list })),
                map(json!({ "all": list })),
                map(json!({ "not": condition })),
                map(json!({ "seen": pattern })),
                map(json!({ "every": operand, "holds": condition }))
            ]
        })
    }
}

/// A map with exactly these members.
fn map(members: Value) -> Value {
    let names = members.as_object().into_iter().flatten();
    let names: Vec<_> = names.map(|(name, _)| name).collect();
    json!({ "type": "object", "properties": members, "required": names, "additionalProperties": false })
}

impl JsonSchema for OperandSchema {
    fn schema_name() -> Cow<'static, str> {
        "Operand".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A /pointer into the frame, a $state variable, a function, a word, a number, or any other JSON value."
        })
    }
}

impl JsonSchema for ChangesSchema {
    fn schema_name() -> Cow<'static, str> {
        "Changes".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let operand = generator.subschema_for::<OperandSchema>();
        let pair =
            json_schema!({ "type": "array", "items": operand, "minItems": 2, "maxItems": 2 });
        let change = json_schema!({
            "anyOf": [
                { "enum": ["clear", "increment"] },
                {
                    "type": "object",
                    "properties": {
                        "for": operand, "set": operand, "add": operand, "remove": operand, "append": operand, "take": operand,
                        "put": pair, "concat": pair
                    },
                    "additionalProperties": false
                }
            ]
        });
        json_schema!({
            "description": "One change, or a list of changes.",
            "anyOf": [change, { "type": "array", "items": change }]
        })
    }
}

impl JsonSchema for SliceKeySchema {
    fn schema_name() -> Cow<'static, str> {
        "SliceKey".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A /pointer, a $state variable or a scope; `a | b` takes the first one that is present. A list: all of them.",
            "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }]
        })
    }
}
