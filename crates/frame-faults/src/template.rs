//! Values with references to parts of a frame.

use crate::pointer::Pointer;
use serde_json::Value;

/// The value with each text `$/pointer` replaced by that part of the frame, and each text `$` by all of it. A reference to nothing
/// stays as it is.
pub(crate) fn filled(template: &Value, frame: &Value) -> Value {
    match template {
        Value::String(text) => referenced(text, frame).unwrap_or(template).clone(),
        Value::Array(items) => items.iter().map(|item| filled(item, frame)).collect(),
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, value)| (name.clone(), filled(value, frame)));
            Value::Object(members.collect())
        }
        plain => plain.clone(),
    }
}

/// The first place of the frame that a reference points to.
fn referenced<'a>(text: &str, frame: &'a Value) -> Option<&'a Value> {
    Pointer::parse(text.strip_prefix('$')?).ok()?.first(frame)
}
