//! The words of Google's API for a keyword of a schema that does not hold. It reads JSON as protobuf messages.

use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::request_error::{BrokenRule, type_names};

/// The words for a rule that the value at a path breaks. `inside` is the path of its object, `name` its name there.
pub(super) fn words(rule: &BrokenRule<'_>, path: &str, inside: &str, name: &str) -> String {
    let place = match inside {
        "" => String::new(),
        inside => format!(" at '{inside}'"),
    };
    let unknown =
        |why: &str| format!("Invalid JSON payload received. Unknown name \"{name}\"{place}: {why}");
    match rule.kind {
        ValidationErrorKind::AdditionalProperties { .. } => unknown("Cannot find field."),
        ValidationErrorKind::Type { .. } if rule.value.is_array() => {
            unknown("Proto field is not repeating, cannot start list.")
        }
        ValidationErrorKind::Type { kind } => match type_names(kind).find_map(proto_type) {
            Some(kind) => format!("Invalid value at '{path}' ({kind}), {}", shown(rule.value)),
            None => format!("Invalid value at '{path}', {}", shown(rule.value)),
        },
        _ => format!("Invalid value at '{path}', {}", shown(rule.value)),
    }
}

fn shown(value: &Value) -> String {
    value.to_string()
}

fn proto_type(name: &'static str) -> Option<&'static str> {
    match name {
        "string" => Some("TYPE_STRING"),
        "integer" => Some("TYPE_INT32"),
        "number" => Some("TYPE_FLOAT"),
        "boolean" => Some("TYPE_BOOL"),
        _ => None,
    }
}
