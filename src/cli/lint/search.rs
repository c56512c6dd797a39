//! Finds the YAML files of a path.

use spanned_yaml::Error;
use std::path::{Path, PathBuf};

/// The files to lint: a file itself, whatever its name, or every YAML file below a folder, sorted.
///
/// # Errors
/// The path cannot be read, or is a folder without YAML files.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
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
