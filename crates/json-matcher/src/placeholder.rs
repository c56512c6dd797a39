//! `{name}` placeholders in texts.
//!
//! A placeholder is an identifier in braces. Braces around anything else are text, and `{{name}}` is the text `{name}`.

use serde_json::Value;
use spanned_yaml::Pointer;
use std::fmt;

/// A part of a text with placeholders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment<'t> {
    /// Literal text.
    Text(&'t str),
    /// A placeholder, by its name.
    Placeholder(&'t str),
}

/// A placeholder whose name is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownPlaceholder {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownPlaceholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing is known under the name `{{{}}}`", self.name)
    }
}

impl std::error::Error for UnknownPlaceholder {}

/// The segments of a text.
pub fn segments(text: &str) -> Vec<Segment<'_>> {
    let mut segments = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('{') {
        let brace = at + found;
        let doubled = text[brace + 1..].starts_with('{');
        let open = brace + usize::from(doubled);
        let close = identifier(&text[open + 1..]).map(|length| open + 1 + length);
        match close {
            Some(close) if doubled && text[close..].starts_with("}}") => {
                push_text(&mut segments, &text[start..brace]);
                push_text(&mut segments, &text[open..=close]);
                (start, at) = (close + 2, close + 2);
            }
            Some(close) if !doubled && text[close..].starts_with('}') => {
                push_text(&mut segments, &text[start..brace]);
                segments.push(Segment::Placeholder(&text[open + 1..close]));
                (start, at) = (close + 1, close + 1);
            }
            _ => at = brace + 1,
        }
    }
    push_text(&mut segments, &text[start..]);
    segments
}

/// Fills the placeholders of a text. A text that is one placeholder and nothing else becomes the value itself, of any
/// type; in a longer text, values other than texts are written as JSON.
///
/// # Errors
/// A placeholder whose name `lookup` does not know.
pub fn fill<'v>(
    text: &str,
    lookup: impl Fn(&str) -> Option<&'v Value>,
) -> Result<Value, UnknownPlaceholder> {
    let known = |name: &str| {
        lookup(name).ok_or_else(|| UnknownPlaceholder {
            name: name.to_owned(),
        })
    };
    let segments = segments(text);
    if let [Segment::Placeholder(name)] = segments.as_slice() {
        return known(name).cloned();
    }
    let mut filled = String::with_capacity(text.len());
    for segment in segments {
        match segment {
            Segment::Text(text) => filled.push_str(text),
            Segment::Placeholder(name) => match known(name)? {
                Value::String(text) => filled.push_str(text),
                other => filled.push_str(&other.to_string()),
            },
        }
    }
    Ok(Value::String(filled))
}

/// The text as written where it has no placeholders: `{name}` becomes `{{name}}`.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(brace) = rest.find('{') {
        escaped.push_str(&rest[..brace]);
        rest = &rest[brace..];
        let name = identifier(&rest[1..]).map(|length| length + 2);
        let name = name.filter(|end| rest[end - 1..].starts_with('}'));
        match name {
            Some(end) => {
                escaped.push('{');
                escaped.push_str(&rest[..end]);
                escaped.push('}');
                rest = &rest[end..];
            }
            None => {
                escaped.push('{');
                rest = &rest[1..];
            }
        }
    }
    escaped.push_str(rest);
    escaped
}

/// A placeholder in a JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placeholder {
    /// JSON Pointer to the text with the placeholder.
    pub pointer: String,
    /// The name.
    pub name: String,
}

/// The placeholders in every text of a matcher or template, in order. In a `$regex` the braces of `\p{…}` are text.
pub fn placeholders(value: &Value) -> Vec<Placeholder> {
    let mut found = Vec::new();
    collect(value, &Pointer::Root, false, &mut found);
    found
}

fn collect(value: &Value, pointer: &Pointer<'_>, is_regex: bool, found: &mut Vec<Placeholder>) {
    match value {
        Value::String(text) => {
            let segments = if is_regex {
                regex_segments(text)
            } else {
                segments(text)
            };
            let names = segments.into_iter().filter_map(|segment| match segment {
                Segment::Placeholder(name) => Some(name),
                Segment::Text(_) => None,
            });
            found.extend(names.map(|name| Placeholder {
                pointer: pointer.to_string(),
                name: name.to_owned(),
            }));
        }
        Value::Array(items) => items.iter().enumerate().for_each(|(index, item)| {
            collect(item, &Pointer::Item(pointer, index), false, found);
        }),
        Value::Object(entries) => entries.iter().for_each(|(key, value)| {
            collect(value, &Pointer::Entry(pointer, key), key == "$regex", found);
        }),
        _ => {}
    }
}

/// The segments of a regular expression. The braces of `\p{…}`, `\x{…}` and `\u{…}` belong to the expression.
pub(crate) fn regex_segments(pattern: &str) -> Vec<Segment<'_>> {
    let segments = segments(pattern).into_iter().map(|segment| match segment {
        Segment::Placeholder(name) => {
            let open = name.as_ptr().addr() - pattern.as_ptr().addr() - 1;
            if ends_in_class(&pattern[..open]) {
                Segment::Text(&pattern[open..open + name.len() + 2])
            } else {
                segment
            }
        }
        Segment::Text(_) => segment,
    });
    segments.collect()
}

fn ends_in_class(pattern: &str) -> bool {
    ["\\p", "\\P", "\\x", "\\u", "\\U"]
        .iter()
        .any(|class| pattern.ends_with(class))
}

fn push_text<'t>(segments: &mut Vec<Segment<'t>>, text: &'t str) {
    if !text.is_empty() {
        segments.push(Segment::Text(text));
    }
}

/// Whether a text can be the name of a placeholder.
pub fn is_name(text: &str) -> bool {
    identifier(text) == Some(text.len())
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
        .expect("known names")
    }

    #[test]
    fn a_whole_placeholder_keeps_its_type_and_a_part_becomes_text() {
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
            Err(UnknownPlaceholder {
                name: "b".to_owned()
            })
        );
    }
}
