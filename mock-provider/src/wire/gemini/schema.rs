//! Validates the `parameters` of functions, as the API does: <https://ai.google.dev/api/caching#Schema>.
//!
//! Sources: <https://github.com/cline/cline/issues/7926>, <https://github.com/anomalyco/opencode/issues/11889>,
//! <https://github.com/iBUHub/AIStudioToAPI/issues/154>.

use serde_json::Value;

use crate::conversation::list;

/// Adds what is wrong with a schema at this path, and with those in it.
pub(super) fn find_mistakes(schema: &Value, path: &str, found: &mut Vec<String>) {
    let kind = schema["type"].as_str().unwrap_or_default();
    let is_of = |name: &str| kind.eq_ignore_ascii_case(name);
    let properties = schema["properties"].as_object();
    if is_of("array") && schema["items"].is_null() {
        found.push(format!("{path}.items: missing field"));
    }
    for member in ["properties", "required"] {
        let is_filled = schema[member] != Value::Null && !kind.is_empty();
        if is_filled && !is_of("object") {
            found.push(format!("{path}.{member}: only allowed for OBJECT type"));
        }
    }
    for (i, name) in list(&schema["required"]).iter().enumerate() {
        let name = name.as_str().unwrap_or_default();
        let is_defined = properties.is_some_and(|properties| properties.contains_key(name));
        if is_of("object") && !is_defined {
            found.push(format!("{path}.required[{i}]: property is not defined"));
        }
    }
    for (name, inner) in properties.into_iter().flatten() {
        find_mistakes(inner, &format!("{path}.properties[{name}]"), found);
    }
    for (i, inner) in list(&schema["anyOf"]).iter().enumerate() {
        find_mistakes(inner, &format!("{path}.any_of[{i}]"), found);
    }
    if let Some(items) = schema.get("items") {
        find_mistakes(items, &format!("{path}.items"), found);
    }
}
