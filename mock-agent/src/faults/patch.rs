//! Edits one frame: sets and removes members, and builds frames from templates.

use serde_json::Value;

/// Sets the value (JSON) at a pointer; adds the member if it is missing.
pub(super) fn set(frame: &mut Value, pointer: &str, json: &str) {
    let Ok(value) = serde_json::from_str(json) else {
        return;
    };
    match frame.pointer_mut(pointer) {
        Some(place) => *place = value,
        None => {
            if let Some((parent, key)) = parent(frame, pointer) {
                parent.insert(key.to_owned(), value);
            }
        }
    }
}

/// Removes a member.
pub(super) fn remove(frame: &mut Value, pointer: &str) {
    if let Some((parent, key)) = parent(frame, pointer) {
        parent.shift_remove(key);
    }
}

/// Trims the text at a pointer.
pub(crate) fn trim(frame: &mut Value, pointer: &str) {
    if let Some(Value::String(text)) = frame.pointer_mut(pointer) {
        *text = text.trim().to_owned();
    }
}

/// Calls a function on every object, at any depth, in which this member has this text.
pub(super) fn each(value: &mut Value, of: (&str, &str), change: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| each(item, of, change)),
        Value::Object(map) => map.values_mut().for_each(|value| each(value, of, change)),
        _ => {}
    }
    if value.get(of.0).and_then(Value::as_str) == Some(of.1) {
        change(value);
    }
}

fn parent<'f, 'p>(
    frame: &'f mut Value,
    pointer: &'p str,
) -> Option<(&'f mut serde_json::Map<String, Value>, &'p str)> {
    let (above, key) = pointer.rsplit_once('/')?;
    Some((frame.pointer_mut(above)?.as_object_mut()?, key))
}

/// A new frame from a JSON template, in which a text `$/pointer` is replaced by that part of the given frame.
pub(super) fn from_template(json: &str, frame: &Value) -> Value {
    let mut made = serde_json::from_str(json).unwrap_or_default();
    fill(&mut made, frame);
    made
}

fn fill(value: &mut Value, frame: &Value) {
    match value {
        Value::String(text) => {
            if let Some(part) = text.strip_prefix('$').and_then(|p| frame.pointer(p)) {
                *value = part.clone();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, frame)),
        Value::Object(map) => map.values_mut().for_each(|value| fill(value, frame)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_are_set_added_and_removed() {
        let mut frame = json!({ "a": { "b": 1 } });

        set(&mut frame, "/a/b", "\"x\"");
        set(&mut frame, "/a/c", "null");
        assert_eq!(frame, json!({ "a": { "b": "x", "c": null } }));
        remove(&mut frame, "/a/b");
        assert_eq!(frame, json!({ "a": { "c": null } }));
    }

    #[test]
    fn matching_objects_are_changed_at_any_depth() {
        let mut frame = json!({ "role": "user", "list": [{ "role": "user" }, { "role": "tool" }] });

        each(&mut frame, ("role", "user"), &mut |object| {
            set(object, "/n", "1");
        });
        assert_eq!(
            frame,
            json!({ "role": "user", "list": [{ "role": "user", "n": 1 }, { "role": "tool" }], "n": 1 })
        );
    }

    #[test]
    fn a_frame_is_built_from_a_template() {
        let frame = json!({ "id": "m1", "usage": { "n": 3 } });

        assert_eq!(
            from_template(
                r#"{"to":"$/id","all":["$/usage","$/none","plain"]}"#,
                &frame
            ),
            json!({ "to": "m1", "all": [{ "n": 3 }, "$/none", "plain"] })
        );
    }
}
