//! Comparison of JSON values: equality, order, containment.

use crate::condition::Compare;
use crate::pointer::member;
use crate::truth::Truth;
use serde_json::Value;
use std::cmp::Ordering;

/// The result of a comparison; unknown where the values have no order.
pub fn compare(left: &Value, how: Compare, right: &Value, except: &[String]) -> Truth {
    let order = || order(left, right);
    let ordered = |ask: fn(Ordering) -> bool| order().map_or(Truth::Unknown, |o| ask(o).into());
    match how {
        Compare::Equal => equal(left, right, except).into(),
        Compare::NotEqual => Truth::from(equal(left, right, except)).negate(),
        Compare::Less => ordered(Ordering::is_lt),
        Compare::AtMost => ordered(Ordering::is_le),
        Compare::Greater => ordered(Ordering::is_gt),
        Compare::AtLeast => ordered(Ordering::is_ge),
        Compare::About => left
            .as_f64()
            .zip(right.as_f64())
            .map_or(Truth::Unknown, |(l, r)| about(l, r).into()),
        Compare::Fits => fits(left, right),
        Compare::In => is_element(right, left).into(),
        Compare::NotIn => Truth::from(is_element(right, left)).negate(),
        Compare::Contains => contains(left, right).into(),
    }
}

/// The order of two numbers; integers are compared exactly, however large.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    if let Some((left, right)) = left.as_u64().zip(right.as_u64()) {
        return Some(left.cmp(&right));
    }
    if let Some((left, right)) = left.as_i64().zip(right.as_i64()) {
        return Some(left.cmp(&right));
    }
    left.as_f64()?.partial_cmp(&right.as_f64()?)
}

/// Whether two numbers differ by rounding only: by one in a hundred, or by a millionth.
fn about(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-6_f64.max(left.abs().max(right.abs()) / 100.0)
}

/// Whether a value is valid by a JSON Schema; unknown if the schema is none that can be used.
fn fits(value: &Value, schema: &Value) -> Truth {
    let validator = jsonschema::draft202012::options().build(schema);
    validator.map_or(Truth::Unknown, |validator| validator.is_valid(value).into())
}

/// Whether `inner` is an element of a list, a member name of an object or a substring of a text.
fn is_element(outer: &Value, inner: &Value) -> bool {
    match (outer, inner) {
        (Value::Array(items), _) => items.iter().any(|item| equal(item, inner, &[])),
        (Value::Object(members), Value::String(name)) => members.contains_key(name),
        (Value::String(text), Value::String(part)) => contains_text(text, part),
        _ => false,
    }
}

/// Whether `inner` is an element, a member name or a substring in `outer`, at any depth. If `inner` is a list, each of its elements must be
/// found.
fn contains(outer: &Value, inner: &Value) -> bool {
    match (outer, inner) {
        (_, Value::Array(items)) => items.iter().all(|item| contains(outer, item)),
        (Value::String(text), Value::String(part)) => contains_text(text, part),
        (Value::Array(items), _) => items.iter().any(|i| covers(i, inner) || contains(i, inner)),
        (Value::Object(members), Value::String(part)) => {
            member(members, part).is_some() || members.values().any(|m| contains(m, inner))
        }
        (Value::Object(members), _) => members
            .values()
            .any(|m| covers(m, inner) || contains(m, inner)),
        _ => false,
    }
}

/// Whether a text contains another one. In messages that grow the part is mostly the start or the end, so those are tried first.
fn contains_text(text: &str, part: &str) -> bool {
    text.starts_with(part) || text.ends_with(part) || text.contains(part)
}

/// Whether the first value equals the second, or is an object with all members of the second.
fn covers(outer: &Value, inner: &Value) -> bool {
    match (outer, inner) {
        (Value::Object(outer), Value::Object(inner)) => inner
            .iter()
            .all(|(name, value)| outer.get(name).is_some_and(|own| equal(own, value, &[]))),
        _ => equal(outer, inner, &[]),
    }
}

