//! The `$op` forms.

use std::cmp::Ordering;

use regex::Regex;
use serde_json::{Number, Value};

use super::check::check;
use super::compare::holds;

/// One `$op`: its name, what it says is wrong with its operand, and whether a value satisfies it.
pub(super) struct Op {
    pub(super) name: &'static str,
    pub(super) check: fn(&Value) -> Result<(), String>,
    pub(super) holds: fn(&Value, Option<&Value>) -> bool,
}

/// Every `$op` form.
pub(super) const OPS: [Op; 17] = [
    Op {
        name: "$absent",
        check: is_true,
        holds: |_, value| value.is_none(),
    },
    Op {
        name: "$present",
        check: is_true,
        holds: |_, value| value.is_some(),
    },
    Op {
        name: "$regex",
        check: is_regex,
        holds: regex_holds,
    },
    Op {
        name: "$type",
        check: is_type,
        holds: |want, value| {
            value.is_some_and(|value| names(want).iter().any(|want| has_type(want, value)))
        },
    },
    Op {
        name: "$one_of",
        check: is_list,
        holds: |list, value| {
            list.as_array()
                .is_some_and(|list| list.iter().any(|one| holds(one, value)))
        },
    },
    Op {
        name: "$any",
        check: is_matchers,
        holds: |list, value| {
            list.as_array()
                .is_some_and(|list| list.iter().any(|one| holds(one, value)))
        },
    },
    Op {
        name: "$all",
        check: is_matchers,
        holds: |list, value| {
            list.as_array()
                .is_some_and(|list| list.iter().all(|one| holds(one, value)))
        },
    },
    Op {
        name: "$not",
        check: is_matcher,
        holds: |one, value| !holds(one, value),
    },
    Op {
        name: "$ne",
        check: is_matcher,
        holds: |one, value| value.is_some() && !holds(one, value),
    },
    Op {
        name: "$contains",
        check: is_matcher,
        holds: contains,
    },
    Op {
        name: "$items",
        check: is_matcher,
        holds: |one, value| {
            value
                .and_then(Value::as_array)
                .is_some_and(|list| list.iter().all(|item| holds(one, Some(item))))
        },
    },
    Op {
        name: "$in_order",
        check: is_matchers,
        holds: |wanted, value| {
            let lists = wanted.as_array().zip(value.and_then(Value::as_array));
            lists.is_some_and(|(wanted, list)| {
                let mut rest = list.iter();
                let mut wanted = wanted.iter();
                wanted.all(|one| rest.any(|item| holds(one, Some(item))))
            })
        },
    },
    Op {
        name: "$length",
        check: is_matcher,
        holds: |one, value| {
            value
                .and_then(length)
                .is_some_and(|length| holds(one, Some(&length.into())))
        },
    },
    Op {
        name: "$gte",
        check: is_number,
        holds: |bound, value| compare(bound, value, Ordering::is_ge),
    },
    Op {
        name: "$gt",
        check: is_number,
        holds: |bound, value| compare(bound, value, Ordering::is_gt),
    },
    Op {
        name: "$lte",
        check: is_number,
        holds: |bound, value| compare(bound, value, Ordering::is_le),
    },
    Op {
        name: "$lt",
        check: is_number,
        holds: |bound, value| compare(bound, value, Ordering::is_lt),
    },
];

/// The types of JSON.
const TYPES: [&str; 7] = [
    "string", "number", "integer", "boolean", "object", "array", "null",
];

fn contains(one: &Value, value: Option<&Value>) -> bool {
    match (one, value) {
        (Value::String(part), Some(Value::String(text))) => text.contains(part.as_str()),
        (one, Some(Value::Array(list))) => list.iter().any(|item| holds(one, Some(item))),
        _ => false,
    }
}

fn length(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(list) => Some(list.len()),
        Value::Object(map) => Some(map.len()),
        _ => None,
    }
}

/// Compares by value: exactly where both are integers.
fn compare(bound: &Value, value: Option<&Value>, by: fn(Ordering) -> bool) -> bool {
    let (Value::Number(bound), Some(Value::Number(value))) = (bound, value) else {
        return false;
    };
    let ordering = match (integer(value), integer(bound)) {
        (Some(value), Some(bound)) => Some(value.cmp(&bound)),
        _ => value.as_f64().partial_cmp(&bound.as_f64()),
    };
    ordering.is_some_and(by)
}

fn integer(number: &Number) -> Option<i128> {
    number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from))
}

/// A name, or a list of names.
fn names(operand: &Value) -> Vec<&str> {
    match operand {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    }
}

fn has_type(want: &str, value: &Value) -> bool {
    match value {
        Value::String(_) => want == "string",
        Value::Number(number) => {
            want == "number"
                || want == "integer" && number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        Value::Bool(_) => want == "boolean",
        Value::Object(_) => want == "object",
        Value::Array(_) => want == "array",
        Value::Null => want == "null",
    }
}

fn regex_holds(pattern: &Value, value: Option<&Value>) -> bool {
    let text = value.and_then(Value::as_str);
    pattern
        .as_str()
        .and_then(|pattern| Regex::new(pattern).ok())
        .zip(text)
        .is_some_and(|(regex, text)| regex.is_match(text))
}

fn is_true(operand: &Value) -> Result<(), String> {
    if operand == true {
        Ok(())
    } else {
        Err("takes `true`".into())
    }
}

fn is_number(operand: &Value) -> Result<(), String> {
    if operand.is_number() {
        Ok(())
    } else {
        Err("takes a number".into())
    }
}

fn is_list(operand: &Value) -> Result<(), String> {
    if operand.as_array().is_some_and(|list| !list.is_empty()) {
        Ok(())
    } else {
        Err("takes a list that is not empty".into())
    }
}

fn is_type(operand: &Value) -> Result<(), String> {
    let named = names(operand);
    let all = operand.as_array().map_or(1, Vec::len);
    if !named.is_empty() && named.len() == all && named.iter().all(|name| TYPES.contains(name)) {
        Ok(())
    } else {
        Err(format!(
            "takes one of {}, or a list of them",
            TYPES.join(", ")
        ))
    }
}

fn is_regex(operand: &Value) -> Result<(), String> {
    let pattern = operand.as_str().ok_or("takes a regular expression")?;
    Regex::new(pattern)
        .map(drop)
        .map_err(|error| format!("not a regular expression: {error}"))
}

fn is_matcher(operand: &Value) -> Result<(), String> {
    check(operand).map_err(|bad| bad.message)
}

fn is_matchers(operand: &Value) -> Result<(), String> {
    is_list(operand).and_then(|()| is_matcher(operand))
}
