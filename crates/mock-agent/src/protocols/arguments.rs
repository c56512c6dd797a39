//! The arguments of tools under the names that a protocol gives them.

use serde_json::Value;

/// The schema of a tool's arguments where the file is named `path`.
pub(super) fn with_path(schema: Value) -> Value {
    let text = schema.to_string().replace("\"file_path\"", "\"path\"");
    serde_json::from_str(&text).unwrap_or(schema)
}

/// Arguments in which the file is named `path`, as the tools have it.
pub(super) fn with_file_path(args: &Value) -> Value {
    let mut args = args.clone();
    let path = args.as_object_mut().and_then(|args| args.remove("path"));
    if let Some(path) = path {
        args["file_path"] = path;
    }
    args
}