/// Whether two values are equal: numbers by value, members in any order, members named in `except` left out at any depth.
pub fn equal(left: &Value, right: &Value, except: &[String]) -> bool {
    match (left, right) {
        (Value::Number(l), Value::Number(r)) => l == r || l.as_f64() == r.as_f64(),
        (Value::Array(l), Value::Array(r)) => {
            l.len() == r.len() && l.iter().zip(r).all(|(l, r)| equal(l, r, except))
        }
        (Value::Object(l), Value::Object(r)) if except.is_empty() => {
            l.len() == r.len()
                && l.iter().zip(r).all(|((name, value), (near, beside))| {
                    // Members are mostly in the same order, and then none is looked up.
                    let other = Some(beside).filter(|_| name == near);
                    let other = other.or_else(|| r.get(name));
                    other.is_some_and(|other| equal(value, other, except))
                })
        }
        (Value::Object(l), Value::Object(r)) => {
            let counts = |m: &serde_json::Map<String, Value>| {
                m.keys().filter(|k| !except.contains(k)).count()
            };
            counts(l) == counts(r)
                && l.iter()
                    .filter(|(k, _)| !except.contains(k))
                    .all(|(k, v)| r.get(k).is_some_and(|w| equal(v, w, except)))
        }
        _ => left == right,
    }
}

/// The canonical text of a value, by which it is an element of a set or a key of a map.
pub fn canonical(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => ["\"", text, "\""].concat(),
        _ => value.to_string(),
    }
}

/// Whether JSON needs no escapes for a text.
fn is_plain(text: &str) -> bool {
    !text
        .bytes()
        .any(|byte| byte < 0x20 || byte == b'"' || byte == b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_is_found_at_any_depth() {
        let body = json!({"messages": [{"content": [{"text": "no: REASON-42!"}]}]});
        assert!(contains(&body, &json!("REASON-42")));
        assert!(contains(&body, &json!(["REASON", "42"])));
        assert!(!contains(&body, &json!(["REASON", "43"])));
    }

    #[test]
    fn an_object_is_found_in_one_that_has_more() {
        let content = json!([{"type": "toolCall", "id": "a", "args": {}, "partial": "{"}]);
        assert!(contains(&content, &json!([{"id": "a", "args": {}}])));
        assert!(!contains(&content, &json!([{"id": "a", "args": {"x": 1}}])));
    }

    #[test]
    fn rounded_numbers_are_about_the_same() {
        assert!(about(0.1 + 0.2, 0.3));
        assert!(about(0.000_000_3, 0.000_000_4));
        assert!(!about(0.002, 0.001));
        assert_eq!(
            compare(&json!("2"), Compare::About, &json!(2), &[]),
            Truth::Unknown
        );
    }

    #[test]
    fn a_value_fits_a_schema_or_not_and_a_bad_schema_tells_nothing() {
        let form = json!({ "properties": { "n": { "type": "integer", "maximum": 5 } }, "required": ["n"] });
        for (value, schema, expected) in [
            (json!({ "n": 5 }), &form, Truth::True),
            (json!({ "n": 6 }), &form, Truth::False),
            (json!({ "m": 5 }), &form, Truth::False),
            (
                json!({ "n": 6 }),
                &json!({ "type": "_own" }),
                Truth::Unknown,
            ),
        ] {
            let found = compare(&value, Compare::Fits, schema, &[]);
            assert_eq!(found, expected, "{value} {schema}");
        }
    }

    #[test]
    fn equality_is_by_value_and_up_to_named_members() {
        assert!(equal(
            &json!({"a": 1, "t": 5}),
            &json!({"t": 6, "a": 1.0}),
            &["t".to_owned()]
        ));
        assert!(!equal(&json!({"a": 1}), &json!({"a": 1, "b": null}), &[]));
    }
}
