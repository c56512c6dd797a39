//! Operators on the type and the presence of a value: `$type`, `$absent`, `$present`.

use crate::captures::Captures;
use crate::compile::{
    CompileError, CompileErrorKind, Compiled, EntryPart, MatcherCompiler, WrittenMatcher,
};
use crate::mismatch::join_or;
use crate::pattern::{Check, MatchContext};
use serde_json::Value;
use std::sync::Arc;

/// A JSON type: its name, its words in a message, and a test for it.
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

#[derive(Debug)]
struct Presence {
    is_expected: bool,
}

pub(super) fn of_type(_: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    let types = match operand.value {
        Value::Array(_) => operand.each(named_type)?,
        _ => vec![named_type(operand)?],
    };
    Ok(Arc::new(OfType { types }))
}

fn named_type(operand: WrittenMatcher<'_>) -> Result<&'static Type, Vec<CompileError>> {
    let name = match operand.value {
        Value::String(name) => name,
        // In YAML an unquoted `null` is the type of that name.
        Value::Null => "null",
        _ => return Err(operand.expected("the name of a JSON type")),
    };
    let found = TYPES.iter().find(|(known, ..)| *known == name);
    found.ok_or_else(|| {
        let unknown = CompileErrorKind::Unknown {
            what: "type",
            name: name.to_owned(),
            known: TYPES.iter().map(|(name, ..)| *name).collect(),
        };
        operand.error(EntryPart::Value, unknown)
    })
}

pub(super) fn absent(_: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    presence(operand, false)
}

pub(super) fn present(_: &MatcherCompiler, operand: WrittenMatcher<'_>) -> Compiled {
    presence(operand, true)
}

fn presence(operand: WrittenMatcher<'_>, is_expected: bool) -> Compiled {
    match operand.value {
        Value::Bool(true) => Ok(Arc::new(Presence { is_expected })),
        _ => Err(operand.expected("`true`")),
    }
}

impl Check for OfType {
    fn holds(&self, value: Option<&Value>, _: &MatchContext<'_>) -> bool {
        value.is_some_and(|value| self.types.iter().any(|(_, _, has)| has(value)))
    }

    fn expected(&self, _: &Captures) -> String {
        let names = self.types.iter().map(|(_, words, _)| (*words).to_owned());
        join_or(&names.collect::<Vec<_>>())
    }
}

impl Check for Presence {
    fn holds(&self, value: Option<&Value>, _: &MatchContext<'_>) -> bool {
        value.is_some() == self.is_expected
    }

    fn expected(&self, _: &Captures) -> String {
        if self.is_expected {
            "any value".to_owned()
        } else {
            "nothing".to_owned()
        }
    }
}
