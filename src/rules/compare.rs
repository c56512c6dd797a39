//! How two values are compared.

use super::condition::Compare;
use super::truth::Truth;
use serde_json::Value;
use std::cmp::Ordering;

/// What a comparison comes to; unknown where values have no order.
pub(super) fn compare(left: &Value, how: Compare, right: &Value, except: &[String]) -> Truth {
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
        Compare::In => element(right, left).into(),
        Compare::NotIn => Truth::from(element(right, left)).negate(),
        Compare::Contains => holds(left, right).into(),
    }
}

/// How two numbers are ordered; whole ones exactly, however large.
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

/// Whether `inner` is an element of a list, a member name of an object or a part of a text.
fn element(outer: &Value, inner: &Value) -> bool {
    match (outer, inner) {
        (Value::Array(items), _) => items.iter().any(|item| equal(item, inner, &[])),
        (Value::Object(members), Value::String(name)) => members.contains_key(name),
        (Value::String(text), Value::String(part)) => stands_in(text, part),
        _ => false,
    }
}

/// Whether `inner` is an element, a member name or a part of `outer` at any depth; a text is looked for in every text of `outer`, and each
/// element of a list in `inner` must be found.
fn holds(outer: &Value, inner: &Value) -> bool {
    match (outer, inner) {
        (_, Value::Array(items)) => items.iter().all(|item| holds(outer, item)),
        (Value::String(text), Value::String(part)) => stands_in(text, part),
        (Value::Array(items), _) => items.iter().any(|i| covers(i, inner) || holds(i, inner)),
        (Value::Object(members), Value::String(part)) => {
            members.contains_key(part) || members.values().any(|m| holds(m, inner))
        }
        (Value::Object(members), _) => members
            .values()
            .any(|m| covers(m, inner) || holds(m, inner)),
        _ => false,
    }
}

/// Whether a text stands in another one. Of a message that grows, what came before is the start and what is new is the end.
fn stands_in(text: &str, part: &str) -> bool {
    text.starts_with(part) || text.ends_with(part) || text.contains(part)
}

/// Whether the first value is the second, or an object with all of its members, and more.
fn covers(outer: &Value, inner: &Value) -> bool {
    match (outer, inner) {
        (Value::Object(outer), Value::Object(inner)) => inner
            .iter()
            .all(|(name, value)| outer.get(name).is_some_and(|own| equal(own, value, &[]))),
        _ => equal(outer, inner, &[]),
    }
}

/// Whether two values are the same: numbers by their worth, members in any order, `except` left out at any depth.
fn equal(left: &Value, right: &Value, except: &[String]) -> bool {
    match (left, right) {
        (Value::Number(l), Value::Number(r)) => l == r || l.as_f64() == r.as_f64(),
        (Value::Array(l), Value::Array(r)) => {
            l.len() == r.len() && l.iter().zip(r).all(|(l, r)| equal(l, r, except))
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_is_found_at_any_depth() {
        let body = json!({"messages": [{"content": [{"text": "no: REASON-42!"}]}]});
        assert!(holds(&body, &json!("REASON-42")));
        assert!(holds(&body, &json!(["REASON", "42"])));
        assert!(!holds(&body, &json!(["REASON", "43"])));
    }

    #[test]
    fn an_object_is_found_in_one_that_has_more() {
        let content = json!([{"type": "toolCall", "id": "a", "args": {}, "partial": "{"}]);
        assert!(holds(&content, &json!([{"id": "a", "args": {}}])));
        assert!(!holds(&content, &json!([{"id": "a", "args": {"x": 1}}])));
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
    fn equality_is_by_worth_and_up_to_named_members() {
        assert!(equal(
            &json!({"a": 1, "t": 5}),
            &json!({"t": 6, "a": 1.0}),
            &["t".to_owned()]
        ));
        assert!(!equal(&json!({"a": 1}), &json!({"a": 1, "b": null}), &[]));
    }
}
