//! What a baseline file may hold.

use super::Date;
use serde::Deserialize;
use spanned_yaml::{Error, Node, Span, Spanned};
use std::path::PathBuf;

/// A file of findings that are put up with.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    /// Where it was read from.
    pub path: PathBuf,
    /// Its entries.
    pub entries: Vec<BaselineEntry>,
}

/// One finding, or a family of them, that is put up with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineEntry {
    /// Where it stands; line 0 for one that is not in a file yet.
    pub span: Span,
    /// The scenario's id; `*` stands for any run of characters.
    pub scenario: String,
    /// The rule's id.
    pub rule: String,
    /// How it is put up with.
    pub kind: EntryKind,
    /// Why.
    pub reason: String,
    /// The last day on which it counts.
    pub expires: Option<Date>,
}

/// How a finding is put up with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// It is there every time.
    Known,
    /// It is there now and then: not meeting it is no mistake.
    Flaky,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    findings: Vec<Spanned<EntryFile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryFile {
    scenario: String,
    rule: String,
    kind: EntryKind,
    reason: Spanned<String>,
    #[serde(default)]
    expires: Option<Date>,
}

/// Reads a baseline.
///
/// # Errors
/// Every mistake, each with its place; an entry without a reason is one.
pub fn load(path: PathBuf, text: &str) -> Result<Baseline, Vec<Error>> {
    let node = spanned_yaml::load_yaml(&path, text).map_err(|e| vec![e])?;
    let file: File = spanned_yaml::decode_all(&node)?;
    let mut errors = Vec::new();
    let entries = file
        .findings
        .into_iter()
        .map(|entry| entry_of(entry, &node, &mut errors));
    let entries = entries.collect();
    if errors.is_empty() {
        Ok(Baseline { path, entries })
    } else {
        Err(errors)
    }
}

fn entry_of(entry: Spanned<EntryFile>, node: &Node, errors: &mut Vec<Error>) -> BaselineEntry {
    let Spanned { value, span } = entry;
    if value.reason.trim().is_empty() {
        errors.push(node.error_at(
            value.reason.span,
            "a finding is put up with for a reason: say it",
        ));
    }
    BaselineEntry {
        span,
        scenario: value.scenario,
        rule: value.rule,
        kind: value.kind,
        reason: value.reason.value,
        expires: value.expires,
    }
}

impl BaselineEntry {
    /// Whether this entry is about a rule in a scenario.
    #[must_use]
    pub fn covers(&self, scenario: &str, rule: &str) -> bool {
        self.rule == rule && fits(&self.scenario, scenario)
    }
}

/// Whether a text fits a pattern in which `*` stands for any run of characters.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, rest)) => text.strip_prefix(before).is_some_and(|tail| {
            let starts = tail.char_indices().map(|(at, _)| at).chain([tail.len()]);
            starts.into_iter().any(|at| fits(rest, &tail[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_run_of_characters() {
        for (pattern, text, fit) in [
            ("a/b", "a/b", true),
            ("a/*", "a/b/c", true),
            ("*b", "a/b", true),
            ("a*c", "abc", true),
            ("a*c", "abd", false),
            ("*", "", true),
            ("a", "ab", false),
        ] {
            assert_eq!(fits(pattern, text), fit, "{pattern} {text}");
        }
    }

    #[test]
    fn mistakes_are_placed() {
        for (text, line, part) in [
            (
                "findings:\n  - { scenario: a, rule: r, kind: known, reason: \"\" }",
                2,
                "for a reason",
            ),
            (
                "findings:\n  - { scenario: a, rule: r, kind: known }",
                2,
                "reason",
            ),
            (
                "findings:\n  - { scenario: a, rule: r, kind: often, reason: x }",
                2,
                "often",
            ),
            (
                "findings:\n  - { scenario: a, rule: r, kind: known, reason: x, expires: soon }",
                2,
                "a day such as",
            ),
            ("findingz: []", 1, "findings"),
        ] {
            let errors = load("b.yaml".into(), text).unwrap_err();
            assert_eq!(errors[0].span.line, line, "{text}");
            assert!(errors[0].message.contains(part), "{}", errors[0].message);
        }
    }
}
