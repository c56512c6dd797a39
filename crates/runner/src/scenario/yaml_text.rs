//! Writes a scenario as YAML for people: a key on each line, an item of a list on each line, everything below in flow style.

use serde_json::{Map, Value};

/// From this length on, in bytes, a text that repeats a piece is written as the piece and the number of times.
const LONG: usize = 64;

/// A document whose top is a map.
#[must_use]
pub fn document(value: &Value) -> String {
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

/// An item of a list; a map, such as a step, has a key on each line and needs no braces.
fn item(value: &Value) -> String {
    match value.as_object() {
        Some(map) if !map.is_empty() => {
            let entries = map.iter().map(|(key, value)| match value {
                Value::Null => format!("{}:", scalar(key)),
                Value::Array(items) if items.len() > 1 && items.iter().all(Value::is_object) => {
                    let lines = items.iter().map(|item| format!("\n      - {}", flow(item)));
                    format!("{}:{}", scalar(key), lines.collect::<String>())
                }
                value => format!("{}: {}", scalar(key), flow(value)),
            });
            entries.collect::<Vec<_>>().join("\n    ")
        }
        _ => flow(value),
    }
}

fn flow(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(", ");
    match value {
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let entries = map
                .iter()
                .map(|(key, value)| format!("{}: {}", scalar(key), flow(value)));
            format!("{{ {} }}", list(entries.collect()))
        }
        Value::Array(items) => format!("[{}]", list(items.iter().map(flow).collect())),
        Value::String(text) => match in_short(text) {
            Some((piece, times)) => flow(&Value::Object(Map::from_iter([
                ("repeat".to_owned(), piece.into()),
                ("times".to_owned(), times.into()),
            ]))),
            None => scalar(text),
        },
        other => other.to_string(),
    }
}

/// The shortest piece that a long text repeats, and how often; none if it would be read as something else.
fn in_short(text: &str) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    if bytes.len() < LONG {
        return None;
    }
    // The longest proper prefix that is also an end, for each prefix (Knuth, Morris and Pratt).
    let mut borders = vec![0; bytes.len()];
    for at in 1..bytes.len() {
        let mut border: usize = borders[at - 1];
        while border > 0 && bytes[border] != bytes[at] {
            border = borders[border - 1];
        }
        borders[at] = border + usize::from(bytes[border] == bytes[at]);
    }
    let length = bytes.len() - borders[bytes.len() - 1];
    let piece = text.get(..length)?;
    let is_short = length < LONG && bytes.len().is_multiple_of(length);
    (is_short && !piece.contains("{n}")).then_some((piece, bytes.len() / length))
}

/// A text, quoted if YAML could take it for something else.
#[must_use]
pub fn scalar(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_$./- ".contains(c);
    let starts_plain = |c: char| c.is_ascii_alphabetic() || "$_/".contains(c);
    let is_option = text
        .strip_prefix("--")
        .is_some_and(|rest| rest.starts_with(starts_plain));
    let is_plain = (text.starts_with(starts_plain) || is_option || is_duration(text))
        && text.chars().all(is_word)
        && text.trim() == text
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str());
    if is_plain {
        return text.to_owned();
    }
    let is_shown = |c: char| visible(c).chars().eq([c]);
    if text.contains(['"', '\\']) && text.chars().all(is_shown) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let quoted = Value::from(text).to_string();
    quoted.chars().map(visible).collect()
}

fn is_duration(text: &str) -> bool {
    let number = text.strip_suffix("ms").or(text.strip_suffix('s'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// A character, escaped if a reader could not see or recognize it: other controls than JSON escapes, blanks without width,
/// directions, marks on the letter before, byte order marks.
fn visible(c: char) -> String {
    let is_hidden = c.is_control()
        || matches!(c, '\u{a0}' | '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}');
    match u32::from(c) {
        code if is_hidden => format!("\\u{code:04x}"),
        code if code & 0xfffe == 0xfffe || code >= 0xe_0000 => format!("\\U{code:08x}"),
        _ => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
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
                { "unordered": [{ "type": "end" }, { "type": "bye" }], "level": "may" },
                { "send_raw": "{\"it's\": \"\\\\d\"" },
                { "expect": { "id": "{call}" }, "capture": { "c": "/id" } },
            ],
            "budgets": { "idle": "5s" },
        });
        let text = document(&value);
        let node = spanned_yaml::load_yaml("x.yaml", &text).unwrap();
        assert_eq!(node.to_value(), value, "{text}");
        assert!(text.contains("\n  - close_stdin:\n"), "{text}");
        let listed =
            "\n  - unordered:\n      - { type: end }\n      - { type: bye }\n    level: may\n";
        assert!(text.contains(listed), "{text}");
        assert!(text.contains(r#"send_raw: '{"it''s": "\\d"'"#), "{text}");
        assert!(text.contains("}\n    capture: { c: /id }\n"), "{text}");
    }

    #[test]
    fn a_long_text_of_one_piece_is_written_in_short() {
        let value = json!({ "text": "abc ".repeat(20), "other": "{n}".repeat(40) });
        let text = document(&value);
        assert!(
            text.starts_with("text: { repeat: \"abc \", times: 20 }\nother: \"{n}{n}"),
            "{text}"
        );
        let node = spanned_yaml::load_yaml("x.yaml", &text).unwrap();
        assert_eq!(node.to_value(), value);
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_it_was_written(text in any::<String>(), times in 1..90_usize) {
            let value = json!({ "text": text, "in": [{ "list": text.repeat(times) }] });
            let node = spanned_yaml::load_yaml("x.yaml", &document(&value));
            prop_assert_eq!(node.unwrap().to_value(), value);
        }
    }
}
