//! The kill matrices that are published with the program.

use crate::proof::matrix::Matrix;
use crate::proof::page;
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

/// Writes a matrix as JSON and as a page.
///
/// # Errors
/// A file that cannot be written.
pub(super) fn write(folder: &Path, matrix: &Matrix) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let text = serde_json::to_string_pretty(matrix)?;
    std::fs::write(folder.join(format!("{}.json", matrix.dialect)), text + "\n")?;
    std::fs::write(
        folder.join(format!("{}.md", matrix.dialect)),
        page::markdown(matrix),
    )
}
