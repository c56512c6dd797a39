//! What follows the last scenario: failures in full, notes, the sum.

use super::super::text;
use super::{scenario, style};
use crate::finding::{Finding, Level};
use crate::report::Verdict;
use crate::report::{Command, Report, ScenarioReport, Summary};
use indexmap::IndexMap;
use std::io::{self, Write};

/// Up to how many rules are named that met nothing.
const NAMES: usize = 8;

/// Everything behind the scenarios' lines.
///
/// # Errors
/// What the writer reports.
pub fn closing(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for scenario in report
        .scenarios
        .iter()
        .filter(|scenario| has_more_to_say(report, scenario))
    {
        scenario::block(report, scenario, out)?;
    }
    notes(report, out)?;
    stale(report, out)?;
    writeln!(out, "{}------------{:#}", style::DIM, style::DIM)?;
    sum(report, out)?;
    coverage(report, out)
}

/// Whether a scenario's line does not tell all of it.
fn has_more_to_say(report: &Report, scenario: &ScenarioReport) -> bool {
    let kept = report.command == Command::Run && !scenario.transcript.is_empty();
    let remarkable =
        scenario.flaky || !matches!(scenario.verdict, Verdict::Pass | Verdict::Skipped);
    remarkable && (kept || !scenario.stderr.is_empty())
        || !scenario.tries.is_empty()
        || scenario
            .findings
            .iter()
            .any(|finding| finding.level > Level::May)
}

/// Baseline entries that fail the run.
fn stale(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for entry in &report.stale {
        let style = style::verdict(Verdict::Fail);
        writeln!(out, "\n{style}STALE{style:#} {}", text::visible(entry))?;
    }
    Ok(())
}

/// Notes are listed once each, with the first place where they were met.
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
        let style = style::level(Level::May);
        write!(
            out,
            "\n{style}NOTE{style:#} {}{rule}{:#} {}",
            style::BOLD,
            style::BOLD,
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

fn sum(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let noun = match report.command {
        Command::Run => "scenario",
        Command::Check => "transcript",
    };
    let total = text::count(report.scenarios.len() as u64, noun);
    let seconds = report.duration_ms as f64 / 1000.0;
    let bold = style::BOLD;
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
        let style = style::verdict(Verdict::Warn);
        write!(out, "; {style}{known}{style:#}")?;
    }
    if !report.stale.is_empty() {
        let (style, number) = (style::verdict(Verdict::Fail), report.stale.len());
        write!(out, "; {style}{number} stale in the baseline{style:#}")?;
    }
    writeln!(out)
}

fn counts(summary: &Summary) -> [(u32, &'static str, anstyle::Style); 8] {
    [
        (summary.passed, "passed", style::verdict(Verdict::Pass)),
        (summary.failed, "failed", style::verdict(Verdict::Fail)),
        (summary.warned, "warned", style::verdict(Verdict::Warn)),
        (
            summary.inconclusive,
            "inconclusive",
            style::verdict(Verdict::Inconclusive),
        ),
        (
            summary.not_exercised,
            "not exercised",
            style::verdict(Verdict::NotExercised),
        ),
        (summary.skipped, "skipped", style::verdict(Verdict::Skipped)),
        (summary.broken, "broken", style::verdict(Verdict::Broken)),
        (summary.flaky, "flaky", style::verdict(Verdict::Warn)),
    ]
}

fn coverage(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let met = report.coverage.clauses_exercised.len();
    let all = met + report.coverage.clauses_not_exercised.len();
    if all > 0 {
        writeln!(
            out,
            "{:>13} {met} of {all} testable clauses exercised",
            "Clauses"
        )?;
    }
    rules(report, out)?;
    for (probe, readings) in &report.coverage.readings {
        let met = readings
            .iter()
            .map(|(reading, times)| format!("{reading} ({times}×)"))
            .collect::<Vec<_>>()
            .join(", ");
        writeln!(out, "{:>13} {probe}: {met}", "Reading")?;
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
        .filter(|(_, met)| **met == 0)
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
