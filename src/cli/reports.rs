//! Writes reports to their files or to standard output.

use super::args::ReportTarget;
use super::output;
use crate::report::Report;
use anstream::StripStream;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// The output for progress and summary: standard output, or standard error if a report is written to standard output.
#[must_use]
pub fn screen(targets: &[ReportTarget]) -> Box<dyn Write> {
    if targets.iter().any(|target| is_stdout(&target.path)) {
        Box::new(anstream::stderr())
    } else {
        Box::new(output::stdout())
    }
}

/// Whether that output is a terminal that can erase a line.
#[must_use]
pub fn is_screen_a_terminal(targets: &[ReportTarget]) -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    let is_terminal = if targets.iter().any(|target| is_stdout(&target.path)) {
        io::stderr().is_terminal()
    } else {
        io::stdout().is_terminal()
    };
    is_terminal && !is_dumb
}

/// Writes a report to every target.
///
/// # Errors
/// A sentence that names the first path that could not be written.
pub fn write(report: &Report, targets: &[ReportTarget]) -> Result<(), String> {
    targets.iter().try_for_each(|target| {
        write_one(report, target)
            .map_err(|error| format!("cannot write {}: {error}", target.path.display()))
    })
}

fn write_one(report: &Report, target: &ReportTarget) -> io::Result<()> {
    let mut bytes = Vec::new();
    (target.format.render)(report, &mut bytes)?;
    match (is_stdout(&target.path), target.format.coloured) {
        (true, true) => output::stdout().write_all(&bytes),
        (true, false) => output::stdout().raw().write_all(&bytes),
        (false, coloured) => {
            if let Some(folder) = target.path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let file = std::fs::File::create(&target.path)?;
            if coloured {
                StripStream::new(file).write_all(&bytes)
            } else {
                (&file).write_all(&bytes)
            }
        }
    }
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}
