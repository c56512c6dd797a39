//! Violations of a union (`oneOf`, `anyOf`): those of the alternative that the value is meant to be, if its kind shows which.

use super::Schemas;
use crate::finding::{Expected, Finding};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

impl Schemas {
    /// The violations that an error stands for.
    pub(super) fn violations_of_kind(
        &self,
        name: &str,
        error: &ValidationError<'_>,
        frame: &Value,
    ) -> Vec<Finding> {
        let (Kind::AnyOf { context } | Kind::OneOfNotValid { context }) = error.kind() else {
            return vec![self.violation(name, error)];
        };
        let at = error.instance_path().as_str();
        let is_other = |error: &&ValidationError<'_>| is_of_other_kind(error, at);
        let alternatives = context.iter().enumerate();
        let mut fitting: Vec<_> = alternatives
            .filter(|(_, errors)| !errors.iter().any(|error| is_other(&error)))
            .collect();
        let path = error.schema_path();
        let names_kind = |n: usize| self.names_kind(&format!("{path}/{n}"), frame.pointer(at));
        if fitting.iter().filter(|(n, _)| names_kind(*n)).count() == 1 {
            fitting.retain(|(n, _)| names_kind(*n));
        }
        if let [(_, only)] = fitting.as_slice() {
            let errors = only.iter();
            return errors
                .flat_map(|error| self.violations_of_kind(name, error, frame))
                .collect();
        }
        // An error of all alternatives, such as a kind that is missing.
        let same = |a: &ValidationError<'_>, b: &ValidationError<'_>| {
            a.instance_path() == b.instance_path() && a.to_string() == b.to_string()
        };
        let mut errors = fitting
            .first()
            .map_or([].iter(), |(_, errors)| errors.iter());
        let shared = errors.find(|error| {
            let mut all = fitting.iter();
            all.all(|(_, errors)| errors.iter().any(|other| same(error, other)))
        });
        let kinds = context.iter().flatten().filter(is_other);
        let kinds = kinds.map(|error| self.violation(name, error));
        let expected = if fitting.is_empty() {
            merged(kinds)
        } else {
            None
        };
        vec![expected.unwrap_or_else(|| self.violation(name, shared.unwrap_or(error)))]
    }

    /// Whether an alternative gives a member a constant, and the value has it.
    fn names_kind(&self, path: &str, value: Option<&Value>) -> bool {
        let alternative: Vec<_> = self.keyword(path).into_iter().collect();
        let parts = self.parts_of(&alternative).into_iter();
        let fixed = parts.filter(|(_, is_fixed)| *is_fixed);
        let members = fixed.filter_map(|(part, _)| part["properties"].as_object());
        members.flatten().any(|(member, part)| {
            let kind = part.get("const");
            kind.is_some() && kind == value.and_then(|value| value.get(member))
        })
    }
}

/// Whether an error of an alternative shows that the value at this place is another one: by its type, or by a constant in one of its members.
fn is_of_other_kind(error: &ValidationError<'_>, at: &str) -> bool {
    let below = error.instance_path().as_str().strip_prefix(at);
    let depth = below.map(|below| below.matches('/').count());
    match error.kind() {
        Kind::Type { .. } | Kind::Not { .. } => depth == Some(0),
        Kind::Constant { .. } | Kind::Enum { .. } => depth.is_some_and(|depth| depth <= 1),
        _ => false,
    }
}

/// One finding at the deepest of these places, which is that of a kind, with all that is expected there.
fn merged(findings: impl Iterator<Item = Finding>) -> Option<Finding> {
    let mut findings: Vec<_> = findings.filter(|one| !one.expected.is_empty()).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.pointer.len()));
    let mut all = findings.into_iter();
    let mut merged = all.next()?;
    for finding in all
        .filter(|other| other.pointer.len() == merged.pointer.len())
        .collect::<Vec<_>>()
    {
        for expected in finding.expected {
            match (merged.expected.last_mut(), expected) {
                (Some(Expected::Values(known)), Expected::Values(more)) => known.extend(more),
                (Some(known), other) if *known == other => {}
                (_, other) => merged.expected.push(other),
            }
        }
    }
    Some(merged)
}
