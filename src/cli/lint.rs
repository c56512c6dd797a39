//! `conform lint`: reports mistakes in scenario, dialect and model script files.

mod kinds;
mod linter;
mod unused_names;

use super::args::DialectArgs;
use super::{command_error::CommandError, exit::ExitStatus, output};
use conform_runner::scenario::yaml_files;
use linter::Linter;
use std::io::Write;
use std::path::PathBuf;

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
