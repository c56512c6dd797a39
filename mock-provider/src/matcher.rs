//! What a body must be like: literals are equality on scalars and subset on objects; `$op` forms for the rest.

use regex::Regex;
use serde_json::{Map, Value};

/// A mistake in a matcher.
pub(crate) struct BadMatcher {
    /// JSON Pointer into the matcher.
    pub(crate) pointer: String,
    pub(crate) message: String,
}

/// One place where a value is not what the matcher wants.
pub(crate) struct Difference {
    /// JSON Pointer into the value.
    pub(crate) pointer: String,
    /// JSON Pointer into the matcher.
    pub(crate) rule: String,
    pub(crate) expected: String,
    pub(crate) actual: String,
}

/// One `$op`: its name, what it says is wrong with its operand, and whether a value satisfies it.
struct Op {
    name: &'static str,
    check: fn(&Value) -> Result<(), String>,
    holds: fn(&Value, Option<&Value>) -> bool,
}

/// Every `$op` form.
const OPS: [Op; 16] = [
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
            value.is_some_and(|value| want.as_str().is_some_and(|want| has_type(want, value)))
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
        holds: |one, value| !holds(one, value),
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
        holds: |bound, value| compare(bound, value, |value, bound| value >= bound),
    },
    Op {
        name: "$gt",
        check: is_number,
        holds: |bound, value| compare(bound, value, |value, bound| value > bound),
    },
    Op {
        name: "$lte",
        check: is_number,
        holds: |bound, value| compare(bound, value, |value, bound| value <= bound),
    },
    Op {
        name: "$lt",
        check: is_number,
        holds: |bound, value| compare(bound, value, |value, bound| value < bound),
    },
];

const TYPES: [&str; 7] = [
    "string", "number", "integer", "boolean", "object", "array", "null",
];

/// Says what is wrong with a matcher.
pub(crate) fn check(matcher: &Value) -> Result<(), BadMatcher> {
    check_at(matcher, String::new())
}

fn check_at(matcher: &Value, pointer: String) -> Result<(), BadMatcher> {
    match matcher {
        Value::Array(list) => list
            .iter()
            .enumerate()
            .try_for_each(|(i, one)| check_at(one, format!("{pointer}/{i}"))),
        Value::Object(map) if is_ops(map) => map.iter().try_for_each(|(name, operand)| {
            let op = OPS.iter().find(|op| op.name == name).ok_or_else(|| {
                format!(
                    "no such operator as `{name}`; there are {}",
                    OPS.map(|op| op.name).join(", ")
                )
            });
            op.and_then(|op| (op.check)(operand))
                .map_err(|message| BadMatcher {
                    pointer: format!("{pointer}/{name}"),
                    message,
                })
        }),
        Value::Object(map) => map.iter().try_for_each(|(key, one)| {
            if key.starts_with('$') {
                let message = format!(
                    "`{key}` stands beside fields: an operator's mapping holds operators only"
                );
                return Err(BadMatcher {
                    pointer: format!("{pointer}/{key}"),
                    message,
                });
            }
            check_at(one, format!("{pointer}/{}", escaped(key)))
        }),
        _ => Ok(()),
    }
}

/// Every place where the value is not what the matcher wants.
pub(crate) fn differences(matcher: &Value, value: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare_at(matcher, Some(value), "", "", &mut found);
    found
}

fn holds(matcher: &Value, value: Option<&Value>) -> bool {
    let mut found = Vec::new();
    compare_at(matcher, value, "", "", &mut found);
    found.is_empty()
}

