//! The end of the terminal report: failures in full, notes, stale baseline entries, counts and coverage.

use super::super::text;
use super::finding::{BOLD, DIM, level_style, verdict_style};
use super::scenario;
use crate::finding::{Finding, Level};
use crate::report::Verdict;
use crate::report::{Report, ReportCommand, ScenarioReport, VerdictCounts};
use indexmap::IndexMap;
use std::io::{self, Write};

/// The most unexercised rules that are listed by name.
const NAMES: usize = 8;

/// Writes a whole report: the lines of all scenarios and the closing part.
pub(in crate::reporter) fn render(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for scenario in &report.scenarios {
        scenario::line(scenario, out)?;
    }
    closing(report, out)
}

/// Writes everything that follows the lines of the scenarios.
///
/// # Errors
/// The writer fails.
pub fn closing(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for scenario in report
        .scenarios
        .iter()
        .filter(|scenario| has_details(report, scenario))
    {
        scenario::block(report, scenario, out)?;
    }
    notes(report, out)?;
    stale(report, out)?;
    writeln!(out, "{}------------{:#}", DIM, DIM)?;
    counts_line(report, out)?;
    coverage(report, out)
}

/// Whether a scenario has details beyond its line.
fn has_details(report: &Report, scenario: &ScenarioReport) -> bool {
    let has_transcript = report.command == ReportCommand::Run && !scenario.transcript.is_empty();
    let needs_attention =
        scenario.flaky || !matches!(scenario.verdict, Verdict::Pass | Verdict::Skipped);
    needs_attention && (has_transcript || !scenario.stderr.is_empty())
        || !scenario.tries.is_empty()
        || scenario
            .findings
            .iter()
            .any(|finding| finding.level > Level::May)
}

/// Writes the stale baseline entries, which fail the run.
fn stale(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for entry in &report.stale {
        let style = verdict_style(Verdict::Fail);
        writeln!(out, "\n{style}STALE{style:#} {}", text::visible(entry))?;
    }
    Ok(())
}

/// Writes each note once, with the first place that has it.
fn notes(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut notes: IndexMap<(&str, &str), (&str, &Finding, u64)> = IndexMap::new();
    for scenario in &report.scenarios {
        for finding in scenario
            .findings
            .iter()
            .filter(|finding| finding.level == Level::May)
        {
            notes
                .entry((&finding.rule, &finding.message))
                .or_insert((&scenario.id, finding, 0))
                .2 += 1;
        }
    }
    for ((rule, message), (id, first, times)) in notes {
        let style = level_style(Level::May);
        write!(
            out,
            "\n{style}NOTE{style:#} {}{rule}{:#} {}",
            BOLD,
            BOLD,
            text::visible(message)
        )?;
        write!(out, "\n     {} frame {}", text::visible(id), first.at)?;
        if times > 1 {
            write!(out, ", and {} more", text::count(times - 1, "time"))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn counts_line(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let noun = match report.command {
        ReportCommand::Run => "scenario",
        ReportCommand::Check => "transcript",
    };
    let total = text::count(report.scenarios.len() as u64, noun);
    let seconds = report.duration_ms as f64 / 1000.0;
    let bold = BOLD;
    write!(
        out,
        "{bold}{:>13}{bold:#} [{seconds:>8.3}s] {bold}{total}{bold:#}",
        "Summary"
    )?;
    let mut separator = ": ";
    for (number, word, style) in counts(&report.summary) {
        if number > 0 {
            write!(out, "{separator}{style}{number} {word}{style:#}")?;
            separator = ", ";
        }
    }
    if report.summary.known > 0 {
        let known = text::count(report.summary.known.into(), "known finding");
        let style = verdict_style(Verdict::Warn);
        write!(out, "; {style}{known}{style:#}")?;
    }
    if !report.stale.is_empty() {
        let (style, number) = (verdict_style(Verdict::Fail), report.stale.len());
        write!(out, "; {style}{number} stale in the baseline{style:#}")?;
    }
    writeln!(out)
}

fn counts(summary: &VerdictCounts) -> [(u32, &'static str, anstyle::Style); 8] {
    [
        (summary.passed, "passed", verdict_style(Verdict::Pass)),
        (summary.failed, "failed", verdict_style(Verdict::Fail)),
        (summary.warned, "warned", verdict_style(Verdict::Warn)),
        (
            summary.inconclusive,
            "inconclusive",
            verdict_style(Verdict::Inconclusive),
        ),
        (
            summary.not_exercised,
            "not exercised",
            verdict_style(Verdict::NotExercised),
        ),
        (summary.skipped, "skipped", verdict_style(Verdict::Skipped)),
        (summary.broken, "broken", verdict_style(Verdict::Broken)),
        (summary.flaky, "flaky", verdict_style(Verdict::Warn)),
    ]
}

fn coverage(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let exercised = report.coverage.clauses_exercised.len();
    let all = exercised + report.coverage.clauses_not_exercised.len();
    if all > 0 {
        writeln!(
            out,
            "{:>13} {exercised} of {all} testable clauses exercised",
            "Clauses"
        )?;
    }
    rules(report, out)?;
    for (rule, readings) in &report.coverage.readings {
        let counts = readings
            .iter()
            .map(|(reading, times)| format!("{reading} ({times}×)"))
            .collect::<Vec<_>>()
            .join(", ");
        writeln!(out, "{:>13} {rule}: {counts}", "Reading")?;
    }
    Ok(())
}

fn rules(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let rules = &report.coverage.rules;
    if rules.is_empty() {
        return Ok(());
    }
    let idle: Vec<_> = rules
        .iter()
        .filter(|(_, exercised)| **exercised == 0)
        .map(|(rule, _)| rule.as_str())
        .collect();
    write!(
        out,
        "{:>13} {} of {} rules exercised",
        "Rules",
        rules.len() - idle.len(),
        rules.len()
    )?;
    if !idle.is_empty() && idle.len() <= NAMES {
        write!(out, ", not {}", idle.join(", "))?;
    }
    writeln!(out)
}
