//! The compiled form.

use super::mismatch::Differences;
use super::ops::Check;
use super::pointer::Pointer;
use super::same::same;
use super::{Captures, words};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// A compiled matcher, or a part of one.
#[derive(Debug, Clone)]
pub(super) enum Pattern {
    /// Equal to a scalar.
    Scalar(Value),
    /// Equal to a text with places.
    Text(String),
    /// An object with at least these entries.
    Object(Vec<(String, Pattern)>),
    /// A list of exactly these elements.
    List(Vec<Pattern>),
    /// All of these hold.
    Checks(Vec<Arc<dyn Check>>),
}

/// Where in a value a check stands, and what is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) pointer: &'a Pointer<'a>,
    pub(super) captures: &'a Captures,
}

impl<'a> At<'a> {
    pub(super) fn root(captures: &'a Captures) -> Self {
        At {
            pointer: &Pointer::Root,
            captures,
        }
    }

    pub(super) fn below(self, pointer: &'a Pointer<'a>) -> Self {
        At { pointer, ..self }
    }
}

impl Pattern {
    /// Adds what differs; `None` is an entry that the object lacks.
    pub(super) fn check(&self, value: Option<&Value>, at: &At<'_>, out: &mut Differences) {
        if out.is_full() {
            return;
        }
        match (self, value) {
            (Pattern::Checks(checks), _) => {
                checks.iter().for_each(|check| check.check(value, at, out))
            }
            (Pattern::Object(entries), Some(Value::Object(object))) => {
                for (name, pattern) in entries {
                    pattern.check(
                        object.get(name),
                        &at.below(&Pointer::Entry(at.pointer, name)),
                        out,
                    );
                }
            }
            (Pattern::List(patterns), Some(Value::Array(items)))
                if patterns.len() == items.len() =>
            {
                for (index, (pattern, item)) in patterns.iter().zip(items).enumerate() {
                    pattern.check(
                        Some(item),
                        &at.below(&Pointer::Item(at.pointer, index)),
                        out,
                    );
                }
            }
            (Pattern::Scalar(_) | Pattern::Text(_), Some(value))
                if self
                    .literal(at.captures)
                    .is_some_and(|wanted| same(&wanted, value)) => {}
            (_, value) => out.push(at.pointer, self.expected(at.captures), value),
        }
    }

    /// Whether nothing differs.
    pub(super) fn holds(&self, value: Option<&Value>, at: &At<'_>) -> bool {
        let mut differences = Differences::at_most(1);
        self.check(value, at, &mut differences);
        differences.is_empty()
    }

    /// What is wanted, in words that follow "expected".
    pub(super) fn expected(&self, captures: &Captures) -> String {
        match self {
            Pattern::Scalar(value) => value.to_string(),
            Pattern::Text(text) => {
                let known = self.literal(captures);
                known.map_or_else(
                    || format!("{text:?}, which holds an unknown name"),
                    |value| words::shown(Some(&value)),
                )
            }
            Pattern::Object(entries) if entries.is_empty() => "an object".to_owned(),
            Pattern::Object(entries) => {
                let entries = entries
                    .iter()
                    .map(|(name, one)| format!("{name}: {}", one.expected(captures)));
                words::shorten(&format!(
                    "an object with {{{}}}",
                    entries.collect::<Vec<_>>().join(", ")
                ))
            }
            Pattern::List(items) => {
                let shown = items
                    .iter()
                    .map(|item| item.expected(captures))
                    .collect::<Vec<_>>()
                    .join(", ");
                words::shorten(&format!("a list of {}: [{shown}]", items.len()))
            }
            Pattern::Checks(checks) => checks
                .iter()
                .map(|check| check.expected(captures))
                .collect::<Vec<_>>()
                .join(", and "),
        }
    }

    /// The literal it stands for, if it is one and its places are known.
    pub(super) fn literal(&self, captures: &Captures) -> Option<Cow<'_, Value>> {
        match self {
            Pattern::Scalar(value) => Some(Cow::Borrowed(value)),
            Pattern::Text(text) => spanned_yaml::fill(text, |name| captures.get(name))
                .ok()
                .map(Cow::Owned),
            _ => None,
        }
    }
}
