//! The format of baseline files (YAML) and their parser.

use super::date::Date;
use super::entry::{Accepted, Baseline, BaselineEntry, EntryKind, ScenarioPattern};
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::{Error, Node, Spanned};
use std::path::PathBuf;

/// Causes of findings that are accepted, known or flaky.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "conform baseline")]
pub struct BaselineFile {
    /// The accepted causes; `--update-baseline` writes them.
    #[serde(default)]
    causes: Vec<Spanned<CauseFile>>,
    /// Entries of the old form, one for each scenario and rule; `--update-baseline` turns them into causes.
    #[serde(default)]
    findings: Vec<Spanned<FindingFile>>,
}

/// An accepted cause.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CauseFile {
    /// The id of the cause, as the report shows it; `*` matches any characters, so that `request-*` is every cause of that rule.
    cause: Spanned<String>,
    /// The rule and what is wrong, for readers.
    #[serde(default)]
    what: String,
    /// The scenarios: `DIALECT/PATH`, or `PATH` in every dialect; `*` matches any characters.
    scenarios: Spanned<Vec<String>>,
    /// Whether it is found every time (`known`) or now and then (`flaky`).
    #[serde(default)]
    kind: EntryKind,
    /// Why it is accepted, written by a person.
    #[serde(default)]
    reason: String,
    /// The last day on which it is accepted.
    #[serde(default)]
    expires: Option<Date>,
}

/// An entry of the old form, one for each scenario and rule.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FindingFile {
    /// The id of the scenario; `*` matches any characters.
    scenario: String,
    /// The id of the rule.
    rule: String,
    /// Whether it is found every time.
    kind: EntryKind,
    /// Why it is accepted.
    reason: Spanned<String>,
    /// The last day on which it is accepted.
    #[serde(default)]
    expires: Option<Date>,
}

/// Parses a baseline file.
///
/// # Errors
/// Every mistake with its location.
pub fn load(path: PathBuf, text: &str) -> Result<Baseline, Vec<Error>> {
    let node = spanned_yaml::load_yaml(&path, text).map_err(|e| vec![e])?;
    let file: BaselineFile = spanned_yaml::decode_all(&node)?;
    let mut errors = Vec::new();
    if node.get("causes").is_none() && node.get("findings").is_none() {
        errors.push(node.error_at(node.span(), "a baseline has a list `causes`"));
    }
    let mut entries: Vec<BaselineEntry> = Vec::new();
    for entry in file.causes {
        entries.push(by_cause(entry, &node, &mut errors));
    }
    for entry in file.findings {
        entries.push(by_rule(entry, &node, &mut errors));
    }
    if errors.is_empty() {
        let comment = text.lines().take_while(|line| line.starts_with('#'));
        let head = comment.map(|line| format!("{line}\n")).collect();
        Ok(Baseline {
            path,
            head,
            entries,
        })
    } else {
        Err(errors)
    }
}

fn by_cause(entry: Spanned<CauseFile>, node: &Node, errors: &mut Vec<Error>) -> BaselineEntry {
    let Spanned { value, span } = entry;
    if value.cause.trim().is_empty() {
        let message = "an entry needs the id of a cause, as the report shows it";
        errors.push(node.error_at(value.cause.span, message));
    }
    if value.scenarios.is_empty() {
        let message = "an entry needs a scenario; `*` is every scenario";
        errors.push(node.error_at(value.scenarios.span, message));
    }
    let scenarios = value.scenarios.value.into_iter().map(ScenarioPattern);
    BaselineEntry {
        span,
        accepted: Accepted::Cause(value.cause.value),
        what: value.what,
        scenarios: scenarios.collect(),
        kind: value.kind,
        reason: value.reason.trim().to_owned(),
        expires: value.expires,
    }
}

fn by_rule(entry: Spanned<FindingFile>, node: &Node, errors: &mut Vec<Error>) -> BaselineEntry {
    let Spanned { value, span } = entry;
    if value.reason.trim().is_empty() {
        errors.push(node.error_at(
            value.reason.span,
            "an entry needs a `reason`: why is this finding accepted?",
        ));
    }
    BaselineEntry {
        span,
        accepted: Accepted::Rule(value.rule),
        what: String::new(),
        scenarios: vec![ScenarioPattern(value.scenario)],
        kind: value.kind,
        reason: value.reason.value,
        expires: value.expires,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_comment_at_the_top_is_kept() {
        let text = "# Ours.\n# Ask Jo.\ncauses: []\n# not this\n";
        let baseline = load("b.yaml".into(), text).unwrap();
        assert_eq!(baseline.head, "# Ours.\n# Ask Jo.\n");
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
            ("{}", 1, "a list `causes`"),
            (
                "causes:\n  - { cause: '', scenarios: ['*'], kind: known }",
                2,
                "the id of a cause",
            ),
            (
                "causes:\n  - { cause: a-1, scenarios: [], kind: known }",
                2,
                "needs a scenario",
            ),
        ] {
            let errors = load("b.yaml".into(), text).unwrap_err();
            assert_eq!(errors[0].span.line, line, "{text}");
            assert!(errors[0].message.contains(part), "{}", errors[0].message);
        }
    }
}
