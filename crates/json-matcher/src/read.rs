//! JSON with numbers of any size: RFC 8259 sets no limit, and `serde_json` refuses those that no double holds.

use serde_json::Value;

/// Parses a JSON text. Numbers beyond the doubles become the largest double of their sign.
///
/// # Errors
/// The text is not JSON, or too deep.
pub fn read_json(text: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(text).or_else(|error| {
        let text = std::str::from_utf8(text).ok();
        let bounded = text.and_then(|text| with_bounded_numbers(text, &error));
        bounded.map_or(Err(error), |text| serde_json::from_str(&text))
    })
}

/// The text with its numbers beyond the doubles replaced by the largest double of their sign; `None` if the parser failed on something else.
#[must_use]
pub fn with_bounded_numbers(text: &str, error: &serde_json::Error) -> Option<String> {
    if !error.to_string().starts_with("number out of range") {
        return None;
    }
    let mut bounded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
        bounded.push_str(&rest[..at]);
        rest = &rest[at..];
        let token = if rest.starts_with('"') {
            string_length(rest)
        } else {
            let end = rest.find(|c: char| !"+-.eE0123456789".contains(c));
            end.unwrap_or(rest.len())
        };
        match rest[..token].parse::<f64>() {
            Ok(number) if number.is_infinite() => bounded.push_str(if number < 0.0 {
                "-1.7976931348623157e308"
            } else {
                "1.7976931348623157e308"
            }),
            _ => bounded.push_str(&rest[..token]),
        }
        rest = &rest[token..];
    }
    bounded.push_str(rest);
    Some(bounded)
}

/// The length of the string that a text begins with, with its quotes.
fn string_length(text: &str) -> usize {
    let mut is_escaped = true;
    let end = text.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 1)
}
