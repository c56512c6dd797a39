//! SARIF 2.1.0, for code scanning: a result for each cause, and a rule for each rule that a cause breaks.
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>

use super::{cause_text, text};
use crate::{Cause, Report, ReportCommand, ScenarioReport, Verdict};
use conform_judge::finding::Level;
use indexmap::IndexMap;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The schema that the document names.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The most scenarios of a cause that are related locations.
const RELATED: usize = 50;

pub(super) fn render(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut rules: IndexMap<&str, Vec<&Cause>> = IndexMap::new();
    for cause in &report.causes {
        rules.entry(&cause.rule).or_default().push(cause);
    }
    let results = report.causes.iter().map(|cause| {
        let index = rules.get_index_of(cause.rule.as_str());
        result(report, cause, index.unwrap_or_default())
    });
    let descriptors = rules.iter().map(|(id, causes)| rule(report, id, causes));
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": report.tool.name,
                    "semanticVersion": report.tool.version,
                    "rules": descriptors.collect::<Vec<_>>(),
                }
            },
            "invocations": [invocation(report)],
            "results": results.collect::<Vec<_>>(),
            "columnKind": "unicodeCodePoints",
        }]
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

/// The description of a rule, with the clauses that it checks as its help.
fn rule(report: &Report, id: &str, causes: &[&Cause]) -> Value {
    let doc = match report.rules.get(id) {
        Some(doc) => text::visible(doc.trim()),
        None => format!("The rule {id} of {}.", report.dialect.join(", ")),
    };
    let mut clauses: Vec<String> = causes.iter().flat_map(|one| one.clauses.clone()).collect();
    clauses.sort();
    clauses.dedup();
    let mut help = vec![doc.clone()];
    let cited = text::cited(report, &clauses);
    help.extend(cited.iter().map(|one| format!("Clause {one}")));
    help.push(format!("`conform explain {id}` says more."));
    let highest = causes.iter().map(|cause| cause.level).max();
    json!({
        "id": id,
        "shortDescription": { "text": text::first_sentence(&doc) },
        "fullDescription": { "text": doc },
        "help": { "text": help.join("\n\n") },
        "defaultConfiguration": { "level": level(highest.unwrap_or_default()) },
        "properties": { "clauses": clauses, "tags": report.dialect },
    })
}

fn result(report: &Report, cause: &Cause, rule_index: usize) -> Value {
    let mut lines = vec![text::visible(&cause.message)];
    lines.extend(cause_text::details(report, cause));
    let example = entry(report, &cause.example.scenario);
    let others = cause
        .scenarios
        .iter()
        .filter(|id| **id != cause.example.scenario);
    let related: Vec<Value> = others
        .take(RELATED)
        .map(|id| location(report, id, entry(report, id)))
        .collect();
    let is_counted = cause.blame == report.side;
    let mut result = json!({
        "ruleId": cause.rule,
        "ruleIndex": rule_index,
        "level": if is_counted { level(cause.level) } else { "note" },
        "message": { "text": lines.join("\n") },
        "locations": [location(report, &cause.example.scenario, example)],
        "relatedLocations": related,
        "partialFingerprints": { "conformCause/v1": cause.id },
        "occurrenceCount": (cause.findings + cause.echoes).max(1),
        "properties": {
            "scenarios": cause.scenarios,
            "clauses": cause.clauses,
            "blame": cause.blame.word(),
            "flaky": cause.flaky,
        },
    });
    if let Some(mark) = &cause.baseline {
        result["suppressions"] = json!([{
            "kind": "external",
            "status": "accepted",
            "justification": text::mark(mark),
        }]);
    }
    result
}

fn entry<'a>(report: &'a Report, id: &str) -> Option<&'a ScenarioReport> {
    report.scenarios.iter().find(|one| one.id == id)
}

/// A place of the user: the file of the scenario or of the agent, the program, or the transcript that was checked.
fn location(report: &Report, id: &str, entry: Option<&ScenarioReport>) -> Value {
    let file = entry
        .map(|entry| match report.command {
            ReportCommand::Run => entry.file.as_str(),
            ReportCommand::Check => entry.transcript.as_str(),
        })
        .filter(|file| !file.is_empty());
    let program = report.agent.first().filter(|program| !program.is_empty());
    // Code scanning refuses a document with a result that has no file, so the program stands in for one.
    let stand_in = program.map_or("conform.yaml", String::as_str);
    json!({
        "logicalLocations": [{ "fullyQualifiedName": id, "kind": "scenario" }],
        "message": { "text": id },
        "physicalLocation": {
            "artifactLocation": { "uri": uri(file.or(report.agent_file.as_deref()).unwrap_or(stand_in)) },
            "region": { "startLine": 1 },
        },
    })
}

/// The command line, and the scenarios without a result as notifications.
fn invocation(report: &Report) -> Value {
    let failures = report.without_result.iter().map(|group| {
        let level = match group.verdict {
            Verdict::Broken => "error",
            Verdict::Inconclusive => "warning",
            _ => "note",
        };
        let scenarios = text::count(group.scenarios.len() as u64, "scenario");
        let word = text::verdict(group.verdict);
        json!({
            "level": level,
            "message": { "text": format!("{scenarios} {word}: {}", text::visible(&group.reason)) },
        })
    });
    let stale = report
        .stale
        .iter()
        .map(|entry| json!({ "level": "error", "message": { "text": text::visible(entry) } }));
    let mut invocation = json!({
        "executionSuccessful": report.summary.broken == 0,
        "toolExecutionNotifications": failures.chain(stale).collect::<Vec<_>>(),
    });
    if !report.agent.is_empty() {
        invocation["properties"] = json!({ "agent": report.agent });
    }
    invocation
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "error",
        Level::Should => "warning",
        Level::May => "note",
    }
}

/// A path as a URI reference: relative to the working directory unless it is absolute.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'@' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(
            uri("scenarios/a@1/b c#%.yaml"),
            "scenarios/a@1/b%20c%23%25.yaml"
        );
        assert_eq!(uri("/tmp/ä:b"), "file:///tmp/%C3%A4%3Ab");
    }
}
