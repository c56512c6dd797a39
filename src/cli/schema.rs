//! `conform schema`: prints the JSON Schemas of conform's files.

use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::{output, table};
use crate::editor_schemas::FORMATS;
use spanned_yaml::unknown;
use std::io::Write;

/// Print the JSON Schema of a file format; without a name, list the formats
///
/// An editor with a YAML language server checks and completes a file by the schema that its settings name, as `yaml.schemas` of
/// .vscode/settings.json does, or that its first line names: `# yaml-language-server: $schema=PATH`.
#[derive(Debug, clap::Args)]
pub(super) struct SchemaArgs {
    /// The format, such as `scenario`, `ordering` or `faults`
    name: Option<String>,
}

pub(super) fn run(args: SchemaArgs) -> Result<ExitStatus, CommandError> {
    let mut out = output::stdout();
    let printed = match args.name {
        None => {
            let rows = FORMATS
                .iter()
                .map(|format| vec![format.name.to_owned(), format.files.to_owned()]);
            table::write("FORMAT | FILES", &rows.collect::<Vec<_>>(), &mut out)
        }
        Some(name) => match FORMATS.iter().find(|format| format.name == name) {
            Some(format) => writeln!(out, "{:#}", format.schema()),
            None => {
                let names = FORMATS.iter().map(|format| format.name);
                return Err(unknown("file format", &name, names).into());
            }
        },
    };
    output::status(
        printed
            .and_then(|()| out.flush())
            .map(|()| ExitStatus::Conformant),
    )
}
