//! Frames as lines, and changes of their bytes.

use crate::operation::{Bytes, Operation};
use frame_language::Pointer;
use serde_json::Value;

/// A text that no frame has: the place where bytes are put in.
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
