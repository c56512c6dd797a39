//! The format of baseline files (YAML): their parser, and their text.

use super::date::Date;
use super::entry::{Accepted, Baseline, BaselineEntry};
use conform_judge::finding::BaselinedKind;
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
    /// Entries of the old form, one for each scenario and rule.
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
    #[serde(default)]
    scenarios: Vec<String>,
    /// The situations, in any scenario, for a `flaky` cause: the last action of the host, and its moment in the dialect's `explore.yaml`, such as
    /// `abort at tool`.
    #[serde(default)]
    situations: Spanned<Vec<String>>,
    /// Whether it is found every time (`known`) or now and then (`flaky`).
    #[serde(default)]
    kind: BaselinedKind,
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
    kind: BaselinedKind,
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
    let mut entries = Vec::new();
    for entry in file.causes {
        entries.push(by_cause(entry, &node, &mut errors));
    }
    for entry in file.findings {
        entries.push(by_rule(entry, &node, &mut errors));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let comment = text.lines().take_while(|line| line.starts_with('#'));
    Ok(Baseline {
        absent: Vec::new(),
        path,
        head: comment.map(|line| format!("{line}\n")).collect(),
        entries,
    })
}

/// The id of a cause without the words on stderr that distinguish it in the report: they vary.
fn without_words(id: String) -> String {
    id.split_once('~')
        .map_or(id.clone(), |(id, _)| id.to_owned())
}

fn by_cause(entry: Spanned<CauseFile>, node: &Node, errors: &mut Vec<Error>) -> BaselineEntry {
    let Spanned { value, span } = entry;
    if value.cause.trim().is_empty() {
        let message = "an entry needs the id of a cause, as the report shows it";
        errors.push(node.error_at(value.cause.span, message));
    }
    if value.scenarios.is_empty() && value.situations.is_empty() {
        let message = "an entry needs a scenario; `*` is every scenario";
        errors.push(node.error_at(value.cause.span, message));
    }
    if value.kind == BaselinedKind::Known && !value.situations.is_empty() {
        let message = "`situations` are for intermittent causes: `kind: flaky`";
        errors.push(node.error_at(value.situations.span, message));
    }
    BaselineEntry {
        span,
        accepted: Accepted::Cause(without_words(value.cause.value)),
        what: value.what,
        scenarios: value.scenarios,
        situations: value.situations.value,
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
        scenarios: vec![value.scenario],
        situations: Vec::new(),
        kind: value.kind,
        reason: value.reason.value,
        expires: value.expires,
    }
}

const HEAD: &str = "\
# Known causes, written by `conform run --baseline FILE --update-baseline`. Write into each `reason` why it is accepted.
# An entry with `kind: flaky` need not match in every run; `expires: YYYY-MM-DD` sets the last day of an entry.
";

/// The first line of baselines of the old form.
const OLD_HEAD: &str = "# Accepted findings: ";

/// The text of a baseline with these entries, those by cause first. `head` is the comment at the top of the file, if there was one.
pub(super) fn file_text(head: &str, entries: &[BaselineEntry]) -> String {
    let is_own = head.is_empty() || head.starts_with(OLD_HEAD);
    let (mut causes, mut findings) = (String::new(), String::new());
    for entry in entries {
        let list = |texts: &[String]| {
            let texts: Vec<_> = texts.iter().map(|one| quoted(one)).collect();
            texts.join(", ")
        };
        let id = quoted(entry.subject());
        let (what, reason) = (quoted(&entry.what), quoted(&entry.reason));
        let text = match entry.accepted {
            Accepted::Cause(_) => {
                causes += &format!("  - cause: {id}\n    what: {what}\n");
                for (key, texts) in [
                    ("scenarios", &entry.scenarios),
                    ("situations", &entry.situations),
                ] {
                    if !texts.is_empty() {
                        causes += &format!("    {key}: [{}]\n", list(texts));
                    }
                }
                &mut causes
            }
            Accepted::Rule(_) => {
                findings += &format!("  - scenario: {}\n    rule: {id}\n", list(&entry.scenarios));
                &mut findings
            }
        };
        *text += match (entry.kind, &entry.accepted) {
            (BaselinedKind::Flaky, _) => "    kind: flaky\n",
            (BaselinedKind::Known, Accepted::Rule(_)) => "    kind: known\n",
            (BaselinedKind::Known, Accepted::Cause(_)) => "",
        };
        *text += &format!("    reason: {reason}\n");
        let expires = entry.expires.map(|day| format!("    expires: {day}\n"));
        *text += &expires.unwrap_or_default();
    }
    let head = if is_own { HEAD } else { head };
    let causes = match causes.as_str() {
        "" => "causes: []\n".to_owned(),
        causes => format!("causes:\n{causes}"),
    };
    match findings.as_str() {
        "" => format!("{head}{causes}"),
        findings => format!("{head}{causes}findings:\n{findings}"),
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
