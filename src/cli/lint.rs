//! `conform lint`: reports mistakes in scenario, dialect and model script files.

mod kinds;
mod linter;
mod unused_names;

use super::args::DialectArgs;
use super::{command_error::CommandError, exit::ExitStatus, output};
use linter::Linter;
use spanned_yaml::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Check scenario, rule and model script files without running anything
#[derive(Debug, clap::Args)]
pub(super) struct LintArgs {
    /// Files, or folders that are searched for YAML files
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) dialect: DialectArgs,
}

pub(super) fn run(args: LintArgs) -> Result<ExitStatus, CommandError> {
    let mut linter = Linter::new(args.dialect);
    for path in &args.paths {
        match yaml_files(path) {
            Ok(files) => files.iter().for_each(|file| linter.file(file)),
            Err(error) => linter.refuse(error),
        }
    }
    let report = linter.finish();
    report.errors.iter().for_each(output::error);
    for warning in &report.warnings {
        output::warning(warning);
    }
    let status = if report.errors.is_empty() {
        ExitStatus::Conformant
    } else {
        ExitStatus::Usage
    };
    output::status(writeln!(output::stdout(), "{}", report.summary).map(|()| status))
}

/// The files to lint: a file itself, whatever its name, or every YAML file below a folder, sorted.
///
/// # Errors
/// The path cannot be read, or is a folder without YAML files.
fn yaml_files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let kind = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if !kind.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    collect(path, &mut found)?;
    found.sort();
    if found.is_empty() {
        Err(Error::of_file(path, "has no YAML file in it"))
    } else {
        Ok(found)
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    for entry in std::fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
        let entry = entry.map_err(|error| unreadable(folder, &error))?;
        let kind = entry
            .file_type()
            .map_err(|error| unreadable(folder, &error))?;
        let path = entry.path();
        if kind.is_dir() {
            collect(&path, found)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml" || extension == "yml")
        {
            found.push(path);
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::of_file(path, format!("cannot be read: {error}"))
}
