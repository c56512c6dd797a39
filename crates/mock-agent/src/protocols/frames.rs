//! Frames that every protocol makes.

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
