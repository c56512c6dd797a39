//! Functions of values: their names, and what they compute.

use crate::compare::canonical;
use serde_json::Value;
use std::collections::HashSet;

/// A function of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// The number of characters, elements or members.
    Length,
    /// The JSON value that a text holds; absent if it holds none.
    Json,
    /// The last element.
    Last,
    /// The sum of a list of numbers, or of several operands.
    Sum,
    /// The product of a list of numbers, or of several operands.
    Product,
    /// The texts of a list, joined.
    Join,
    /// The elements of a list, each once.
    Distinct,
    /// A text without white space at its ends.
    Trim,
    /// `string`, `number`, `boolean`, `list` or `object`.
    Type,
}

/// The names of functions, as written.
pub const FUNCTIONS: &[(&str, Function)] = &[
    ("length", Function::Length),
    ("json", Function::Json),
    ("last", Function::Last),
    ("sum", Function::Sum),
    ("product", Function::Product),
    ("join", Function::Join),
    ("distinct", Function::Distinct),
    ("trim", Function::Trim),
    ("type", Function::Type),
];

/// The value of a function; `None` where it has none.
pub(crate) fn call(function: Function, value: &Value) -> Option<Value> {
    match function {
        Function::Length => match value {
            Value::String(text) => Some(text.chars().count().into()),
            Value::Array(items) => Some(items.len().into()),
            Value::Object(members) => Some(members.len().into()),
            _ => None,
        },
        Function::Json => serde_json::from_str(value.as_str()?).ok(),
        Function::Last => value.as_array()?.last().cloned(),
        Function::Sum => {
            let sum: f64 = value.as_array()?.iter().filter_map(Value::as_f64).sum();
            Some(number(sum))
        }
        Function::Product => {
            let factors: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
            Some(number(factors?.iter().product()))
        }
        Function::Join => {
            let texts: Option<String> = value.as_array()?.iter().map(Value::as_str).collect();
            texts.map(Value::String)
        }
        Function::Distinct => {
            let mut seen = HashSet::new();
            let items = value.as_array()?.iter();
            let once = items.filter(|item| seen.insert(canonical(item)));
            Some(once.cloned().collect())
        }
        Function::Type => {
            let name = match value {
                Value::Null => return None,
                Value::Bool(_) => "boolean",
                Value::Number(_) => "number",
                Value::String(_) => "string",
                Value::Array(_) => "list",
                Value::Object(_) => "object",
            };
            Some(Value::String(name.to_owned()))
        }
        Function::Trim => Some(Value::String(value.as_str()?.trim().to_owned())),
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
    use serde_json::json;

    #[test]
    fn lists_are_multiplied_joined_and_deduplicated() {
        let applied = |function, value| call(function, &value);

        assert_eq!(
            applied(Function::Product, json!([3, 0.5])),
            Some(json!(1.5))
        );
        assert_eq!(applied(Function::Product, json!([3, "x"])), None);
        assert_eq!(
            applied(Function::Join, json!(["a", "b"])),
            Some(json!("ab"))
        );
        let repeats = json!([{ "a": 1, "b": 2 }, { "a": 1, "b": 2 }, "x"]);
        let once = applied(Function::Distinct, repeats).unwrap();
        assert_eq!(once.as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn a_text_is_trimmed_and_nothing_else_is() {
        let applied = |function, value| call(function, &value);

        assert_eq!(
            applied(Function::Trim, json!(" a b\n\n")),
            Some(json!("a b"))
        );
        assert_eq!(applied(Function::Trim, json!(7)), None);
    }
}
