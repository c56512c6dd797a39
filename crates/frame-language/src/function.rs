//! Functions of values: their names, and what they compute.

use crate::compare::canonical;
use serde_json::{Value, json};
use std::collections::HashSet;

/// A function of one value: its name, and what it computes; `None` where it has no value.
#[derive(Debug, Clone, Copy)]
pub struct Function(pub &'static str, fn(&Value) -> Option<Value>);

/// The functions.
pub const FUNCTIONS: &[Function] = &[
    // The number of characters, elements or members.
    Function("length", |value| match value {
        Value::String(text) => Some(text.chars().count().into()),
        Value::Array(items) => Some(items.len().into()),
        Value::Object(members) => Some(members.len().into()),
        _ => None,
    }),
    // The number of bytes of a text in UTF-8.
    Function("bytes", |value| Some(value.as_str()?.len().into())),
    // The JSON value that a text holds.
    Function("json", |value| serde_json::from_str(value.as_str()?).ok()),
    Function("last", |value| value.as_array()?.last().cloned()),
    // Of a list of numbers, or of several operands.
    Function("sum", |value| {
        let numbers = value.as_array()?.iter().filter_map(Value::as_f64);
        Some(number(numbers.sum()))
    }),
    Function("product", |value| {
        let factors: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
        Some(number(factors?.iter().product()))
    }),
    // The texts of a list.
    Function("join", |value| {
        let texts: Option<String> = value.as_array()?.iter().map(Value::as_str).collect();
        texts.map(Value::String)
    }),
    // The lines of a text; a newline at its end begins no line.
    Function("lines", |value| {
        let lines = value.as_str()?.lines();
        Some(lines.map(Value::from).collect())
    }),
    // The elements of a list, each once.
    Function("distinct", |value| {
        let mut seen = HashSet::new();
        let items = value.as_array()?.iter();
        let once = items.filter(|item| seen.insert(canonical(item)));
        Some(once.cloned().collect())
    }),
    // The members of an object, each with its name and its value.
    Function("entries", |value| {
        let members = value.as_object()?.iter();
        let entries = members.map(|(name, value)| json!({ "name": name, "value": value }));
        Some(entries.collect())
    }),
    Function("trim", |value| Some(value.as_str()?.trim().into())),
    Function("type", |value| match value {
        Value::Null => None,
        Value::Bool(_) => Some("boolean".into()),
        Value::Number(_) => Some("number".into()),
        Value::String(_) => Some("string".into()),
        Value::Array(_) => Some("list".into()),
        Value::Object(_) => Some("object".into()),
    }),
];

impl Function {
    /// The function of this name.
    pub(crate) fn find(name: &str) -> Option<Function> {
        FUNCTIONS.iter().find(|known| known.0 == name).copied()
    }

    pub(crate) fn apply(self, value: &Value) -> Option<Value> {
        self.1(value)
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// A number as JSON; a whole number becomes an integer, so that it prints as one.
pub fn number(n: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
    if n.fract() == 0.0 && n.abs() < 9e15 {
        Value::from(n as i64)
    } else {
        Value::from(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_multiplied_joined_and_deduplicated() {
        let applied = |function, value| Function::find(function)?.apply(&value);

        assert_eq!(applied("product", json!([3, 0.5])), Some(json!(1.5)));
        assert_eq!(applied("product", json!([3, "x"])), None);
        assert_eq!(applied("join", json!(["a", "b"])), Some(json!("ab")));
        let repeats = json!([{ "a": 1, "b": 2 }, { "a": 1, "b": 2 }, "x"]);
        let once = applied("distinct", repeats).unwrap();
        let entries = applied("entries", json!({ "a": 1 }));
        assert_eq!(entries, Some(json!([{ "name": "a", "value": 1 }])));
        assert_eq!(once.as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn a_text_is_trimmed_and_nothing_else_is() {
        let applied = |function, value| Function::find(function)?.apply(&value);

        assert_eq!(applied("trim", json!(" a b\n\n")), Some(json!("a b")));
        assert_eq!(applied("trim", json!(7)), None);
        assert_eq!(applied("bytes", json!("aé")), Some(json!(3)));
    }
}
