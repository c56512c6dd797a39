//! `$regex`, `$contains`.

use super::{Check, Compiled, operand};
use crate::matcher::pattern::{At, Pattern};
use crate::matcher::{Captures, words};
use regex::Regex;
use serde_json::Value;
use spanned_yaml::{Node, Piece, UnknownPlace};
use std::sync::Arc;

/// A regular expression without places.
#[derive(Debug)]
struct Fixed(Regex);

/// A regular expression in which captured values stand literally: text before each place, then its name.
#[derive(Debug)]
struct Filled {
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Pattern(String),
    Place(String),
}

impl From<Piece<'_>> for Part {
    fn from(piece: Piece<'_>) -> Self {
        match piece {
            Piece::Text(text) => Part::Pattern(text.to_owned()),
            Piece::Place(name) => Part::Place(name.to_owned()),
        }
    }
}

#[derive(Debug)]
struct Contains(Pattern);

pub(super) fn regex(node: &Node) -> Compiled {
    let pattern = node
        .as_str()
        .ok_or_else(|| operand::wanted(node, "a regular expression"))?;
    let filled = Filled {
        parts: pieces(pattern).into_iter().map(Part::from).collect(),
    };
    let tried = filled
        .with(|_| Ok("x".to_owned()))
        .map(|pattern| Regex::new(&pattern));
    match tried {
        Ok(Ok(regex)) if filled.has_no_places() => Ok(Arc::new(Fixed(regex))),
        Ok(Ok(_)) => Ok(Arc::new(filled)),
        Ok(Err(error)) => Err(vec![node.error(format!(
            "not a regular expression: {}",
            last_line(&error.to_string())
        ))]),
        Err(UnknownPlace { name }) => Err(vec![node.error(format!("unknown name `{name}`"))]),
    }
}

pub(super) fn contains(node: &Node) -> Compiled {
    Ok(Arc::new(Contains(operand::matcher(node)?)))
}

impl Check for Fixed {
    fn holds(&self, value: Option<&Value>, _: &At<'_>) -> bool {
        value
            .and_then(Value::as_str)
            .is_some_and(|text| self.0.is_match(text))
    }

    fn expected(&self, _: &Captures) -> String {
        format!("a text matching /{}/", self.0)
    }
}

impl Check for Filled {
    fn holds(&self, value: Option<&Value>, at: &At<'_>) -> bool {
        let regex = self
            .with(|name| place(name, at.captures))
            .ok()
            .and_then(|pattern| Regex::new(&pattern).ok());
        regex
            .zip(value.and_then(Value::as_str))
            .is_some_and(|(regex, text)| regex.is_match(text))
    }

    fn expected(&self, captures: &Captures) -> String {
        match self.with(|name| place(name, captures)) {
            Ok(pattern) => format!("a text matching /{pattern}/"),
            Err(error) => error.to_string(),
        }
    }
}

impl Filled {
    fn has_no_places(&self) -> bool {
        self.parts
            .iter()
            .all(|part| matches!(part, Part::Pattern(_)))
    }

    fn with(
        &self,
        fill: impl Fn(&str) -> Result<String, UnknownPlace>,
    ) -> Result<String, UnknownPlace> {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Pattern(text) => Ok(text.clone()),
                Part::Place(name) => fill(name).map(|text| regex::escape(&text)),
            })
            .collect()
    }
}

fn place(name: &str, captures: &Captures) -> Result<String, UnknownPlace> {
    match captures.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(other) => Ok(other.to_string()),
        None => Err(UnknownPlace {
            name: name.to_owned(),
        }),
    }
}

/// Takes a pattern apart at its places; the braces of `\p{…}`, `\x{…}` and `\u{…}` belong to the expression.
pub(in crate::matcher) fn pieces(pattern: &str) -> Vec<Piece<'_>> {
    let pieces = spanned_yaml::pieces(pattern)
        .into_iter()
        .map(|piece| match piece {
            Piece::Place(name) => {
                let open = name.as_ptr().addr() - pattern.as_ptr().addr() - 1;
                if ends_in_class(&pattern[..open]) {
                    Piece::Text(&pattern[open..open + name.len() + 2])
                } else {
                    piece
                }
            }
            Piece::Text(_) => piece,
        });
    pieces.collect()
}

fn ends_in_class(pattern: &str) -> bool {
    ["\\p", "\\P", "\\x", "\\u", "\\U"]
        .iter()
        .any(|class| pattern.ends_with(class))
}

/// The regex crate draws a picture of several lines; the last says what is wrong.
fn last_line(message: &str) -> &str {
    let line = message.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line)
}

impl Check for Contains {
    fn holds(&self, value: Option<&Value>, at: &At<'_>) -> bool {
        match value {
            Some(Value::String(text)) => {
                let part = self.0.literal(at.captures);
                part.is_some_and(|part| part.as_str().is_some_and(|part| text.contains(part)))
            }
            Some(Value::Array(items)) => items.iter().any(|item| self.0.holds(Some(item), at)),
            _ => false,
        }
    }

    fn expected(&self, captures: &Captures) -> String {
        words::shorten(&format!(
            "a value that contains {}",
            self.0.expected(captures)
        ))
    }
}
