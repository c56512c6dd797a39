//! The results of tools that the host was shown, compared with those that the model gets.

use super::request::{Content, Contents, quoted};
use serde_json::Value;

/// Whether the model gets results that the host was shown, and one that is another.
pub(super) fn not_given(shown: &[(String, String)], contents: &Contents) -> (bool, Option<String>) {
    let given = |call: &String| {
        let mut results = contents.list.iter().rev();
        results.find_map(|(_, content)| match content {
            Content::Result(id, text) if id == call => Some(text),
            _ => None,
        })
    };
    let pairs = shown.iter();
    let pairs = pairs.filter_map(|(call, text)| Some((call, text, given(call)?)));
    let mut pairs = pairs.peekable();
    let is_exercised = pairs.peek().is_some();
    let other = pairs.find(|(_, text, given)| !is_given(text, given));
    let message = other.map(|(call, text, given)| {
        let (given, text) = (quoted(given), quoted(text));
        format!(
            "the request holds the result {given} for the call `{call}`; the host was shown {text}"
        )
    });
    (is_exercised, message)
}

/// Whether a result can be the one that was shown: either may be cut, or have more around it.
fn is_given(shown: &str, given: &str) -> bool {
    // A frame around an output, or JSON that holds it, may be all that the host is shown.
    let is_framed = given.trim().is_empty() || shown.trim_start().starts_with('{');
    let is_short = shown.len() < MEANT;
    is_short || is_framed || has_beginning(given, shown) || has_beginning(shown, given)
}

/// Shortest result, in bytes, that is more than a word such as "ok", which may mean nothing.
const MEANT: usize = 20;

/// Whether the beginning of a text with content is in another one, or in the strings of its JSON.
fn has_beginning(whole: &str, text: &str) -> bool {
    const BEGINNING: usize = 40;
    let line = text.trim().lines().next().unwrap_or_default();
    let end = line.char_indices().nth(BEGINNING);
    let end = end.map_or(line.len(), |(end, _)| end);
    let escaped = Value::from(&line[..end]).to_string();
    !line.is_empty() && (whole.contains(&line[..end]) || whole.contains(escaped.trim_matches('"')))
}
