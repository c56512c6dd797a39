//! Frames and arguments of tools that several protocols make.

use serde_json::Value;

/// A frame without its members that are null: those that have no value here.
pub(super) fn present(mut frame: Value) -> Value {
    if let Some(members) = frame.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    frame
}

/// A frame with the members of another object after its own.
pub(super) fn extended(mut frame: Value, more: Value) -> Value {
    if let (Some(members), Value::Object(more)) = (frame.as_object_mut(), more) {
        members.extend(more);
    }
    frame
}

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
