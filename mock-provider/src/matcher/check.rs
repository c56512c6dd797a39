//! What is wrong with a matcher.

use serde_json::Value;

use super::ops::OPS;
use super::{escaped, is_op, is_ops};

/// A mistake in a matcher.
pub(crate) struct BadMatcher {
    /// JSON Pointer into the matcher.
    pub(crate) pointer: String,
    pub(crate) message: String,
}

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
            if is_op(key) {
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
