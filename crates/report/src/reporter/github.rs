//! Workflow commands of GitHub Actions: an annotation for each cause, and the causes beyond GitHub's limits in a folded group of the log.
//! <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>

use super::{cause_text, text};
use crate::{Cause, ReasonGroup, Report, Verdict};
use conform_judge::finding::Level;
use std::io::{self, Write};

/// How many annotations of one level GitHub shows for a step. The others are silently dropped.
const MOST: usize = 10;

/// An annotation before it is encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Annotation {
    command: &'static str,
    title: String,
    message: String,
}

/// The commands that make annotations, the most severe first.
const COMMANDS: [&str; 3] = [ERROR, WARNING, NOTICE];
const ERROR: &str = "error";
const WARNING: &str = "warning";
const NOTICE: &str = "notice";

pub(super) fn render(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let causes = report.causes.iter().filter(|cause| is_new(report, cause));
    let mut annotations: Vec<_> = causes.map(|cause| of_cause(report, cause)).collect();
    annotations.extend(report.stale.iter().map(|entry| Annotation {
        command: ERROR,
        title: "baseline entry without a finding".to_owned(),
        message: text::visible(entry),
    }));
    let without_result = report.without_result.iter();
    annotations.extend(without_result.filter_map(|group| of_group(report, group)));
    for command in COMMANDS {
        let all = annotations.iter().filter(|one| one.command == command);
        write_level(command, &all.collect::<Vec<_>>(), out)?;
    }
    writeln!(
        out,
        "conform: {} in {}",
        text::count(annotations.len() as u64, "annotation"),
        text::count(report.scenarios.len() as u64, "scenario"),
    )
}

/// Whether a cause has a finding that the baseline does not know, about the side that is judged.
fn is_new(report: &Report, cause: &Cause) -> bool {
    cause.baseline.is_none() && cause.blame == report.side
}

fn of_cause(report: &Report, cause: &Cause) -> Annotation {
    let command = match cause.level {
        Level::Must if cause.flaky => WARNING,
        Level::Must => ERROR,
        Level::Should => WARNING,
        Level::May => NOTICE,
    };
    let mut lines = vec![text::visible(&cause.message)];
    lines.extend(cause_text::details(report, cause));
    Annotation {
        command,
        title: format!("{} {}", cause.level.word(), cause.rule),
        message: lines.join("\n"),
    }
}

fn of_group(report: &Report, group: &ReasonGroup) -> Option<Annotation> {
    let command = match group.verdict {
        Verdict::Broken => ERROR,
        Verdict::Inconclusive => WARNING,
        _ => return None,
    };
    let mut inconclusive = report.inconclusive.iter();
    let found =
        inconclusive.find(|one| one.scenarios.iter().any(|id| group.scenarios.contains(id)));
    let mut message = text::visible(&group.reason);
    if let Some(found) = found.filter(|found| !found.advice.is_empty()) {
        message += &format!("\nTo do: {}", text::visible(&found.advice));
    }
    let scenarios = text::count(group.scenarios.len() as u64, "scenario");
    Some(Annotation {
        command,
        title: format!("{scenarios} {}", text::verdict(group.verdict)),
        message,
    })
}

/// Writes the annotations of one level. Beyond the limit, the last annotation counts the rest, and the log lists it.
fn write_level(command: &'static str, all: &[&Annotation], out: &mut dyn Write) -> io::Result<()> {
    let fits = all.len() <= MOST;
    let (shown, rest) = all.split_at(if fits { all.len() } else { MOST - 1 });
    for annotation in shown {
        write_command(annotation, out)?;
    }
    if rest.is_empty() {
        return Ok(());
    }
    let title = format!("{} more of this level", rest.len());
    let annotation = Annotation {
        command,
        message: "GitHub shows ten annotations of a level; the log of this step lists the others."
            .to_owned(),
        title: title.clone(),
    };
    write_command(&annotation, out)?;
    writeln!(out, "::group::{command}: {title}")?;
    for Annotation { title, message, .. } in rest {
        // A line that began with two colons would be a command.
        for (index, line) in message.lines().enumerate() {
            match index {
                0 => writeln!(out, "- {title}: {line}")?,
                _ => writeln!(out, "    {line}")?,
            }
        }
    }
    writeln!(out, "::endgroup::")
}

fn write_command(annotation: &Annotation, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "::{} title={}::{}",
        annotation.command,
        property(&annotation.title),
        data(&annotation.message)
    )
}

/// Encodes the text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Encodes the value of a property, in which a colon or a comma would end it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
