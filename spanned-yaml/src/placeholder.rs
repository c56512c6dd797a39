//! `{name}` places in texts.
//!
//! A place is an identifier in braces. Braces around anything else are text, and `{{name}}` is the text `{name}`.

use serde_json::Value;
use std::fmt;

/// A part of a text with places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'t> {
    /// Text as it stands.
    Text(&'t str),
    /// A place, by its name.
    Place(&'t str),
}

/// A place whose name stands for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPlace {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing is known under the name `{{{}}}`", self.name)
    }
}

impl std::error::Error for UnknownPlace {}

/// Takes a text apart.
#[must_use]
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('{') {
        let brace = at + found;
        let doubled = text[brace + 1..].starts_with('{');
        let open = brace + usize::from(doubled);
        let close = identifier(&text[open + 1..]).map(|length| open + 1 + length);
        match close {
            Some(close) if doubled && text[close..].starts_with("}}") => {
                push_text(&mut pieces, &text[start..brace]);
                push_text(&mut pieces, &text[open..=close]);
                (start, at) = (close + 2, close + 2);
            }
            Some(close) if !doubled && text[close..].starts_with('}') => {
                push_text(&mut pieces, &text[start..brace]);
                pieces.push(Piece::Place(&text[open + 1..close]));
                (start, at) = (close + 1, close + 1);
            }
            _ => at = brace + 1,
        }
    }
    push_text(&mut pieces, &text[start..]);
    pieces
}

/// Puts values into a text's places. A text that is one place and nothing else becomes the value itself, whatever
/// its type; in a longer text, values other than texts are written as JSON.
///
/// # Errors
/// A place of which `lookup` knows nothing.
pub fn fill<'v>(
    text: &str,
    lookup: impl Fn(&str) -> Option<&'v Value>,
) -> Result<Value, UnknownPlace> {
    let known = |name: &str| {
        lookup(name).ok_or_else(|| UnknownPlace {
            name: name.to_owned(),
        })
    };
    let pieces = pieces(text);
    if let [Piece::Place(name)] = pieces.as_slice() {
        return known(name).cloned();
    }
    let mut filled = String::with_capacity(text.len());
    for piece in pieces {
        match piece {
            Piece::Text(text) => filled.push_str(text),
            Piece::Place(name) => match known(name)? {
                Value::String(text) => filled.push_str(text),
                other => filled.push_str(&other.to_string()),
            },
        }
    }
    Ok(Value::String(filled))
}

fn push_text<'t>(pieces: &mut Vec<Piece<'t>>, text: &'t str) {
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
}

/// The length of the identifier at the start.
fn identifier(text: &str) -> Option<usize> {
    let length = text
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    (length > 0 && !text.as_bytes()[0].is_ascii_digit()).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn filled(text: &str) -> Value {
        let (call, n) = (json!("t1"), json!(7));
        fill(text, |name| match name {
            "call" => Some(&call),
            "n" => Some(&n),
            _ => None,
        })
        .expect("known places")
    }

    #[test]
    fn a_whole_place_keeps_its_type_and_a_part_becomes_text() {
        assert_eq!(filled("{n}"), json!(7));
        assert_eq!(filled("{call}"), json!("t1"));
        assert_eq!(filled("id {call}/{n}"), json!("id t1/7"));
    }

    #[test]
    fn braces_around_anything_else_are_text() {
        for text in [
            "{\"a\": 1}",
            "{}",
            "{ n }",
            "{1}",
            "{n",
            "n}",
            "{",
            "{{",
            "{{}}",
            "{{ n }}",
            "{{n}",
            "größe {ö}",
        ] {
            let expected = if text == "{{n}" { "{7" } else { text };
            assert_eq!(filled(text), json!(expected), "{text}");
        }
    }

    #[test]
    fn doubled_braces_are_one_literal_pair() {
        assert_eq!(filled("{{n}}"), json!("{n}"));
        assert_eq!(filled("{{{n}}}"), json!("{{n}}"));
        assert_eq!(filled("{{n}} {n}"), json!("{n} 7"));
    }

    #[test]
    fn an_unknown_name_is_an_error() {
        assert_eq!(
            fill("a {b}", |_| None),
            Err(UnknownPlace {
                name: "b".to_owned()
            })
        );
    }
}
