//! The JSON types that `$type` knows.

use crate::compile::{CompileError, WrittenMatcher};
use serde_json::Value;
use spanned_yaml::unknown;

/// A JSON type: its name, its words in a message, and a test for it.
pub(crate) type JsonType = (&'static str, &'static str, fn(&Value) -> bool);

const TYPES: &[JsonType] = &[
    ("string", "a string", Value::is_string),
    ("number", "a number", Value::is_number),
    ("integer", "an integer", |value| {
        value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
    }),
    ("boolean", "a boolean", Value::is_boolean),
    ("object", "an object", Value::is_object),
    ("array", "an array", Value::is_array),
    ("null", "null", Value::is_null),
];

/// The types of an operand: one, or a list of them.
pub(super) fn types(
    operand: WrittenMatcher<'_>,
) -> Result<Vec<&'static JsonType>, Vec<CompileError>> {
    match operand.value {
        Value::Array(_) => operand.each(named_type),
        _ => Ok(vec![named_type(operand)?]),
    }
}

fn named_type(operand: WrittenMatcher<'_>) -> Result<&'static JsonType, Vec<CompileError>> {
    let name = match operand.value {
        Value::String(name) => name,
        // In YAML an unquoted `null` is the type of that name.
        Value::Null => "null",
        _ => return Err(operand.expected("the name of a JSON type")),
    };
    let found = TYPES.iter().find(|(known, ..)| *known == name);
    found.ok_or_else(|| operand.invalid(unknown("type", name, TYPES.iter().map(|one| one.0))))
}
