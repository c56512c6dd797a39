//! The kill matrices that are published with the program.

use crate::proof::matrix::Matrix;
use include_dir::{Dir, include_dir};

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
