//! Text helpers that the formats share: words for verdicts and levels, escaping, line wrapping, plurals.

use crate::shell_words::quoted;
use crate::verdict_rules::is_of_a_step;
use crate::{Cause, Report, ReportCommand, ScenarioReport, Verdict};
use conform_judge::finding::{Baselined, BaselinedKind, Blame, Evidence, Finding, Level};
use indexmap::{IndexMap, IndexSet};
use serde_json::Value;
use std::cmp::Reverse;

/// A verdict in words.
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Warn => "warn",
        Verdict::Inconclusive => "inconclusive",
        Verdict::NotExercised => "not exercised",
        Verdict::Skipped => "skipped",
        Verdict::Broken => "broken",
    }
}

/// Remarks that the verdict does not contain: the number of tries, and the findings that a baseline covers.
pub(super) fn remarks(scenario: &ScenarioReport) -> String {
    let mut remarks = Vec::new();
    let tries = scenario.tries.len() + 1;
    if tries > 1 {
        remarks.push(if scenario.flaky {
            format!("failed before, passed in try {tries}")
        } else {
            format!("in the last of {tries} tries")
        });
    }
    let marks = || scenario.findings.iter().filter_map(|f| f.baseline.as_ref());
    for (kind, adjective) in KINDS {
        let number = marks().filter(|mark| mark.kind == kind).count() as u64;
        if number > 0 {
            remarks.push(count(number, &format!("{adjective} finding")));
        }
    }
    remarks.join(", ")
}

/// The message of the first cause of a scenario on the judged side that no baseline covers, and the number of its other causes. The most severe ones come
/// first, and rules before steps, which show less about the reason.
pub(super) fn first_cause(scenario: &ScenarioReport, side: Blame) -> Option<(&str, usize)> {
    let is_cause = |finding: &&Finding| {
        let counts = finding.blame == side && finding.level > Level::May;
        counts && !finding.is_echo() && finding.baseline.is_none()
    };
    let causes: Vec<&Finding> = scenario.findings.iter().filter(is_cause).collect();
    let order = |finding: &&&Finding| (Reverse(finding.level), is_of_a_step(&finding.rule));
    let first = causes.iter().min_by_key(order)?;
    let ids: IndexSet<&str> = causes
        .iter()
        .map(|finding| finding.cause.as_str())
        .collect();
    Some((&first.message, ids.len() - 1))
}

/// The command that explains the rule of a cause in the dialect that was judged.
pub(super) fn explain(report: &Report, cause: &Cause) -> String {
    let of_scenario = cause.example.scenario.split('/').next();
    let mut dialects = report.dialect.iter();
    let judged = match &report.dialect[..] {
        [only] => Some(only),
        _ => dialects.find(|id| of_scenario == Some(id.as_str())),
    };
    let dialect = judged.map_or(String::new(), |id| format!("--dialect {id} "));
    let folder = report.dialect_dir.iter();
    let folder: String = folder
        .map(|folder| format!("--dialect-dir {} ", quoted(folder)))
        .collect();
    format!("conform explain {folder}{dialect}{}", quoted(&cause.rule))
}

/// The kinds of baseline entries, in words.
const KINDS: [(BaselinedKind, &str); 2] = [
    (BaselinedKind::Known, "known"),
    (BaselinedKind::Flaky, "flaky"),
];

/// The kind of the baseline entry that covers a finding, and its reason.
pub(super) fn mark(mark: &Baselined) -> String {
    let kind = kind(mark);
    match mark.reason.as_str() {
        "" => format!("{kind}, without a reason"),
        reason => format!("{kind}: {}", visible(reason)),
    }
}

/// The kind of the baseline entry that covers a finding.
pub(super) fn kind(mark: &Baselined) -> &'static str {
    let kind = KINDS.iter().find(|(kind, _)| *kind == mark.kind);
    kind.map_or("known", |(_, word)| word)
}

/// The sender of a frame, from the transcript's word for its direction.
pub fn who(dir: &str) -> &str {
    match dir {
        "from_agent" => "agent",
        "to_agent" => "host",
        "llm_request" => "to model",
        "llm_reply" => "model",
        "mcp_request" => "to MCP",
        "stdin_closed" => "host",
        other => other,
    }
}

/// The text on one line and safe for a terminal: control characters in the agent's output must not move the cursor.
pub fn visible(text: &str) -> String {
    text.chars()
        .fold(String::with_capacity(text.len()), |mut out, char| {
            if char.is_control() || is_layout(char) {
                out.extend(char.escape_default());
            } else {
                out.push(char);
            }
            out
        })
}

/// A value in words, on one line and safe for a terminal.
pub(super) fn shown(value: &impl ToString) -> String {
    visible(&value.to_string())
}

/// Whether a character breaks lines or changes the direction of writing.
fn is_layout(char: char) -> bool {
    matches!(char, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// A duration in a readable unit.
pub(super) fn micros(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..10_000_000 => format!("{}.{} ms", micros / 1_000, micros / 100 % 10),
        _ => format!("{} s", micros / 1_000_000),
    }
}

/// A number and its noun.
pub fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The text, wrapped between words into lines of at most `width` characters. A longer word gets a line of its own.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Clauses: each id with its section and text, or the id alone if the report does not contain the clause.
pub(super) fn cited(report: &Report, clauses: &[String]) -> Vec<String> {
    let quote = |id: &String| match report.clauses.get(id) {
        Some(clause) => format!(
            "{id} (section {}, {}): {}",
            clause.section,
            clause.strength.word(),
            clause.text
        ),
        None => id.clone(),
    };
    clauses.iter().map(quote).collect()
}

/// What a scenario shows, in one line; `None` for a transcript.
pub(super) fn scenario_name<'a>(report: &'a Report, id: &str) -> Option<&'a str> {
    let scenario = report.scenarios.iter().find(|one| one.id == id)?;
    Some(scenario.name.as_str()).filter(|name| !name.is_empty())
}

