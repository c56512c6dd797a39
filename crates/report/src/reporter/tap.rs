//! TAP 14, the Test Anything Protocol: a test point for each scenario, with its causes in a YAML block.
//! <https://testanything.org/tap-version-14-specification.html>

use super::text;
use crate::{Report, ScenarioReport, Verdict};
use conform_judge::finding::{Finding, Level};
use indexmap::IndexMap;
use serde_json::{Value, json};
use std::io::{self, Write};

pub(super) fn render(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let points = report.scenarios.len() + report.stale.len();
    writeln!(out, "TAP version 14")?;
    writeln!(out, "1..{points}")?;
    for (index, scenario) in report.scenarios.iter().enumerate() {
        point(index + 1, report, scenario, out)?;
    }
    for (index, entry) in report.stale.iter().enumerate() {
        let number = report.scenarios.len() + index + 1;
        writeln!(out, "not ok {number} - baseline: {}", escaped(entry))?;
    }
    Ok(())
}

fn point(
    number: usize,
    report: &Report,
    scenario: &ScenarioReport,
    out: &mut dyn Write,
) -> io::Result<()> {
    let result = match scenario.verdict {
        Verdict::Fail | Verdict::Inconclusive | Verdict::Broken => "not ok",
        Verdict::Pass | Verdict::Warn | Verdict::Skipped | Verdict::NotExercised => "ok",
    };
    write!(out, "{result} {number} - {}", escaped(&scenario.id))?;
    match scenario.verdict {
        Verdict::Skipped | Verdict::NotExercised => {
            writeln!(out, " # SKIP {}", escaped(&scenario.reason))?;
        }
        _ => writeln!(out)?,
    }
    block(report, scenario, out)
}

/// Writes the YAML block of a test point, unless it passed with notes at most. JSON values are YAML, independent of what the agent wrote.
fn block(report: &Report, scenario: &ScenarioReport, out: &mut dyn Write) -> io::Result<()> {
    let causes = causes(report, scenario);
    let only_notes = scenario.findings.iter().all(|one| one.level == Level::May);
    let is_plain = matches!(scenario.verdict, Verdict::Pass | Verdict::Skipped);
    if is_plain && only_notes && !scenario.flaky {
        return Ok(());
    }
    writeln!(out, "  ---")?;
    let word = if scenario.flaky {
        "flaky"
    } else {
        text::verdict(scenario.verdict)
    };
    member(out, "verdict", &json!(word))?;
    if !scenario.reason.is_empty() {
        member(out, "reason", &json!(text::visible(&scenario.reason)))?;
    }
    member(out, "duration_ms", &json!(scenario.duration_ms))?;
    if !scenario.transcript.is_empty() {
        member(out, "transcript", &json!(scenario.transcript))?;
    }
    if !causes.is_empty() {
        writeln!(out, "  causes:")?;
    }
    for cause in causes {
        for (index, (key, value)) in cause.iter().enumerate() {
            let dash = if index == 0 { "-" } else { " " };
            writeln!(out, "    {dash} {key}: {value}")?;
        }
    }
    writeln!(out, "  ...")
}

fn member(out: &mut dyn Write, key: &str, value: &Value) -> io::Result<()> {
    writeln!(out, "  {key}: {value}")
}

/// The causes of the findings of a scenario, each once. A finding that only follows from another one is left out.
fn causes(report: &Report, scenario: &ScenarioReport) -> Vec<IndexMap<&'static str, Value>> {
    let mut causes: IndexMap<&str, (&Finding, u64)> = IndexMap::new();
    for finding in scenario
        .findings
        .iter()
        .filter(|finding| !finding.is_echo())
    {
        causes.entry(&finding.cause).or_insert((finding, 0)).1 += 1;
    }
    let members = causes.into_iter().map(|(id, (finding, times))| {
        let mut members = IndexMap::from([
            ("id", json!(id)),
            ("level", json!(finding.level.word())),
            ("rule", json!(text::visible(&finding.rule))),
            ("message", json!(text::visible(&finding.message))),
            ("frame", json!(finding.at)),
            ("findings", json!(times)),
        ]);
        if !finding.clauses.is_empty() {
            members.insert("clauses", json!(finding.clauses));
        }
        if let Some(mark) = &finding.baseline {
            members.insert("baseline", json!(text::mark(mark)));
        }
        if finding.blame != report.side {
            members.insert("blame", json!(finding.blame.word()));
        }
        if !finding.rerun.is_empty() {
            members.insert("rerun", json!(text::visible(&finding.rerun)));
        }
        members
    });
    members.collect()
}

/// A description on one line, in which `#` would begin a directive.
fn escaped(description: &str) -> String {
    text::visible(description)
        .replace('\\', "\\\\")
        .replace('#', "\\#")
}
