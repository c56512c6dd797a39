//! Differences between a value and a matcher: where, what was expected, and the actual value.

use serde_json::Value;
use std::fmt;

/// One difference between a value and a matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// JSON Pointer into the value; empty for the whole value.
    pub pointer: String,
    /// JSON Pointer into the matcher as written, to the part that does not match.
    pub matcher_pointer: String,
    /// The expected value, in words.
    pub expected: String,
    /// The actual value: JSON, or `nothing`.
    pub actual: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let location = if self.pointer.is_empty() {
            "the whole"
        } else {
            &self.pointer
        };
        write!(
            f,
            "{location}: expected {}, got {}",
            self.expected, self.actual
        )
    }
}

/// Longest value shown, in characters.
const MAX_SHOWN: usize = 200;

/// A value in a message: JSON, shortened; `nothing` for a missing value.
pub(crate) fn shown(value: Option<&Value>) -> String {
    value.map_or("nothing".to_owned(), |value| shorten(&value.to_string()))
}

/// A text with the characters escaped that a reader cannot see or tell from others: `\u{a0}` for a no-break space, `\u{301}` for an
/// accent of the letter before.
#[must_use]
pub fn escape_hidden(text: &str) -> String {
    text.chars()
        .fold(String::with_capacity(text.len()), |mut out, char| {
            match char {
                '"' | '\'' | '\\' => out.push(char),
                _ => out.extend(char.escape_debug()),
            }
            out
        })
}

/// A text cut to a readable length.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}… ({} characters)", &text[..end], text.chars().count()),
        None => text.to_owned(),
    }
}

/// Items joined by commas and a last `or`.
pub(crate) fn join_or(items: &[String]) -> String {
    match items {
        [] => "nothing at all".to_owned(),
        [one] => one.clone(),
        [start @ .., last] => format!("{} or {last}", start.join(", ")),
    }
}
