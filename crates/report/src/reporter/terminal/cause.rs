//! The text of one cause, at most a screen long, and the one line of a note or of a known cause.

use super::super::text;
use super::finding::{self, BOLD, DIM, label, labels, level_style};
use crate::{Cause, Report, ReportCommand};
use conform_judge::finding::{Evidence, Level};
use std::io::{self, Write};

/// The most clauses that are quoted; of the rest only the ids are listed.
const CLAUSES: usize = 2;
/// The most allowed alternatives that are listed.
const EXPECTED: usize = 4;
/// The most characters of a frame that is not the wrong one.
const FRAME: usize = 160;
/// The most lines of stderr.
const STDERR: usize = 6;
/// The width of lists, in characters.
const WIDTH: usize = 100;

/// Writes a cause in full. `number` is its place among the `of` causes that are written in full, and `word` says what they are.
pub(super) fn block(
    report: &Report,
    cause: &Cause,
    (word, number, of): (&str, usize, usize),
    out: &mut dyn Write,
) -> io::Result<()> {
    let style = level_style(cause.level);
    writeln!(
        out,
        "\n{style}{word} {number} of {of}{style:#} {BOLD}{}{BOLD:#}",
        text::visible(&cause.message)
    )?;
    writeln!(
        out,
        "  {style}{}{style:#} {} in {}{}",
        cause.level.word(),
        text::visible(&cause.rule),
        text::extent(report, cause),
        remarks(report, cause)
    )?;
    let cited = text::cited(report, &cause.clauses);
    finding::clauses(&cited, &cause.clauses, CLAUSES, out)?;
    example(report, cause, out)?;
    scenarios(report, cause, out)?;
    if !cause.advice.is_empty() {
        labels(out, ["To do", ""], text::wrap(&cause.advice, WIDTH))?;
    }
    if !cause.rerun.is_empty() {
        label(out, "Rerun", &cause.rerun)?;
    }
    label(out, "Explain", text::explain(report, cause))?;
    if !cause.example.transcript.is_empty() && report.command == ReportCommand::Run {
        label(out, "Transcript", &cause.example.transcript)?;
    }
    Ok(())
}

/// The content of the second line after the rule and the number of scenarios.
fn remarks(report: &Report, cause: &Cause) -> String {
    let mut remarks = String::new();
    if cause.echoes > 0 {
        let failed = text::count(cause.echoes, "other finding");
        let verb = if cause.echoes == 1 {
            "follows"
        } else {
            "follow"
        };
        remarks += &format!("; {failed} {verb} from it");
    }
    if cause.flaky {
        remarks += "; the next try did not have it";
    }
    let covered = (cause.findings + cause.echoes).saturating_sub(cause.open);
    if covered > 0 {
        remarks += &format!("; {covered} in the baseline");
    }
    if cause.blame != report.side {
        remarks += &format!(" (the {}'s, not counted)", cause.blame.word());
    }
    remarks
}

/// Writes the example: its place, its frames, the allowed alternatives, and the actual value.
fn example(report: &Report, cause: &Cause, out: &mut dyn Write) -> io::Result<()> {
    let example = &cause.example;
    let (scenario, at, origin) = (&example.scenario, example.at, &example.origin);
    let place = format!("{scenario} at frame {at}{origin}");
    label(out, "Example", text::visible(&place))?;
    if let Some(name) = text::scenario_name(report, &example.scenario) {
        label(out, "", format_args!("{DIM}{}{DIM:#}", text::visible(name)))?;
    }
    let frames: Vec<Evidence> = example.frames.iter().map(shortened).collect();
    finding::frames(&frames, out)?;
    let (shown, rest) = example
        .expected
        .split_at(example.expected.len().min(EXPECTED));
    labels(out, ["Expected", "or"], shown.iter().map(text::shown))?;
    if !rest.is_empty() {
        let more = text::count(rest.len() as u64, "other alternative");
        label(out, "or", format_args!("{more}, not listed"))?;
    }
    if let Some(actual) = text::value_at(&example.frames, &example.pointer) {
        label(out, "Actual", text::visible(&actual))?;
    }
    let skipped = example.stderr.len().saturating_sub(STDERR);
    let stderr = example.stderr[skipped..].iter();
    labels(out, ["Stderr", ""], stderr.map(text::shown))
}

fn shortened(frame: &Evidence) -> Evidence {
    let text = if frame.here {
        frame.text.clone()
    } else {
        text::shortened(&frame.text, FRAME)
    };
    Evidence {
        text,
        ..frame.clone()
    }
}

/// Writes the scenarios of a cause, unless the example is the only one.
fn scenarios(report: &Report, cause: &Cause, out: &mut dyn Write) -> io::Result<()> {
    if cause.scenarios.len() < 2 {
        return Ok(());
    }
    let listed = text::folded(report, &cause.scenarios);
    labels(out, ["Scenarios", ""], text::wrap(&listed, WIDTH))
}

/// Writes a cause in one line: a note, one that the baseline covers, or one that explains little.
pub(super) fn line(report: &Report, cause: &Cause, out: &mut dyn Write) -> io::Result<()> {
    let (word, level) = match &cause.baseline {
        Some(mark) => (text::kind(mark), Level::Should),
        None if cause.level == Level::May => ("note", Level::May),
        None => (cause.level.word(), cause.level),
    };
    let (word, style) = (word.to_uppercase(), level_style(level));
    let message = text::shortened(&text::visible(&cause.message), FRAME);
    write!(
        out,
        "{style}{word}{style:#} {BOLD}{}{BOLD:#} {message} ({})",
        text::visible(&cause.rule),
        text::folded(report, &cause.scenarios)
    )?;
    if let Some(mark) = cause
        .baseline
        .as_ref()
        .filter(|mark| !mark.reason.is_empty())
    {
        write!(out, ": {}", text::visible(&mark.reason))?;
    }
    writeln!(out)
}
