//! The compiled form of a matcher: patterns, the trait of operators, and equality of JSON values.

use crate::captures::Captures;
use crate::mismatch::{Mismatch, escape_hidden, shorten, shown};
use crate::operators::Check;
use crate::placeholder::fill;
use serde_json::{Number, Value};
use spanned_yaml::Pointer;
use std::borrow::Cow;
use std::fmt::Display;

/// A compiled matcher, or a part of one.
#[derive(Debug, Clone)]
pub(crate) enum Pattern {
    /// Equal to a scalar.
    Scalar(Value),
    /// Equal to a text with placeholders.
    Text(String),
    /// An object with at least these entries; the keys as written.
    Object(Vec<(String, Pattern)>),
    /// A list of exactly these elements.
    List(Vec<Pattern>),
    /// All of these operators match.
    Checks(Vec<(&'static str, Check)>),
}

/// The position of a comparison, and the captures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MatchContext<'a> {
    /// The position in the value.
    pub(crate) pointer: &'a Pointer<'a>,
    /// The position in the matcher as written.
    pub(crate) matcher_pointer: &'a Pointer<'a>,
    pub(crate) captures: &'a Captures,
}

impl<'a> MatchContext<'a> {
    pub(crate) fn root(captures: &'a Captures) -> Self {
        MatchContext {
            pointer: &Pointer::Root,
            matcher_pointer: &Pointer::Root,
            captures,
        }
    }

    /// The same value, compared with an inner part of the matcher.
    pub(crate) fn with_matcher_pointer(self, matcher_pointer: &'a Pointer<'a>) -> Self {
        MatchContext {
            matcher_pointer,
            ..self
        }
    }

    /// An inner value.
    pub(crate) fn with_pointer(self, pointer: &'a Pointer<'a>) -> Self {
        MatchContext { pointer, ..self }
    }
}

impl Pattern {
    /// Adds the differences; `None` is an entry that the object lacks.
    pub(crate) fn check(
        &self,
        value: Option<&Value>,
        context: &MatchContext<'_>,
        out: &mut Differences,
    ) {
        if out.is_full() {
            return;
        }
        match (self, value) {
            (Pattern::Checks(checks), _) => {
                for (name, check) in checks {
                    let matcher_pointer = Pointer::Entry(context.matcher_pointer, name);
                    check.check(value, &context.with_matcher_pointer(&matcher_pointer), out);
                }
            }
            (Pattern::Object(entries), Some(Value::Object(object))) => {
                for (written, pattern) in entries {
                    let key = plain_key(written);
                    let pointer = Pointer::Entry(context.pointer, key);
                    let matcher_pointer = Pointer::Entry(context.matcher_pointer, written);
                    let inner = context
                        .with_pointer(&pointer)
                        .with_matcher_pointer(&matcher_pointer);
                    pattern.check(object.get(key), &inner, out);
                }
            }
            (Pattern::List(patterns), Some(Value::Array(items)))
                if patterns.len() == items.len() =>
            {
                for (index, (pattern, item)) in patterns.iter().zip(items).enumerate() {
                    let pointer = Pointer::Item(context.pointer, index);
                    let matcher_pointer = Pointer::Item(context.matcher_pointer, index);
                    let inner = context
                        .with_pointer(&pointer)
                        .with_matcher_pointer(&matcher_pointer);
                    pattern.check(Some(item), &inner, out);
                }
            }
            (Pattern::Scalar(_) | Pattern::Text(_), Some(value))
                if self
                    .literal(context.captures)
                    .is_some_and(|expected| is_equal(&expected, value)) => {}
            (_, value) => out.push(context, self.expected(context.captures), value),
        }
    }

    /// Whether nothing differs.
    pub(crate) fn holds(&self, value: Option<&Value>, context: &MatchContext<'_>) -> bool {
        let mut differences = Differences::at_most(1);
        self.check(value, context, &mut differences);
        differences.is_empty()
    }

    /// The expected value, in words that follow "expected".
    pub(crate) fn expected(&self, captures: &Captures) -> String {
        match self {
            Pattern::Scalar(value) => value.to_string(),
            Pattern::Text(text) => {
                let known = self.literal(captures);
                known.map_or_else(
                    || format!("{text:?}, which holds an unknown name"),
                    |value| shown(Some(&value)),
                )
            }
            Pattern::Object(entries) if entries.is_empty() => "an object".to_owned(),
            Pattern::Object(entries) => {
                let entries = entries.iter();
                object_in_words(entries.map(|(key, one)| (plain_key(key), one.expected(captures))))
            }
            Pattern::List(items) => {
                let shown: Vec<_> = items.iter().map(|one| one.expected(captures)).collect();
                shorten(&format!(
                    "a list of {}: [{}]",
                    items.len(),
                    shown.join(", ")
                ))
            }
            Pattern::Checks(checks) => checks
                .iter()
                .map(|(_, check)| check.expected(captures))
                .collect::<Vec<_>>()
                .join(", and "),
        }
    }

    /// The literal value, if the pattern is a scalar or a text whose placeholders are known.
    pub(crate) fn literal(&self, captures: &Captures) -> Option<Cow<'_, Value>> {
        match self {
            Pattern::Scalar(value) => Some(Cow::Borrowed(value)),
            Pattern::Text(text) => fill(text, |name| captures.get(name)).ok().map(Cow::Owned),
            _ => None,
        }
    }
}

/// An object with these members, each with its value in words: `{type: "end", usage: an object}`.
pub fn object_in_words<K: Display, V: Display>(
    members: impl IntoIterator<Item = (K, V)>,
) -> String {
    let members = members.into_iter();
    let members: Vec<_> = members
        .map(|(key, value)| format!("{key}: {value}"))
        .collect();
    shorten(&format!("{{{}}}", members.join(", ")))
}

/// The key of the value for a key as written: `$$name` is `$name`.
pub(crate) fn plain_key(written: &str) -> &str {
    written.strip_prefix('$').unwrap_or(written)
}

/// Collects mismatches, up to a limit.
#[derive(Debug)]
pub(crate) struct Differences {
    pub(crate) list: Vec<Mismatch>,
    limit: usize,
}

impl Differences {
    pub(crate) fn at_most(limit: usize) -> Self {
        Differences {
            list: Vec::new(),
            limit,
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= self.limit
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn push(
        &mut self,
        context: &MatchContext<'_>,
        expected: String,
        actual: Option<&Value>,
    ) {
        if !self.is_full() {
            self.list.push(Mismatch {
                pointer: context.pointer.to_string(),
                matcher_pointer: context.matcher_pointer.to_string(),
                expected: escape_hidden(&expected),
                actual: escape_hidden(&shown(actual)),
            });
        }
    }
}

/// Whether two values are equal, numbers by their value: `1` and `1.0` are equal.
fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => is_equal_number(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| is_equal(a, b)))
        }
        (a, b) => a == b,
    }
}

fn is_equal_number(a: &Number, b: &Number) -> bool {
    a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()
}
