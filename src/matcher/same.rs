//! Equality of JSON values, numbers by their value.

use serde_json::{Number, Value};

/// Whether two values are equal, `1` and `1.0` among them.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => same_number(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

fn same_number(a: &Number, b: &Number) -> bool {
    a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()
}
