//! The violations of a schema by a frame, as sentences.

use super::Schemas;
use crate::finding::{Difference, DifferenceKind, Expected, Finding};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

impl Schemas {
    /// The violations of a definition by a frame, at most `most` of them. Each has the clauses and the level of the nearest part of the
    /// definition that names any (`x-clauses`, `x-level`).
    pub fn violations(&self, name: &str, frame: &Value, most: usize) -> Vec<Finding> {
        let Some(validator) = self.validators.get(name) else {
            return Vec::new();
        };
        let mut found: Vec<Finding> = Vec::new();
        for error in validator.get().iter_errors(frame) {
            for violation in self.violations_of_kind(name, &error, frame) {
                // The parts of a definition may refer to the same one.
                let is_known = |known: &Finding| {
                    (&known.pointer, &known.message) == (&violation.pointer, &violation.message)
                };
                if !found.iter().any(is_known) {
                    found.push(violation);
                }
            }
            if found.len() >= most {
                break;
            }
        }
        found.truncate(most);
        found
    }

    pub(super) fn violation(&self, name: &str, error: &ValidationError<'_>) -> Finding {
        let path = error.schema_path().to_string();
        let (clauses, level) = self.annotations(name, error.evaluation_path().as_str());
        let mut pointer = error.instance_path().to_string();
        let (message, expected) = match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                pointer = format!("{pointer}/{}", spanned_yaml::escape_step(name));
                (
                    format!("`{name}` is missing"),
                    vec![Expected::Members(vec![name.to_owned()])],
                )
            }
            ValidationErrorKind::Type { .. } => {
                let names = self.keyword(&path).map_or(Vec::new(), list);
                let names = names.iter().filter_map(Value::as_str).map(str::to_owned);
                (
                    format!("{} is {}", place(&pointer), kind_of(error.instance())),
                    vec![Expected::Types(names.collect())],
                )
            }
            ValidationErrorKind::Enum { options } => (
                format!("{} is {}", place(&pointer), brief(error.instance())),
                vec![Expected::Values(list(options))],
            ),
            ValidationErrorKind::Constant { expected_value } => (
                format!("{} is {}", place(&pointer), brief(error.instance())),
                vec![Expected::Values(list(expected_value))],
            ),
            _ => (error.to_string(), Vec::new()),
        };
        let kind = match error.kind() {
            ValidationErrorKind::Required { .. } => DifferenceKind::Missing,
            ValidationErrorKind::Type { .. } => DifferenceKind::WrongType,
            _ => DifferenceKind::WrongValue,
        };
        Finding {
            pointer,
            message,
            expected,
            difference: Difference::of_kind(kind),
            clauses,
            level,
            ..Finding::default()
        }
    }

    pub(super) fn keyword(&self, path: &str) -> Option<&Value> {
        self.document.pointer(path)
    }
}

fn place(pointer: &str) -> String {
    if pointer.is_empty() {
        "the frame".to_owned()
    } else {
        format!("`{pointer}`")
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(n) if n.is_f64() => "a number that is not an integer",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The items of a list; of another value the value itself.
fn list(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items.clone(),
        other => vec![other.clone()],
    }
}

pub(super) fn brief(value: &Value) -> String {
    let text = json_matcher::escape_hidden(&value.to_string());
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
