//! The kill matrices that are published with the program, and other files of results.

use crate::cli::command_error::CommandError;
use crate::cli::output;
use conform_runner::mutation::matrix::{Matrix, PublishedMatrix};
use include_dir::{Dir, include_dir};
use serde::de::DeserializeOwned;
use std::io;
use std::path::Path;

static PUBLISHED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/reports/published/kill-matrix");

/// The published matrix of a dialect, `NAME@VERSION`; an empty one if there is none.
pub(in crate::cli) fn matrix(dialect: &str) -> Matrix {
    let file = PUBLISHED.get_file(format!("{dialect}.json"));
    file.and_then(|f| serde_json::from_slice(f.contents()).ok())
        .unwrap_or_else(|| Matrix {
            dialect: dialect.to_owned(),
            ..Matrix::default()
        })
}

/// The result for a dialect in a folder.
///
/// # Errors
/// A file that cannot be read, or is not such a result.
pub(in crate::cli) fn read<T: DeserializeOwned>(
    folder: &Path,
    dialect: &str,
) -> Result<T, CommandError> {
    let path = folder.join(format!("{dialect}.json"));
    let read = || io::Result::Ok(serde_json::from_slice(&std::fs::read(&path)?)?);
    read().map_err(|error| CommandError::usage(format!("{}: {error}", path.display())))
}

/// Writes a result as JSON and as a page. `over` merges it into the earlier result, whose rows stay for faults that were not played.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn write<M: PublishedMatrix>(
    folder: &Path,
    dialect: &str,
    over: impl FnOnce(&M) -> M,
) -> Result<(), CommandError> {
    let write = || -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let result = over(&read(folder, dialect).unwrap_or_default());
        let text = serde_json::to_string_pretty(&result)?;
        std::fs::write(folder.join(format!("{dialect}.json")), text + "\n")?;
        std::fs::write(folder.join(format!("{dialect}.md")), result.markdown())
    };
    write().map_err(output::failure)
}