fn compare_at(
    matcher: &Value,
    value: Option<&Value>,
    pointer: &str,
    rule: &str,
    found: &mut Vec<Difference>,
) {
    let mut differ = |expected: String, rule: String| {
        let actual = value.map_or("nothing".to_owned(), Value::to_string);
        found.push(Difference {
            pointer: pointer.to_owned(),
            rule,
            expected,
            actual,
        });
    };
    match (matcher, value) {
        (Value::Object(map), _) if is_ops(map) => {
            for (name, operand) in map {
                if !OPS
                    .iter()
                    .any(|op| op.name == name && (op.holds)(operand, value))
                {
                    differ(format!("{name} {operand}"), format!("{rule}/{name}"));
                }
            }
        }
        (Value::Object(want), Some(Value::Object(have))) => {
            for (key, one) in want {
                let key_path = escaped(key);
                compare_at(
                    one,
                    have.get(key),
                    &format!("{pointer}/{key_path}"),
                    &format!("{rule}/{key_path}"),
                    found,
                );
            }
        }
        (Value::Array(want), Some(Value::Array(have))) if want.len() == have.len() => {
            for (i, (one, item)) in want.iter().zip(have).enumerate() {
                compare_at(
                    one,
                    Some(item),
                    &format!("{pointer}/{i}"),
                    &format!("{rule}/{i}"),
                    found,
                );
            }
        }
        (Value::Number(want), Some(Value::Number(have)))
            if want == have || want.as_f64() == have.as_f64() => {}
        (want, Some(have)) if want == have => {}
        _ => differ(format!("to be {matcher}"), rule.to_owned()),
    }
}

fn is_ops(map: &Map<String, Value>) -> bool {
    !map.is_empty() && map.keys().all(|key| key.starts_with('$'))
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

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

fn compare(bound: &Value, value: Option<&Value>, by: fn(f64, f64) -> bool) -> bool {
    bound
        .as_f64()
        .zip(value.and_then(Value::as_f64))
        .is_some_and(|(bound, value)| by(value, bound))
}

fn has_type(want: &str, value: &Value) -> bool {
    match value {
        Value::String(_) => want == "string",
        Value::Number(number) => {
            want == "number" || want == "integer" && (number.is_i64() || number.is_u64())
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
    if operand.as_str().is_some_and(|name| TYPES.contains(&name)) {
        Ok(())
    } else {
        Err(format!("takes one of {}", TYPES.join(", ")))
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_matcher_holds_or_names_the_place_that_differs() {
        let body = json!({ "model": "m", "n": 3, "list": [{ "a": 1 }, { "a": 2 }], "null": null });
        for matcher in [
            json!({ "model": "m", "n": 3.0 }),
            json!({ "list": [{}, { "a": { "$gte": 2, "$lt": 3 } }], "none": { "$absent": true } }),
            json!({ "list": { "$length": 2, "$contains": { "a": 2 }, "$items": { "a": { "$type": "integer" } } } }),
            json!({ "model": { "$regex": "^m$" }, "null": { "$present": true }, "n": { "$one_of": [1, 3] } }),
            json!({ "$all": [{ "n": 3 }, { "$not": { "n": 4 } }, { "$any": [{ "n": 1 }, { "n": { "$ne": 1 } }] }] }),
        ] {
            check(&matcher)
                .map_err(|bad| bad.message)
                .expect("a good matcher");
            assert!(differences(&matcher, &body).is_empty(), "{matcher}");
        }

        let found = differences(
            &json!({ "list": [{ "a": 1 }, { "a": 5 }], "gone": 1 }),
            &body,
        );
        let said = found
            .iter()
            .map(|one| format!("{} {}, {}", one.pointer, one.expected, one.actual))
            .collect::<Vec<_>>();
        assert_eq!(said, ["/list/1/a to be 5, 2", "/gone to be 1, nothing"]);
    }

    #[test]
    fn a_bad_matcher_is_refused_with_its_place() {
        for (matcher, pointer) in [
            (json!({ "a": { "$regexp": "x" } }), "/a/$regexp"),
            (json!({ "a": [{ "$regex": "(" }] }), "/a/0/$regex"),
            (json!({ "a": { "b": 1, "$gt": 2 } }), "/a/$gt"),
            (json!({ "$type": "text" }), "/$type"),
            (json!({ "$one_of": [] }), "/$one_of"),
        ] {
            assert_eq!(
                check(&matcher).map_err(|bad| bad.pointer),
                Err(pointer.to_owned()),
                "{matcher}"
            );
        }
    }
}
