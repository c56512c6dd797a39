//! Values in words fit for a failure.

use serde_json::Value;

/// Longest value shown, in characters.
const LONGEST: usize = 200;

/// A value as it is shown: JSON, shortened; `nothing` for none.
pub(super) fn shown(value: Option<&Value>) -> String {
    value.map_or("nothing".to_owned(), |value| shorten(&value.to_string()))
}

/// A text cut to a length that reads well.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… ({} characters)", &text[..end], text.chars().count()),
        None => text.to_owned(),
    }
}

/// Things joined by commas and a last `or`.
pub(super) fn either(things: &[String]) -> String {
    match things {
        [] => "nothing at all".to_owned(),
        [one] => one.clone(),
        [start @ .., last] => format!("{} or {last}", start.join(", ")),
    }
}
