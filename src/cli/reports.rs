//! Writes reports to their files or to standard output.

use super::args::ReportTarget;
use super::command_error::CommandError;
use super::output;
use anstream::StripStream;
use conform_report::Report;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

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

/// Checks, before anything is played, that each target can be written and that no two are the same place.
///
/// # Errors
/// A sentence that names the first path that is wrong.
pub(super) fn check(targets: &[ReportTarget]) -> Result<(), CommandError> {
    let mut seen: Vec<(&ReportTarget, PathBuf)> = Vec::new();
    for target in targets.iter().filter(|target| !is_device(&target.path)) {
        let place = std::path::absolute(&target.path).unwrap_or_else(|_| target.path.clone());
        if let Some((other, _)) = seen.iter().find(|(_, path)| *path == place) {
            return Err(CommandError::usage(format!(
                "two reports cannot be written to one place: {} and {} to {}",
                other.format.name,
                target.format.name,
                target.path.display()
            )));
        }
        if !is_stdout(&target.path) {
            check_file(&target.path)?;
        }
        seen.push((target, place));
    }
    Ok(())
}

/// Whether this is a pipe or a device, which may not be opened twice, and to which several reports can be written.
fn is_device(path: &Path) -> bool {
    path.exists() && !path.is_file() && !path.is_dir()
}

/// Checks that a file can be written, and makes its folder. A file that did not exist before is removed again.
///
/// # Errors
/// A sentence that names the path.
pub(super) fn check_file(path: &Path) -> Result<(), CommandError> {
    let check = || {
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
        (false, coloured) => {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let file = File::create(path)?;
            if coloured {
                StripStream::new(file).write_all(bytes)
            } else {
                (&file).write_all(bytes)
            }
        }
    }
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}
