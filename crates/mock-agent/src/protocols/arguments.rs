//! The arguments of tools under the names that a protocol gives them.

use serde_json::Value;

/// The schema of a tool's arguments where the file is named `path`.
pub(super) fn with_path(schema: Value) -> Value {
    renamed(&schema, "file_path", "path")
}

/// Arguments, or the schema of arguments, with another name for one of them.
pub(super) fn renamed(value: &Value, from: &str, to: &str) -> Value {
    let other = |text: &str| if text == from { to } else { text }.to_owned();
    let Value::Object(members) = value else {
        return value.clone();
    };
    let members = members.iter().map(|(key, value)| {
        let value = match (key.as_str(), value) {
            ("properties", schema) => renamed(schema, from, to),
            ("required", Value::Array(names)) => names
                .iter()
                .map(|name| Value::from(other(name.as_str().unwrap_or_default())))
                .collect(),
            _ => value.clone(),
        };
        (other(key), value)
    });
    Value::Object(members.collect())
}
