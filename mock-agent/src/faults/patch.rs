//! Changes to one frame.

use serde_json::Value;

/// Puts a value (JSON) in a place; the member is made if it is missing.
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

/// Takes a member away.
pub(super) fn remove(frame: &mut Value, pointer: &str) {
    if let Some((parent, key)) = parent(frame, pointer) {
        parent.shift_remove(key);
    }
}

/// Takes the blanks around a text away.
pub(crate) fn trim(frame: &mut Value, pointer: &str) {
    if let Some(Value::String(text)) = frame.pointer_mut(pointer) {
        *text = text.trim().to_owned();
    }
}

/// Does something to every object, at any depth, in which this member has this value.
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

/// A frame of its own, made from JSON in which a text `$/pointer` stands for that part of the frame at hand.
pub(super) fn made(json: &str, frame: &Value) -> Value {
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
    fn members_are_set_made_and_taken_away() {
        let mut frame = json!({ "a": { "b": 1 } });

        set(&mut frame, "/a/b", "\"x\"");
        set(&mut frame, "/a/c", "null");
        assert_eq!(frame, json!({ "a": { "b": "x", "c": null } }));
        remove(&mut frame, "/a/b");
        assert_eq!(frame, json!({ "a": { "c": null } }));
    }

    #[test]
    fn objects_of_a_kind_are_changed_wherever_they_are() {
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
    fn a_frame_is_made_from_another() {
        let frame = json!({ "id": "m1", "usage": { "n": 3 } });

        assert_eq!(
            made(
                r#"{"to":"$/id","all":["$/usage","$/none","plain"]}"#,
                &frame
            ),
            json!({ "to": "m1", "all": [{ "n": 3 }, "$/none", "plain"] })
        );
    }
}