/// The number of scenarios of a cause.
pub(super) fn extent(report: &Report, cause: &Cause) -> String {
    let noun = match report.command {
        ReportCommand::Run => "scenario",
        ReportCommand::Check => "transcript",
    };
    let all = report.scenarios.len() as u64;
    match cause.scenarios.len() as u64 {
        one if one == all => count(all, noun),
        some => format!("{some} of {}", count(all, noun)),
    }
}

/// The most entries of a folded list.
const FOLDED: usize = 8;

/// A list of scenarios, folded: those of one folder are shown as a pattern with their number.
pub(super) fn folded(report: &Report, scenarios: &[String]) -> String {
    let own = |id: &'_ String| match &report.dialect[..] {
        [dialect] => {
            let own = id.strip_prefix(dialect.as_str());
            own.and_then(|rest| rest.strip_prefix('/'))
                .map_or_else(|| id.clone(), str::to_owned)
        }
        _ => id.clone(),
    };
    let mut folders: IndexMap<String, Vec<String>> = IndexMap::new();
    for id in scenarios.iter().map(own) {
        let folder = id.rsplit_once('/').map_or("", |(folder, _)| folder);
        folders.entry(folder.to_owned()).or_default().push(id);
    }
    folders.sort_by(|a, one, b, other| other.len().cmp(&one.len()).then(a.cmp(b)));
    let entries = folders.iter().map(|(folder, ids)| match &ids[..] {
        [only] => only.clone(),
        ids if folder.is_empty() => ids.join(", "),
        ids => format!("{folder}/* ({})", ids.len()),
    });
    let mut entries: Vec<String> = entries.map(|entry| visible(&entry)).collect();
    if entries.len() > FOLDED {
        let rest = folders.values().skip(FOLDED - 1).map(Vec::len);
        let rest: usize = rest.sum();
        entries.truncate(FOLDED - 1);
        entries.push(format!("{rest} more"));
    }
    entries.join(", ")
}

/// The first sentence of a text.
#[must_use]
pub fn first_sentence(text: &str) -> &str {
    text.split_once(". ")
        .map_or(text, |(first, _)| &text[..=first.len()])
}

/// A text, cut to this number of characters.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The value that a pointer into the wrong frame points at.
pub(super) fn value_at(frames: &[Evidence], pointer: &str) -> Option<String> {
    let frame = frames.iter().find(|evidence| evidence.here)?;
    let json: Value = json_matcher::read_json(frame.text.as_bytes()).ok()?;
    let value = json.pointer(pointer).filter(|_| !pointer.is_empty())?;
    let value = json_matcher::numbers_as_written(&value.to_string(), &frame.text);
    Some(format!("{value} at {pointer}"))
}

/// The actual value: the one that the finding points at, otherwise the whole frame.
pub(super) fn actual(finding: &Finding) -> Option<String> {
    let frame = finding.evidence.iter().find(|evidence| evidence.here)?;
    let value = value_at(&finding.evidence, &finding.pointer);
    Some(value.unwrap_or_else(|| frame.text.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::finding::Evidence;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(
            visible("a\u{1b}[2Jb\r\u{202e}c\u{9b}é"),
            "a\\u{1b}[2Jb\\r\\u{202e}c\\u{9b}é"
        );
    }

    #[test]
    fn the_command_that_explains_a_rule_is_quoted_for_the_shell() {
        let report = Report {
            dialect: vec!["d@1".into()],
            dialect_dir: Some("my dialects".into()),
            ..Report::default()
        };
        let of_host = Cause {
            rule: "d/schema/>set_mode".into(),
            ..Cause::default()
        };
        assert_eq!(
            explain(&report, &of_host),
            "conform explain --dialect-dir 'my dialects' --dialect d@1 'd/schema/>set_mode'"
        );
    }

    #[test]
    fn text_is_wrapped_between_words() {
        assert_eq!(
            wrap("a bc  def ghijklm n", 6),
            ["a bc", "def", "ghijklm", "n"]
        );
    }

    #[test]
    fn the_actual_value_is_the_one_pointed_at() {
        let frame = Evidence {
            frame: 1,
            micros: 0,
            dir: "from_agent".into(),
            text: r#"{"a":[7,1e400,12345678901234567890123]}"#.into(),
            here: true,
        };
        let mut finding = Finding::default();
        assert_eq!(actual(&finding), None);
        finding.evidence = vec![frame];
        for (pointer, expected) in [
            ("/a/0", "7 at /a/0"),
            ("/a/1", "1e400 at /a/1"),
            ("/a/2", "12345678901234567890123 at /a/2"),
            ("/b", r#"{"a":[7,1e400,12345678901234567890123]}"#),
            ("", r#"{"a":[7,1e400,12345678901234567890123]}"#),
        ] {
            finding.pointer = pointer.into();
            assert_eq!(actual(&finding).as_deref(), Some(expected));
        }
    }

    #[test]
    fn durations_are_in_a_readable_unit() {
        assert_eq!(
            [0, 999, 57_940, 10_000_000].map(micros),
            ["0 µs", "999 µs", "57.9 ms", "10 s"]
        );
    }
}
