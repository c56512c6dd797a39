//! JSON with numbers of any size: RFC 8259 sets no limit, and `serde_json` refuses those that no double holds.

use serde_json::{Number, Value};

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
    let (mut bounded, mut from) = (String::with_capacity(text.len()), 0);
    for (at, token) in numbers(text) {
        if let Some(number) = out_of_range(token) {
            bounded.push_str(&text[from..at]);
            bounded.push_str(&number.to_string());
            from = at + token.len();
        }
    }
    bounded.push_str(&text[from..]);
    Some(bounded)
}

/// The largest double of the sign of a number that no double holds.
fn out_of_range(token: &str) -> Option<Number> {
    let number = token
        .parse::<f64>()
        .ok()
        .filter(|number| number.is_infinite())?;
    Number::from_f64(f64::MAX.copysign(number))
}

/// A message about a JSON text, with the numbers of that text as they are written there: `1e2`, not `100.0`.
#[must_use]
pub fn numbers_as_written(message: &str, json: &str) -> String {
    let is_fraction = |three: &[u8]| three[0].is_ascii_digit() && matches!(three[1], b'.' | b'e');
    let mut message = message.to_owned();
    if !message.as_bytes().windows(3).any(is_fraction) {
        return message;
    }
    for (_, written) in numbers(json) {
        let read = out_of_range(written).or_else(|| serde_json::from_str(written).ok());
        let Some(read) = read
            .map(|number| number.to_string())
            .filter(|read| read != written)
        else {
            continue;
        };
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | '+' | '-');
        let whole = |(at, _): &(usize, &str)| {
            let (before, after) = (&message[..*at], &message[at + read.len()..]);
            !before.ends_with(is_number) && !after.starts_with(|c: char| c.is_ascii_digit())
        };
        let places: Vec<usize> = message
            .match_indices(&read)
            .filter(whole)
            .map(|(at, _)| at)
            .collect();
        for at in places.into_iter().rev() {
            message.replace_range(at..at + read.len(), written);
        }
    }
    message
}

/// The numbers of a JSON text, each with its place.
fn numbers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let first = |c: char| c == '"' || c == '-' || c.is_ascii_digit();
            let at = from + text[from..].find(first)?;
            let rest = &text[at..];
            if rest.starts_with('"') {
                from = at + string_length(rest);
                continue;
            }
            let end = rest.find(|c: char| !"+-.eE0123456789".contains(c));
            from = at + end.unwrap_or(rest.len());
            return Some((at, &text[at..from]));
        }
    })
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
