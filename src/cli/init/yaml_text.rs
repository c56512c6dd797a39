//! Writes a scenario as YAML for people: a key on each line, an item of a list on each line, everything below in flow style.

use serde_json::Value;

/// A document whose top is a map.
pub(super) fn document(value: &Value) -> String {
    let mut text = String::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        match value {
            Value::Array(items) if !items.is_empty() && !items.iter().all(Value::is_string) => {
                text += &format!("{key}:\n");
                for item in items {
                    text += &format!("  - {}\n", self::item(item));
                }
            }
            other => text += &format!("{key}: {}\n", flow(other)),
        }
    }
    text
}

/// An item of a list; a map with one key, such as a step, needs no braces.
fn item(value: &Value) -> String {
    match value.as_object() {
        Some(map) if map.len() == 1 => {
            let entries = map.iter().map(|(key, value)| match value {
                Value::Null => format!("{key}:"),
                value => format!("{key}: {}", flow(value)),
            });
            entries.collect()
        }
        _ => flow(value),
    }
}

fn flow(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(", ");
    match value {
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let entries = map.iter();
            let entries = entries.map(|(key, value)| format!("{}: {}", scalar(key), flow(value)));
            format!("{{ {} }}", list(entries.collect()))
        }
        Value::Array(items) => format!("[{}]", list(items.iter().map(flow).collect())),
        Value::String(text) => scalar(text),
        other => other.to_string(),
    }
}

/// A text, quoted if YAML could take it for something else.
pub(super) fn scalar(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_$./- ".contains(c);
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '$' || c == '_')
        && text.chars().all(is_word)
        && text.trim() == text
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str());
    if is_plain {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_is_read_as_it_was_written() {
        let value = json!({
            "name": "a turn: \"whole\"",
            "clauses": ["a.b"],
            "model": [{ "text": ["Hi!", " there", "no", "- x"] }],
            "steps": [
                { "expect": { "type": "ready", "n": [1, 2.5, true, null], "o": {} } },
                { "close_stdin": null },
                { "expect": { "id": "{call}" }, "capture": { "c": "/id" } },
            ],
            "budgets": { "idle": "5s" },
        });
        let text = document(&value);
        let node = spanned_yaml::load_yaml("x.yaml", &text).unwrap();
        assert_eq!(node.to_value(), value, "{text}");
        assert!(text.contains("\n  - close_stdin:\n"), "{text}");
    }
}
