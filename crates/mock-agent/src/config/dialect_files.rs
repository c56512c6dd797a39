//! Reading the files of dialects, which the agent itself does not have.

use spanned_yaml::Error;
use std::path::{Path, PathBuf};

/// Reads a file of a dialect: from the user's folder of dialects if it has the dialect, else from the built-in ones. The arguments are
/// that folder, the dialect's name, its version (the newest one if empty), and the name of the file. The result is the path for
/// messages and the text, or `None` if there is no such file.
pub type DialectFiles = fn(
    folder: Option<&Path>,
    name: &str,
    version: &str,
    file: &str,
) -> Result<Option<(PathBuf, String)>, Error>;
