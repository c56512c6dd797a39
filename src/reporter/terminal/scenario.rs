//! One scenario: its line, and its block if it did not pass.

use super::super::text;
use super::{finding, style};
use crate::finding::Level;
use crate::report::{Command, Report, ScenarioReport};
use std::io::{self, Write};

/// The line of a scenario that has ended.
///
/// # Errors
/// What the writer reports.
pub fn line(scenario: &ScenarioReport, out: &mut dyn Write) -> io::Result<()> {
    let style = style::verdict(scenario.verdict);
    let word = text::verdict(scenario.verdict).to_uppercase();
    let seconds = scenario.duration_ms as f64 / 1000.0;
    write!(
        out,
        "{style}{word:>13}{style:#} [{seconds:>8.3}s] {}",
        text::visible(&scenario.id)
    )?;
    if !scenario.reason.is_empty() {
        write!(out, ": {}", text::visible(&scenario.reason))?;
    }
    writeln!(out)
}

/// What is wrong with a scenario, in full.
pub(super) fn block(
    report: &Report,
    scenario: &ScenarioReport,
    out: &mut dyn Write,
) -> io::Result<()> {
    let style = style::verdict(scenario.verdict);
    let word = text::verdict(scenario.verdict).to_uppercase();
    writeln!(
        out,
        "\n{style}{word}{style:#} {}{}{:#}",
        style::BOLD,
        text::visible(&scenario.id),
        style::BOLD
    )?;
    if !scenario.reason.is_empty() {
        writeln!(out, "  {}", text::visible(&scenario.reason))?;
    }
    for finding in scenario
        .findings
        .iter()
        .filter(|finding| finding.level > Level::May)
    {
        finding::block(report, finding, out)?;
    }
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
            writeln!(
                out,
                "            {}{}{:#}",
                style::DIM,
                text::visible(line),
                style::DIM
            )?;
        }
    }
    if !scenario.transcript.is_empty() && report.command == Command::Run {
        writeln!(out, "\nTranscript  {}", scenario.transcript)?;
    }
    Ok(())
}
