//! The error type of the deserializer: serde's errors in the words of the user, with the location and the path of the value.

use crate::error::{Error, Span};
use crate::node::{Node, describe_text};
use crate::suggest::unknown;
use serde::de::{self, Expected, Unexpected};
use std::fmt;

/// A value that does not fit its type. The deserializer adds the location and the path, from the innermost value outwards.
#[derive(Debug)]
pub(crate) struct DecodeError {
    pub(crate) message: String,
    pub(crate) span: Option<Span>,
    /// The path to the value, innermost step first.
    pub(crate) path: Vec<PathStep>,
    /// The key that a map lacks, if that is the mistake.
    pub(crate) missing_key: Option<&'static str>,
    /// Whether the mistake is a map without the key that it must have.
    pub(crate) is_empty_map: bool,
}

/// One step of the path to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathStep {
    Item(usize),
    Entry(String),
}

impl DecodeError {
    fn new(message: String) -> Self {
        DecodeError {
            message,
            span: None,
            path: Vec::new(),
            missing_key: None,
            is_empty_map: false,
        }
    }

    pub(super) fn of_empty_map() -> Self {
        DecodeError {
            is_empty_map: true,
            ..DecodeError::new("expected a map with one key, found one with 0".to_owned())
        }
    }

    /// Sets the location, unless an inner value has set it.
    pub(super) fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }

    /// Adds a step to the path, outwards.
    pub(super) fn within(mut self, step: PathStep) -> Self {
        self.path.push(step);
        self
    }

    pub(super) fn into_error(self, root: &Node) -> Error {
        root.error_at(self.span.unwrap_or(root.span()), self.message)
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        DecodeError::new(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        DecodeError::new(format!(
            "expected {}, found {}",
            describe_expected(expected),
            describe_found(&found)
        ))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(len: usize, expected: &dyn Expected) -> Self {
        DecodeError::new(format!(
            "expected {}, found {len} of them",
            describe_expected(expected)
        ))
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        DecodeError::new(unknown("word", name, known.iter().copied()))
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        DecodeError::new(unknown("key", name, known.iter().copied()))
    }

    fn missing_field(name: &'static str) -> Self {
        DecodeError {
            missing_key: Some(name),
            ..DecodeError::new(format!("the key `{name}` is missing"))
        }
    }
}

/// Serde's names of the expected kinds, and those of our messages. A name that ends in a space is a prefix.
const EXPECTED: &[(&str, &str)] = &[
    ("a string", "text"),
    ("a sequence", "a list"),
    ("a boolean", "true or false"),
    ("a map", "a map"),
    ("unit", "nothing"),
    ("f32", "a number"),
    ("f64", "a number"),
    ("u8", "a whole number from 0 to 255"),
    ("u16", "a whole number from 0 to 65535"),
    ("u32", "a whole number, 0 or more"),
    ("u64", "a whole number, 0 or more"),
    ("usize", "a whole number, 0 or more"),
    ("i32", "a whole number"),
    ("i64", "a whole number"),
    ("struct ", "a map"),
    ("enum ", "one of a few words"),
    ("tuple struct ", "a list"),
];

/// The value that serde found, in the words of an error message.
fn describe_found(unexpected: &Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Unsigned(number) => format!("the number {number}"),
        Unexpected::Signed(number) => format!("the number {number}"),
        Unexpected::Float(number) => format!("the number {number}"),
        Unexpected::Str(text) => describe_text(text),
        Unexpected::Unit | Unexpected::Option => "nothing".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a map".to_owned(),
        other => other.to_string(),
    }
}

/// The kind that serde expected, in the words of an error message.
fn describe_expected(expected: &dyn Expected) -> String {
    let name = expected.to_string();
    let ours = EXPECTED.iter().find(|(theirs, _)| {
        if theirs.ends_with(' ') {
            name.starts_with(theirs)
        } else {
            name == *theirs
        }
    });
    ours.map_or(name, |(_, ours)| (*ours).to_owned())
}
