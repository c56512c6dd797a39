//! The line of a scenario, and its details if it did not pass.

use super::super::text;
use super::finding::{self, BOLD, DIM, verdict_style};
use crate::Verdict;
use crate::{Report, ReportCommand, ScenarioReport};
use anstyle::Style;
use conform_judge::finding::{Blame, Level};
use std::io::{self, Write};

/// The width of result lines where no terminal gives one, in columns.
pub const LINE_WIDTH: usize = 140;
/// The columns before the id in a result line: the verdict and the time.
const BEFORE_ID: usize = 26;
/// The fewest columns that are worth a cut text.
const LEAST_TEXT: usize = 20;

/// Writes the result line of a scenario, with its first cause on the judged side as far as `width` columns hold it.
///
/// # Errors
/// The writer fails.
pub fn line(
    scenario: &ScenarioReport,
    side: Blame,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (word, style) = word(scenario);
    let seconds = scenario.duration_ms as f64 / 1000.0;
    let id = text::visible(&scenario.id);
    write!(out, "{style}{word:>13}{style:#} [{seconds:>8.3}s] {id}")?;
    let mut tail = String::new();
    if !scenario.reason.is_empty() {
        write!(out, ": {}", text::visible(&scenario.reason))?;
    } else if let Some((message, more)) = text::first_cause(scenario, side) {
        if more > 0 {
            tail += &format!(" (and {more} more)");
        }
        let used = BEFORE_ID + id.chars().count() + ": ".len() + tail.len();
        let room = width.saturating_sub(used + "…".chars().count());
        let message = text::shortened(&text::visible(message), room.max(LEAST_TEXT));
        write!(out, ": {DIM}{message}{tail}{DIM:#}")?;
    }
    let remarks = text::remarks(scenario);
    if !remarks.is_empty() {
        write!(out, " ({remarks})")?;
    }
    writeln!(out)
}

/// Writes the line of scenarios that were left out, with the reason.
///
/// # Errors
/// The writer fails.
pub fn left_out(scenarios: usize, reason: &str, out: &mut dyn Write) -> io::Result<()> {
    let style = verdict_style(Verdict::Skipped);
    let scenarios = text::count(scenarios as u64, "scenario");
    writeln!(
        out,
        "{style}{:>13}{style:#} {scenarios}: {reason}",
        "SKIPPED"
    )
}

/// The result of a scenario as one word, with its colour.
fn word(scenario: &ScenarioReport) -> (String, Style) {
    if scenario.flaky {
        ("FLAKY".to_owned(), verdict_style(Verdict::Warn))
    } else {
        let word = text::verdict(scenario.verdict).to_uppercase();
        (word, verdict_style(scenario.verdict))
    }
}

/// Writes the failures of a scenario in full.
pub(super) fn block(
    report: &Report,
    scenario: &ScenarioReport,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (word, style) = word(scenario);
    writeln!(
        out,
        "\n{style}{word}{style:#} {}{}{:#}",
        BOLD,
        text::visible(&scenario.id),
        BOLD
    )?;
    if !scenario.reason.is_empty() {
        writeln!(out, "  {}", text::visible(&scenario.reason))?;
    }
    findings(report, scenario, out)?;
    if scenario.findings_dropped > 0 {
        writeln!(
            out,
            "\n  {} more of these rules, not listed",
            scenario.findings_dropped
        )?;
    }
    if !scenario.stderr.is_empty() {
        writeln!(out, "\n    Stderr  the last lines")?;
        for line in &scenario.stderr {
            writeln!(out, "            {}{}{:#}", DIM, text::visible(line), DIM)?;
        }
    }
    if !scenario.transcript.is_empty() && report.command == ReportCommand::Run {
        writeln!(out, "\nTranscript  {}", scenario.transcript)?;
    }
    for (n, one) in scenario.tries.iter().enumerate() {
        earlier(report, n + 1, one, out)?;
    }
    Ok(())
}

/// Writes the findings above a note.
fn findings(report: &Report, scenario: &ScenarioReport, out: &mut dyn Write) -> io::Result<()> {
    let mut counted = scenario.findings.iter().filter(|f| f.level > Level::May);
    counted.try_for_each(|finding| finding::block(report, finding, out))
}

/// Writes the failures of an earlier try.
fn earlier(report: &Report, n: usize, one: &ScenarioReport, out: &mut dyn Write) -> io::Result<()> {
    let (verdict, style) = (text::verdict(one.verdict), verdict_style(one.verdict));
    write!(out, "\n  {style}Try {n}: {verdict}{style:#}")?;
    if !one.reason.is_empty() {
        write!(out, ", {}", text::visible(&one.reason))?;
    }
    writeln!(out)?;
    findings(report, one, out)?;
    if !one.transcript.is_empty() {
        writeln!(out, "\nTranscript  {}", one.transcript)?;
    }
    Ok(())
}
