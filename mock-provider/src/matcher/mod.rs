//! What a body must be like: literals are equality on scalars and subset on objects; `$op` forms for the rest.
//!
//! The same language as that of scenarios, over values without a place in a file.

mod check;
mod compare;
mod ops;
#[cfg(test)]
mod tests;

pub(crate) use check::check;
pub(crate) use compare::differences;

use serde_json::{Map, Value};

/// Whether a mapping is a list of operators.
fn is_ops(map: &Map<String, Value>) -> bool {
    !map.is_empty() && map.keys().all(|key| is_op(key))
}

/// `$name` is an operator; `$$name` is the plain key `$name`.
fn is_op(key: &str) -> bool {
    key.starts_with('$') && !key.starts_with("$$")
}

/// A key as it stands in the value.
fn plain(key: &str) -> &str {
    if key.starts_with("$$") {
        &key[1..]
    } else {
        key
    }
}

/// A key as a step of a JSON Pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
