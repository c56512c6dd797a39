//! `$type`.

use super::{Check, Compiled, operand};
use crate::matcher::pattern::At;
use crate::matcher::{Captures, words};
use serde_json::Value;
use spanned_yaml::{Node, unknown};
use std::sync::Arc;

/// A JSON type: its name, how it reads, and which values have it.
type Type = (&'static str, &'static str, fn(&Value) -> bool);

const TYPES: &[Type] = &[
    ("string", "a string", Value::is_string),
    ("number", "a number", Value::is_number),
    ("integer", "an integer", |value| {
        value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
    }),
    ("boolean", "a boolean", Value::is_boolean),
    ("object", "an object", Value::is_object),
    ("array", "an array", Value::is_array),
    ("null", "null", Value::is_null),
];

#[derive(Debug)]
struct OfType {
    types: Vec<&'static Type>,
}

pub(super) fn of_type(node: &Node) -> Compiled {
    let named = match node.as_list() {
        Some(_) => operand::list(node)?,
        None => std::slice::from_ref(node),
    };
    let types = named.iter().map(|name| {
        // An unquoted `null` is the type of that name.
        let word = if name.is_null() {
            Some("null")
        } else {
            name.as_str()
        };
        let word = word.ok_or_else(|| operand::wanted(name, "the name of a JSON type"))?;
        let known =
            || vec![name.error(unknown("type", word, TYPES.iter().map(|(name, ..)| *name)))];
        TYPES
            .iter()
            .find(|(name, ..)| *name == word)
            .ok_or_else(known)
    });
    Ok(Arc::new(OfType {
        types: types.collect::<Result<_, _>>()?,
    }))
}

impl Check for OfType {
    fn holds(&self, value: Option<&Value>, _: &At<'_>) -> bool {
        value.is_some_and(|value| self.types.iter().any(|(_, _, has)| has(value)))
    }

    fn expected(&self, _: &Captures) -> String {
        words::either(
            &self
                .types
                .iter()
                .map(|(_, reads, _)| (*reads).to_owned())
                .collect::<Vec<_>>(),
        )
    }
}
