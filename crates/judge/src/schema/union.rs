//! Violations of a union (`oneOf`, `anyOf`): those of the one alternative that the value is meant to be, if its kind shows which.

use super::Schemas;
use crate::finding::{Expected, Finding};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

type Errors = Vec<ValidationError<'static>>;

impl Schemas {
    /// The violations that an error stands for.
    pub(super) fn violations_of_kind(
        &self,
        name: &str,
        error: &ValidationError<'_>,
        frame: &Value,
    ) -> Vec<Finding> {
        let (ValidationErrorKind::AnyOf { context }
        | ValidationErrorKind::OneOfNotValid { context }) = error.kind()
        else {
            return vec![self.violation(name, error)];
        };
        let at = error.instance_path().as_str();
        let value = frame.pointer(at).unwrap_or(&Value::Null);
        let alternatives: Vec<&Errors> = context.iter().collect();
        let mut fitting: Vec<usize> = (0..alternatives.len())
            .filter(|n| {
                !alternatives[*n]
                    .iter()
                    .any(|error| is_of_other_kind(error, at))
            })
            .collect();
        if fitting.len() > 1 {
            let path = error.schema_path().as_str();
            let named: Vec<_> = fitting
                .iter()
                .filter(|n| self.names_kind(&format!("{path}/{n}"), value))
                .copied()
                .collect();
            if named.len() == 1 {
                fitting = named;
            }
        }
        match fitting.as_slice() {
            [only] => {
                let errors = alternatives[*only].iter();
                errors
                    .flat_map(|error| self.violations_of_kind(name, error, frame))
                    .collect()
            }
            [] => {
                let kinds = alternatives.iter().copied().flatten();
                let kinds = kinds.filter(|error| is_of_other_kind(error, at));
                let merged = merged(kinds.map(|error| self.violation(name, error)));
                vec![merged.unwrap_or_else(|| self.violation(name, error))]
            }
            several => vec![self.violation(
                name,
                missing_kind(&alternatives, several, at).unwrap_or(error),
            )],
        }
    }

    /// Whether an alternative gives a member a constant, and the value has it.
    fn names_kind(&self, path: &str, value: &Value) -> bool {
        let alternative = self.keyword(path).into_iter().collect::<Vec<_>>();
        let parts = self.parts_of(&alternative).into_iter();
        let mut members = parts
            .filter(|(_, is_fixed)| *is_fixed)
            .filter_map(|(part, _)| part.get("properties")?.as_object())
            .flatten();
        members.any(|(member, part)| {
            part.get("const")
                .is_some_and(|kind| value.get(member) == Some(kind))
        })
    }
}

/// Whether an error of an alternative shows that the value at this place is meant to be another one: it has another type, or another constant in
/// one of its members.
fn is_of_other_kind(error: &ValidationError<'_>, at: &str) -> bool {
    let below = error.instance_path().as_str().strip_prefix(at);
    let depth = below.map(|below| below.matches('/').count());
    match error.kind() {
        ValidationErrorKind::Type { .. } | ValidationErrorKind::Not { .. } => depth == Some(0),
        ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. } => {
            depth.is_some_and(|depth| depth <= 1)
        }
        _ => false,
    }
}

/// The error that all of these alternatives have in common, about a member that is missing.
fn missing_kind<'e>(
    alternatives: &[&'e Errors],
    several: &[usize],
    at: &str,
) -> Option<&'e ValidationError<'static>> {
    let member = |error: &ValidationError<'_>| match error.kind() {
        ValidationErrorKind::Required { property } if error.instance_path().as_str() == at => {
            Some(property.clone())
        }
        _ => None,
    };
    let first = alternatives[*several.first()?].iter();
    first.filter(|error| member(error).is_some()).find(|error| {
        several.iter().all(|n| {
            alternatives[*n]
                .iter()
                .any(|other| member(other) == member(error))
        })
    })
}

/// One finding that expects what any of these does, if they are all about one place.
fn merged(mut findings: impl Iterator<Item = Finding>) -> Option<Finding> {
    let mut merged = findings.next()?;
    for finding in findings {
        // A deeper place is that of a kind: it says more than the type of the whole.
        if finding.pointer.len() > merged.pointer.len() {
            merged = finding;
        } else if finding.pointer == merged.pointer {
            for expected in finding.expected {
                match (merged.expected.last_mut(), expected) {
                    (Some(Expected::Values(known)), Expected::Values(more)) => {
                        known.extend(
                            more.into_iter()
                                .filter(|one| !known.contains(one))
                                .collect::<Vec<_>>(),
                        );
                    }
                    (Some(known), other) if *known == other => {}
                    (_, other) => merged.expected.push(other),
                }
            }
        }
    }
    (!merged.expected.is_empty()).then_some(merged)
}
