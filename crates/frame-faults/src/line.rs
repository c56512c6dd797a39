//! Frames as lines, and changes of their bytes.

use crate::operation::{Bytes, Operation, Spelling};
use frame_language::Pointer;
use serde_json::Value;

/// A text that no frame has, as a marker for the place where bytes are inserted.
const MARK: &str = "\u{f8ff}mark\u{f8ff}";

/// A frame as a line, with U+2028 and U+2029 as they are.
#[must_use]
pub fn raw_line(frame: &Value) -> Vec<u8> {
    let mut text = frame.to_string();
    text.push('\n');
    text.into_bytes()
}

/// A frame as a line. U+2028 and U+2029 are escaped: some readers take them for the end of a line.
#[must_use]
pub fn line(frame: &Value) -> Vec<u8> {
    let mut text = frame.to_string();
    for (raw, escaped) in [('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")] {
        if text.contains(raw) {
            text = text.replace(raw, escaped);
        }
    }
    text.push('\n');
    text.into_bytes()
}

/// The line of a frame with its bytes changed; `None` for an operation that does not change them. `plain` is the line as it is.
pub(crate) fn changed(
    operation: &Operation,
    text: Option<&Pointer>,
    frame: &Value,
    plain: &[u8],
) -> Option<Vec<u8>> {
    Some(match operation {
        Operation::RawBefore(Bytes(bytes)) => [bytes, plain].concat(),
        Operation::RawInText(Bytes(bytes)) => {
            let changed = text.and_then(|text| in_text(frame, text, bytes));
            changed.unwrap_or_else(|| plain.to_vec())
        }
        Operation::LineEnd(Bytes(end)) => {
            let text = plain.strip_suffix(b"\n").unwrap_or(plain);
            [text, end].concat()
        }
        Operation::RawInBrace(Bytes(bytes)) => {
            let brace = plain.iter().position(|byte| *byte == b'{');
            put(plain, brace.map_or(0, |brace| brace + 1), bytes)
        }
        Operation::RawInMiddle(Bytes(bytes)) => put(plain, plain.len() / 2, bytes),
        _ => return None,
    })
}

/// The line of a frame in another spelling.
pub(crate) fn spelled(frame: &Value, spelling: Spelling) -> Vec<u8> {
    match spelling {
        Spelling::Reversed => line(&reversed(frame)),
        Spelling::Escaped => {
            let text = String::from_utf8(line(frame)).unwrap_or_default();
            let mut escaped = String::new();
            for character in text.chars() {
                match character {
                    '/' => escaped.push_str("\\/"),
                    ascii if ascii.is_ascii() => escaped.push(ascii),
                    other => {
                        let units = other.encode_utf16(&mut [0; 2]).to_vec();
                        escaped.extend(units.iter().map(|unit| format!("\\u{unit:04X}")));
                    }
                }
            }
            escaped.into_bytes()
        }
        Spelling::Spaced => {
            let mut text = String::from(" \t");
            space(frame, &mut text);
            text + " \n"
        }
        .into_bytes(),
    }
}

fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().rev();
            Value::Object(
                members
                    .map(|(name, part)| (name.clone(), reversed(part)))
                    .collect(),
            )
        }
        Value::Array(items) => items.iter().map(reversed).collect(),
        plain => plain.clone(),
    }
}

/// Writes a value with white space between all of its parts.
fn space(value: &Value, text: &mut String) {
    let mut list = |open: char, close: char, parts: Vec<(Option<&String>, &Value)>| {
        text.push(open);
        for (n, (name, part)) in parts.into_iter().enumerate() {
            text.push_str(if n == 0 { " " } else { " ,\t" });
            if let Some(name) = name {
                text.push_str(&format!("{} : ", Value::from(name.as_str())));
            }
            space(part, text);
        }
        text.push(' ');
        text.push(close);
    };
    match value {
        Value::Object(members) => {
            list(
                '{',
                '}',
                members
                    .iter()
                    .map(|(name, part)| (Some(name), part))
                    .collect(),
            );
        }
        Value::Array(items) => list('[', ']', items.iter().map(|item| (None, item)).collect()),
        plain => text.push_str(&plain.to_string()),
    }
}

fn put(line: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    [&line[..at], bytes, &line[at..]].concat()
}

/// Puts bytes at the beginning of a text; `None` if the frame has none there.
fn in_text(frame: &Value, at: &Pointer, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut marked = frame.clone();
    let place = at.places(frame).into_iter().next()?;
    match marked.pointer_mut(&place)? {
        Value::String(text) => text.insert_str(0, MARK),
        _ => return None,
    }
    let line = line(&marked);
    let start = find(&line, MARK.as_bytes())?;
    Some([&line[..start], bytes, &line[start + MARK.len()..]].concat())
}

fn find(line: &[u8], part: &[u8]) -> Option<usize> {
    line.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn line_separators_are_escaped() {
        let frame = json!({ "text": "a\u{2028}b\u{2029}" });

        assert_eq!(line(&frame), b"{\"text\":\"a\\u2028b\\u2029\"}\n");
        let raw = "{\"text\":\"a\u{2028}b\u{2029}\"}\n";
        assert_eq!(raw_line(&frame), raw.as_bytes());
    }
}
