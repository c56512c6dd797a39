//! The full text of one finding, and the colours of the terminal report.

use super::super::text;
use crate::{Report, Verdict};
use anstyle::{AnsiColor, Style};
use conform_judge::finding::{Evidence, Finding, Level};
use std::fmt::Display;
use std::io::{self, Write};

/// The number of clauses that are quoted; of the rest only the ids are listed.
const CLAUSES: usize = 4;
/// The line width of clause texts.
const WIDTH: usize = 100;

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const MARK: Style = AnsiColor::Red.on_default().bold();

/// The colour of a verdict.
pub(super) fn verdict_style(verdict: Verdict) -> Style {
    let colour = match verdict {
        Verdict::Pass => AnsiColor::Green,
        Verdict::Fail | Verdict::Broken => AnsiColor::Red,
        Verdict::Warn | Verdict::Inconclusive | Verdict::NotExercised => AnsiColor::Yellow,
        Verdict::Skipped => AnsiColor::Blue,
    };
    colour.on_default().bold()
}

/// The colour of a requirement level.
pub(super) fn level_style(level: Level) -> Style {
    let colour = match level {
        Level::Must => AnsiColor::Red,
        Level::Should => AnsiColor::Yellow,
        Level::May => AnsiColor::Blue,
    };
    colour.on_default().bold()
}

/// Writes a finding with its clauses, frames and expectations.
pub(in crate::reporter) fn block(
    report: &Report,
    finding: &Finding,
    out: &mut dyn Write,
) -> io::Result<()> {
    head(report, finding, out)?;
    clauses(
        &text::cited(report, &finding.clauses),
        &finding.clauses,
        CLAUSES,
        out,
    )?;
    frames(&finding.evidence, out)?;
    let expected = finding.expected.iter();
    labels(out, ["Expected", "or"], expected.map(text::shown))?;
    if let Some(actual) = text::actual(finding) {
        label(out, "Actual", text::visible(&actual))?;
    }
    if !finding.rerun.is_empty() {
        label(out, "Rerun", &finding.rerun)?;
    }
    Ok(())
}

fn head(report: &Report, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let style = level_style(finding.level);
    let level = finding.level.word();
    write!(
        out,
        "\n  {style}{level}{style:#} {}{}{:#}",
        BOLD, finding.rule, BOLD
    )?;
    let origin = finding.origin.to_string();
    write!(out, " at frame {}{}", finding.at, text::visible(&origin))?;
    if finding.blame != report.side {
        write!(out, " (the {}'s, not counted)", finding.blame.word())?;
    }
    if let Some(mark) = &finding.baseline {
        let style = level_style(Level::Should);
        write!(out, "\n  {style}{}{style:#}", text::mark(mark))?;
    }
    writeln!(out, "\n  {}", text::visible(&finding.message))
}

/// Writes the texts of clauses, of the first `most`; of the rest only the ids.
pub(super) fn clauses(
    cited: &[String],
    ids: &[String],
    most: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut quoted = cited.to_vec();
    if quoted.len() > most {
        quoted.truncate(most - 1);
        quoted.push(format!("and {}", ids[most - 1..].join(", ")));
    }
    for clause in quoted {
        labels(out, ["Clause", ""], text::wrap(&clause, WIDTH))?;
    }
    Ok(())
}

/// Writes the frames around a failure.
pub(super) fn frames(evidence: &[Evidence], out: &mut dyn Write) -> io::Result<()> {
    let timed = evidence.iter().any(|frame| frame.micros > 0);
    let frames = evidence.iter().map(|frame| Quoted { frame, timed });
    labels(out, ["Frames", ""], frames)
}

struct Quoted<'a> {
    frame: &'a Evidence,
    timed: bool,
}

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (frame, style) = (self.frame, if self.frame.here { MARK } else { DIM });
        let mark = if frame.here { '>' } else { ' ' };
        write!(f, "{style}{mark}{style:#}{:>4}", frame.frame)?;
        if self.timed {
            write!(f, " {:>10}", text::micros(frame.micros))?;
        }
        write!(
            f,
            "  {:<8} {style}{}{style:#}",
            text::who(&frame.dir),
            text::visible(&frame.text)
        )
    }
}

/// Writes a line with a label before it.
pub(super) fn label(out: &mut dyn Write, label: &str, value: impl Display) -> io::Result<()> {
    writeln!(out, "{label:>10}  {value}")
}

/// Writes lines, the first with one label and the others with another.
pub(super) fn labels<T: Display>(
    out: &mut dyn Write,
    [first, other]: [&str; 2],
    lines: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    let words = std::iter::once(first).chain(std::iter::repeat(other));
    let mut labelled = words.zip(lines);
    labelled.try_for_each(|(word, line)| label(out, word, line))
}
