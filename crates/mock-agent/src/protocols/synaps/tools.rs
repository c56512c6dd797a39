//! The tools with their names and arguments in synaps.

use crate::tools::{BASH, EDIT, GLOB, GREP, READ, SUBAGENT, Tool, WRITE};
use serde_json::Value;

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "bash",
        ..BASH
    },
    Tool {
        name: "read",
        parameters: || renamed(&(READ.parameters)(), "file_path", "path"),
        parse: |args| (READ.parse)(&renamed(args, "path", "file_path")),
        ..READ
    },
    Tool {
        name: "write",
        parameters: || renamed(&(WRITE.parameters)(), "file_path", "path"),
        parse: |args| (WRITE.parse)(&renamed(args, "path", "file_path")),
        ..WRITE
    },
    Tool {
        name: "edit",
        parameters: || renamed(&(EDIT.parameters)(), "file_path", "path"),
        parse: |args| (EDIT.parse)(&renamed(args, "path", "file_path")),
        ..EDIT
    },
    Tool {
        name: "find",
        ..GLOB
    },
    Tool {
        name: "grep",
        ..GREP
    },
    SUBAGENT,
];

/// Arguments, or the schema of arguments, with another name for one of them.
fn renamed(value: &Value, from: &str, to: &str) -> Value {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_path_of_a_file_is_the_argument_path() {
        let write = &TOOLS[2];

        assert_eq!((write.parameters)()["required"], json!(["path", "content"]));
        assert!((write.parse)(&json!({ "path": "a", "content": "file_path" })).is_ok());
        assert!((write.parse)(&json!({ "content": "" })).is_err());
    }
}
