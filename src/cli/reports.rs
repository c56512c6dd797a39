//! Writes reports to their files or to standard output.

use super::args::ReportTarget;
use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::output;
use super::transcript_file::open_locked;
use super::whole_file::{check_distinct, is_device, write_whole};
use anstream::StripStream;
use conform_judge::check::Coverage;
use conform_judge::finding::Blame;
use conform_report::{Report, ReportBuilder, ReportCommand, ScenarioReport, Verdict};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// The output for progress and summary: standard output, or standard error if a report is written to standard output.
pub(super) fn screen(targets: &[ReportTarget]) -> Box<dyn Write> {
    if is_stdout_taken(targets) {
        Box::new(anstream::stderr())
    } else {
        Box::new(output::stdout())
    }
}

/// Whether a report is written to standard output.
fn is_stdout_taken(targets: &[ReportTarget]) -> bool {
    targets.iter().any(|target| is_stdout(&target.path))
}

/// Whether that output is a terminal that can erase a line.
pub(super) fn is_screen_a_terminal(targets: &[ReportTarget]) -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    let is_terminal = if is_stdout_taken(targets) {
        io::stderr().is_terminal()
    } else {
        io::stdout().is_terminal()
    };
    is_terminal && !is_dumb
}

/// Checks, before anything is played, that each target can be written, and that no two are the same place and none is an input.
///
/// # Errors
/// A sentence that names the first path that is wrong.
pub(super) fn check<'p>(
    targets: &'p [ReportTarget],
    inputs: impl IntoIterator<Item = &'p Path>,
) -> Result<(), CommandError> {
    let named = |target: &'p ReportTarget| {
        let name = format!("the report {}", target.format.name);
        (name, target.path.as_path())
    };
    for input in inputs.into_iter().filter(|path| !is_stdout(path)) {
        for target in targets {
            check_distinct([("an input".to_owned(), input), named(target)])?;
        }
    }
    check_distinct(targets.iter().map(named))?;
    let files = targets.iter().map(|target| target.path.as_path());
    files
        .filter(|path| !is_stdout(path))
        .try_for_each(check_file)
}

/// Checks that a file can be written, and makes its folder. A file that did not exist before is removed again.
///
/// # Errors
/// A sentence that names the path.
pub(super) fn check_file(path: &Path) -> Result<(), CommandError> {
    let check = || {
        if is_device(path) {
            // It stays open: the reader of a pipe goes when the last writer has gone.
            std::mem::forget(open_locked(path)?);
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let is_new = !path.exists();
        File::options().append(true).create(true).open(path)?;
        if is_new {
            std::fs::remove_file(path)?;
        }
        io::Result::Ok(())
    };
    check().map_err(CommandError::unwritable(path))
}

/// The result of a command. If it ended before it wrote its reports, they are written with the error as their only entry: without a file, CI
/// shows nothing, or an older result.
pub(super) fn with_error(
    ended: Result<ExitStatus, CommandError>,
    command: ReportCommand,
    targets: &[ReportTarget],
) -> Result<ExitStatus, CommandError> {
    ended.inspect_err(|error| {
        let mut report = ReportBuilder::new(command, Blame::Agent);
        report.add(unplayed("start", error), Coverage::default());
        // The error itself is reported.
        let _ = write(&report.finish(), targets);
    })
}

/// The entry of what could not be started or read.
pub(super) fn unplayed(id: &str, why: &CommandError) -> ScenarioReport {
    ScenarioReport {
        id: id.to_owned(),
        verdict: Verdict::Broken,
        reason: anstream::adapter::strip_str(&why.message).to_string(),
        ..ScenarioReport::default()
    }
}

/// Writes a report to every target.
///
/// # Errors
/// The first path that could not be written.
pub(super) fn write(report: &Report, targets: &[ReportTarget]) -> Result<(), CommandError> {
    targets.iter().try_for_each(|target| {
        let format = target.format;
        write_to(&target.path, format.coloured, |out| {
            (format.render)(report, out)
        })
    })
}

/// Writes the output of `render` to a file or to standard output, without its colours unless a terminal shows them.
///
/// # Errors
/// The path cannot be written.
pub(super) fn write_to(
    path: &Path,
    coloured: bool,
    render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CommandError> {
    let mut bytes = Vec::new();
    render(&mut bytes)
        .and_then(|()| write_bytes(path, coloured, &bytes))
        .map_err(CommandError::unwritable(path))
}

/// Writes a text to a file, as [`write_to`] does.
///
/// # Errors
/// The path cannot be written.
pub(super) fn write_text(path: &Path, text: &str) -> Result<(), CommandError> {
    write_to(path, false, |out| out.write_all(text.as_bytes()))
}

fn write_bytes(path: &Path, coloured: bool, bytes: &[u8]) -> io::Result<()> {
    match (is_stdout(path), coloured) {
        (true, true) => output::stdout().write_all(bytes),
        (true, false) => output::stdout().raw().write_all(bytes),
        (false, true) => {
            let mut plain = StripStream::new(Vec::new());
            plain.write_all(bytes)?;
            write_whole(path, &plain.into_inner())
        }
        (false, false) => write_whole(path, bytes),
    }
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}
