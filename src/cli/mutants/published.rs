//! The kill matrices that are published with the program.

use conform_runner::mutation::matrix::Matrix;
use include_dir::{Dir, include_dir};
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

/// The matrix of a dialect in a folder.
///
/// # Errors
/// A file that cannot be read, or is not a matrix.
pub(in crate::cli) fn read(folder: &Path, dialect: &str) -> io::Result<Matrix> {
    let path = folder.join(format!("{dialect}.json"));
    let place =
        |error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
    let text = std::fs::read(&path).map_err(|error| place(&error))?;
    serde_json::from_slice(&text).map_err(|error| place(&error))
}

/// Writes a matrix as JSON and as a page. `over` is the matrix over an earlier one, whose rows stay for faults that were not played.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn write(
    folder: &Path,
    dialect: &str,
    over: impl FnOnce(&Matrix) -> Matrix,
) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let file = folder.join(format!("{dialect}.json"));
    let before = std::fs::read(&file).ok();
    let before = before.and_then(|text| serde_json::from_slice(&text).ok());
    let matrix = over(&before.unwrap_or_default());
    let text = serde_json::to_string_pretty(&matrix)?;
    std::fs::write(file, text + "\n")?;
    std::fs::write(folder.join(format!("{dialect}.md")), matrix.markdown())
}
