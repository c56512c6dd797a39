//! A compiled operator with its operand: when it is satisfied, and what it expects, in words.

use super::regex_text::RegexText;
use super::types::JsonType;
use crate::captures::Captures;
use crate::mismatch::{join_or, shorten};
use crate::pattern::{Differences, MatchContext, Pattern};
use serde_json::{Number, Value};
use spanned_yaml::Pointer;
use std::cmp::Ordering;

/// A compiled operator with its operand.
#[derive(Debug, Clone)]
pub(crate) enum Check {
    Regex(RegexText),
    Contains(Pattern),
    Type(Vec<&'static JsonType>),
    Present(bool),
    Length(Pattern),
    Items(Pattern),
    InOrder(Vec<Pattern>),
    /// A number in this order to a limit, with the words for it.
    Bound(&'static str, fn(Ordering) -> bool, Pattern),
    /// Something that does not match.
    Other(Pattern),
    /// Anything that does not match, or nothing.
    Not(Pattern),
    Any(Vec<Pattern>),
    All(Vec<Pattern>),
}

impl Check {
    /// Whether a value satisfies the operator; `None` is an entry that the object lacks.
    pub(crate) fn holds(&self, value: Option<&Value>, context: &MatchContext<'_>) -> bool {
        let captures = context.captures;
        match (self, value) {
            (Check::Present(is_expected), _) => value.is_some() == *is_expected,
            (Check::Not(other), _) => !other.holds(value, context),
            (Check::Any(each), _) => each.iter().any(|one| one.holds(value, context)),
            (Check::All(each), _) => each.iter().all(|one| one.holds(value, context)),
            (Check::Other(other), Some(_)) => !other.holds(value, context),
            (Check::Type(types), Some(value)) => types.iter().any(|(_, _, has)| has(value)),
            (Check::Regex(regex), Some(Value::String(text))) => regex.is_match(text, captures),
            (Check::Contains(part), Some(Value::String(text))) => {
                let part = part.literal(captures);
                part.is_some_and(|part| part.as_str().is_some_and(|part| text.contains(part)))
            }
            (Check::Contains(part), Some(Value::Array(items))) => {
                items.iter().any(|item| part.holds(Some(item), context))
            }
            (Check::Length(expected), Some(value)) => {
                let length = length(value).map(Value::from);
                length.is_some_and(|length| expected.holds(Some(&length), context))
            }
            (Check::Items(each), Some(Value::Array(items))) => {
                items.iter().all(|item| each.holds(Some(item), context))
            }
            (Check::InOrder(expected), Some(Value::Array(items))) => {
                let mut rest = items.iter();
                let mut expected = expected.iter();
                expected.all(|one| rest.any(|item| one.holds(Some(item), context)))
            }
            (Check::Bound(_, accepts, limit), Some(Value::Number(value))) => {
                let limit = limit.literal(captures);
                let limit = limit.as_deref().and_then(Value::as_number);
                limit.is_some_and(|limit| order(value, limit).is_some_and(accepts))
            }
            _ => false,
        }
    }

    /// The expected value, in words that follow "expected".
    pub(crate) fn expected(&self, captures: &Captures) -> String {
        let all = |patterns: &[Pattern]| -> Vec<String> {
            patterns.iter().map(|one| one.expected(captures)).collect()
        };
        let one = |pattern: &Pattern| pattern.expected(captures);
        match self {
            Check::Regex(regex) => regex.expected(captures),
            Check::Contains(part) => shorten(&format!("a value that contains {}", one(part))),
            Check::Type(types) => {
                let words = types.iter().map(|(_, words, _)| (*words).to_owned());
                join_or(&words.collect::<Vec<_>>())
            }
            Check::Present(true) => "any value".to_owned(),
            Check::Present(false) => "nothing".to_owned(),
            Check::Length(length) => format!("a value whose length is {}", one(length)),
            Check::Items(each) => format!("a list of which each element is {}", one(each)),
            Check::InOrder(each) => {
                format!("a list with, in this order, {}", all(each).join(", "))
            }
            Check::Bound(words, _, limit) => format!("a number {words} {}", one(limit)),
            Check::Other(other) | Check::Not(other) => format!("anything but {}", one(other)),
            Check::Any(each) => join_or(&all(each)),
            Check::All(each) => all(each).join(", and "),
        }
    }

    /// Adds the differences. An operator that looks inside the value gives the pointer of each.
    pub(crate) fn check(
        &self,
        value: Option<&Value>,
        context: &MatchContext<'_>,
        out: &mut Differences,
    ) {
        match (self, value) {
            (Check::Items(each), Some(Value::Array(items))) => {
                for (index, item) in items.iter().enumerate() {
                    let pointer = Pointer::Item(context.pointer, index);
                    each.check(Some(item), &context.with_pointer(&pointer), out);
                }
            }
            (Check::All(each), _) => {
                for (index, one) in each.iter().enumerate() {
                    let pointer = Pointer::Item(context.matcher_pointer, index);
                    one.check(value, &context.with_matcher_pointer(&pointer), out);
                }
            }
            _ if self.holds(value, context) => {}
            _ => out.push(context, self.expected(context.captures), value),
        }
    }
}

fn length(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(items) => Some(items.len()),
        Value::Object(entries) => Some(entries.len()),
        _ => None,
    }
}

/// The order of two numbers: exact for integers, else as floats.
fn order(a: &Number, b: &Number) -> Option<Ordering> {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}
