//! What serde says when a value does not fit, and on its way out the place it is about.

use super::{Error, Node, Span, kinds, unknown};
use serde::de::{self, Expected, Unexpected};
use std::fmt;

/// A refusal, from the innermost value outwards.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) message: String,
    pub(super) span: Option<Span>,
    /// The way to the value, innermost step first.
    pub(super) way: Vec<Step>,
    /// The key that a map lacked, if that is what is wrong.
    pub(super) missing: Option<&'static str>,
}

/// One step into a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Item(usize),
    Entry(String),
}

impl Refusal {
    fn new(message: String) -> Self {
        Refusal {
            message,
            span: None,
            way: Vec::new(),
            missing: None,
        }
    }

    /// Names the place, unless an inner one was named.
    pub(super) fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }

    pub(super) fn within(mut self, step: Step) -> Self {
        self.way.push(step);
        self
    }

    pub(super) fn into_error(self, root: &Node) -> Error {
        root.error_at(self.span.unwrap_or(root.span()), self.message)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

impl de::Error for Refusal {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Refusal::new(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Refusal::new(format!(
            "expected {}, found {}",
            kinds::wanted(wanted),
            kinds::found(&found)
        ))
    }

    fn invalid_value(found: Unexpected<'_>, wanted: &dyn Expected) -> Self {
        Self::invalid_type(found, wanted)
    }

    fn invalid_length(len: usize, wanted: &dyn Expected) -> Self {
        Refusal::new(format!(
            "expected {}, found {len} of them",
            kinds::wanted(wanted)
        ))
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        Refusal::new(unknown("word", name, known.iter().copied()))
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        Refusal::new(unknown("key", name, known.iter().copied()))
    }

    fn missing_field(name: &'static str) -> Self {
        Refusal {
            missing: Some(name),
            ..Refusal::new(format!("the key `{name}` is missing"))
        }
    }
}
