//! The format of baseline files (YAML) and their parser.

use super::date::Date;
use serde::Deserialize;
use spanned_yaml::{Error, Node, Span, Spanned};
use std::path::PathBuf;

/// A file of accepted findings.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    /// The path of the file.
    pub path: PathBuf,
    /// Its entries.
    pub entries: Vec<BaselineEntry>,
}

/// An accepted finding, or a pattern of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineEntry {
    /// Its location; line 0 for an entry that is not in a file yet.
    pub span: Span,
    /// The id of the scenario; `*` matches any characters.
    pub scenario: String,
    /// The id of the rule.
    pub rule: String,
    /// Known or flaky.
    pub kind: EntryKind,
    /// Why it is accepted.
    pub reason: String,
    /// The last day on which it is accepted.
    pub expires: Option<Date>,
}

/// How often an accepted finding occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// Every time.
    Known,
    /// Now and then: an unmatched entry is not stale.
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

/// Parses a baseline file.
///
/// # Errors
/// Every mistake with its location; an entry without a reason is one.
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
            "an entry needs a `reason`: why is this finding accepted?",
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
    /// Whether this entry covers findings of a rule in a scenario.
    #[must_use]
    pub fn covers(&self, scenario: &str, rule: &str) -> bool {
        self.rule == rule && matches_pattern(&self.scenario, scenario)
    }
}

/// Whether a text matches a pattern in which `*` matches any characters.
pub(super) fn matches_pattern(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, rest)) => text.strip_prefix(before).is_some_and(|tail| {
            let starts = tail.char_indices().map(|(at, _)| at).chain([tail.len()]);
            starts
                .into_iter()
                .any(|at| matches_pattern(rest, &tail[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_characters() {
        for (pattern, text, fit) in [
            ("a/b", "a/b", true),
            ("a/*", "a/b/c", true),
            ("*b", "a/b", true),
            ("a*c", "abc", true),
            ("a*c", "abd", false),
            ("*", "", true),
            ("a", "ab", false),
        ] {
            assert_eq!(matches_pattern(pattern, text), fit, "{pattern} {text}");
        }
    }

    #[test]
    fn mistakes_have_a_location() {
        for (text, line, part) in [
            (
                "findings:\n  - { scenario: a, rule: r, kind: known, reason: \"\" }",
                2,
                "needs a `reason`",
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
                "a date such as",
            ),
            ("findingz: []", 1, "findings"),
        ] {
            let errors = load("b.yaml".into(), text).unwrap_err();
            assert_eq!(errors[0].span.line, line, "{text}");
            assert!(errors[0].message.contains(part), "{}", errors[0].message);
        }
    }
}
