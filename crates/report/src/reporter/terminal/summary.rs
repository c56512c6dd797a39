//! The end of the terminal report: causes, notes, stale baseline entries, counts and coverage.

use super::super::text;
use super::finding::{BOLD, DIM, verdict_style};
use super::{cause, scenario};
use crate::{Cause, ReasonGroup, Report, ReportCommand, ScenarioReport, Verdict, VerdictCounts};
use conform_judge::finding::Level;
use std::io::{self, Write};

/// The most unexercised rules that are listed by name.
const NAMES: usize = 8;
/// The most causes that are written in full. The others explain the least.
const IN_FULL: usize = 25;

/// The content of the closing part in addition to the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Details {
    /// Each cause once, with an example
    #[default]
    Causes,
    /// Also every finding of every scenario
    All,
}

/// Writes a whole report: the lines of all scenarios and the closing part.
pub(in crate::reporter) fn render(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    for scenario in &report.scenarios {
        scenario::line(scenario, report.side, scenario::LINE_WIDTH, out)?;
    }
    closing(report, Details::default(), out)
}

/// Writes only the causes to fix, each in full.
///
/// # Errors
/// The writer fails.
pub fn causes(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let full: Vec<_> = report.causes.iter().filter(is_in_full).collect();
    in_full(report, ("CAUSE", &full), full.len(), out)
}

/// Writes causes in full, which are the first ones of this many.
fn in_full(
    report: &Report,
    (word, causes): (&str, &[&Cause]),
    of: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut numbered = (1..).zip(causes);
    numbered.try_for_each(|(number, cause)| cause::block(report, cause, (word, number, of), out))
}

/// Writes everything that follows the lines of the scenarios.
///
/// # Errors
/// The writer fails.
pub fn closing(report: &Report, details: Details, out: &mut dyn Write) -> io::Result<()> {
    if details == Details::All {
        let mut detailed = report.scenarios.iter().filter(|s| has_details(report, s));
        detailed.try_for_each(|scenario| scenario::block(report, scenario, out))?;
    }
    without_result(report, out)?;
    inconclusive(report, out)?;
    all_causes(report, details, out)?;
    stale(report, out)?;
    writeln!(out, "{}------------{:#}", DIM, DIM)?;
    counts_line(report, out)?;
    causes_line(report, out)?;
    baseline_line(report, out)?;
    coverage(report, details, out)
}

/// Writes the causes: those that the baseline covers and the notes in a line each, then the others in full, up to a number.
fn all_causes(report: &Report, details: Details, out: &mut dyn Write) -> io::Result<()> {
    let (mut full, lines): (Vec<_>, Vec<_>) = report.causes.iter().partition(is_in_full);
    let of = full.len();
    let rest = match details {
        Details::Causes => full.split_off(of.min(IN_FULL)),
        Details::All => Vec::new(),
    };
    if !lines.is_empty() {
        writeln!(out)?;
    }
    lines
        .iter()
        .try_for_each(|cause| cause::line(report, cause, out))?;
    in_full(report, ("CAUSE", &full), of, out)?;
    if !rest.is_empty() {
        let rest = text::count(rest.len() as u64, "smaller cause");
        writeln!(
            out,
            "\n{rest} in a line each; --details all shows them in full"
        )?;
    }
    rest.iter()
        .try_for_each(|cause| cause::line(report, cause, out))
}

/// Whether a cause is something to fix, and neither a note nor known.
fn is_in_full(cause: &&Cause) -> bool {
    cause.level > Level::May && cause.baseline.is_none()
}

/// Writes what was found only in scenarios that are inconclusive.
fn inconclusive(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let all: Vec<_> = report.inconclusive.iter().take(IN_FULL).collect();
    in_full(report, ("INCONCLUSIVE", &all), all.len(), out)
}

/// Writes why scenarios have no result, each reason once.
fn without_result(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    // The lines of skipped scenarios have the reason.
    let is_open = |group: &&ReasonGroup| group.verdict != Verdict::Skipped;
    let groups: Vec<_> = report.without_result.iter().filter(is_open).collect();
    if !groups.is_empty() {
        writeln!(out)?;
    }
    for group in groups {
        let style = verdict_style(group.verdict);
        write!(
            out,
            "{style}{}{style:#} {}",
            text::verdict(group.verdict).to_uppercase(),
            text::folded(report, &group.scenarios)
        )?;
        match group.reason.as_str() {
            "" => writeln!(out)?,
            reason => writeln!(out, ": {}", text::visible(reason))?,
        }
    }
    Ok(())
}

/// Writes the number of causes.
fn causes_line(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let full = report.causes.iter().filter(is_in_full);
    let counted: Vec<_> = full.filter(|cause| cause.blame == report.side).collect();
    if counted.is_empty() {
        return Ok(());
    }
    let explained = |cause: &&&Cause| cause.findings + cause.echoes;
    let findings: u64 = counted.iter().map(|cause| explained(&cause)).sum();
    let causes = text::count(counted.len() as u64, "cause");
    let findings = text::count(findings, "finding");
    writeln!(out, "{:>13} {causes} of {findings}", "Causes")
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

/// Writes how many entries of the baseline have no reason yet.
fn baseline_line(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let Some(used) = report
        .baseline
        .as_ref()
        .filter(|used| used.without_reason > 0)
    else {
        return Ok(());
    };
    let style = verdict_style(Verdict::Warn);
    let all = match used.entries {
        1 => "1 entry".to_owned(),
        all => format!("{all} entries"),
    };
    writeln!(
        out,
        "{:>13} {style}{} of {all} without a reason{style:#}; write into `reason` why the cause is accepted",
        "Baseline", used.without_reason
    )
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
    for (number, word, verdict) in counts(&report.summary) {
        if number > 0 {
            let style = verdict_style(verdict);
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

/// The counts, each with its word and the verdict that gives it its colour.
fn counts(summary: &VerdictCounts) -> [(u32, &'static str, Verdict); 8] {
    use Verdict::{Broken, Fail, Inconclusive, NotExercised, Pass, Skipped, Warn};
    [
        (summary.passed, "passed", Pass),
        (summary.failed, "failed", Fail),
        (summary.warned, "warned", Warn),
        (summary.inconclusive, "inconclusive", Inconclusive),
        (summary.not_exercised, "not exercised", NotExercised),
        (summary.skipped, "skipped", Skipped),
        (summary.broken, "broken", Broken),
        (summary.flaky, "flaky", Warn),
    ]
}

fn coverage(report: &Report, details: Details, out: &mut dyn Write) -> io::Result<()> {
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
    let open = &report.coverage.readings;
    if details == Details::Causes && !open.is_empty() {
        let points = text::count(open.len() as u64, "point");
        return writeln!(
            out,
            "{:>13} {points} that the specification leaves open; --details all shows what the agent does",
            "Readings"
        );
    }
    for (rule, readings) in open {
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
