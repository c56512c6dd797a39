//! Where a value is not what a matcher wants.

use serde_json::Value;

use super::ops::OPS;
use super::{escaped, is_ops, plain};

/// One place where a value is not what the matcher wants.
pub(crate) struct Difference {
    /// JSON Pointer into the value.
    pub(crate) pointer: String,
    /// JSON Pointer into the matcher.
    pub(crate) rule: String,
    pub(crate) expected: String,
    pub(crate) actual: String,
}

/// Every place where the value is not what the matcher wants.
pub(crate) fn differences(matcher: &Value, value: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare_at(matcher, Some(value), "", "", &mut found);
    found
}

/// Whether a value, or its absence, is what the matcher wants.
pub(super) fn holds(matcher: &Value, value: Option<&Value>) -> bool {
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
                let (key, key_path) = (plain(key), escaped(key));
                compare_at(
                    one,
                    have.get(key),
                    &format!("{pointer}/{}", escaped(key)),
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
