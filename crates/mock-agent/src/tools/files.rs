//! File access for the tools: reads a file, walks a directory tree.

use globset::{GlobBuilder, GlobMatcher};
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// The maximum size of a file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 5 << 20;

/// Reads a whole file.
///
/// # Errors
/// It is not a regular file, is too big, or cannot be read.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let about = path.metadata().map_err(|error| error_message(&error))?;
    if !about.is_file() {
        return Err("not a file".into());
    }
    if about.len() > MAX_FILE_BYTES {
        return Err(format!("the file is too big: {} bytes", about.len()));
    }
    std::fs::read(path).map_err(|error| error_message(&error))
}

/// The message of an I/O error, without the error number, so that it is the same on every system.
pub(super) fn error_message(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}

/// The maximum number of files in a listing.
const MAX_FILES: usize = 100_000;

/// All files below a folder, sorted by path; of a file, itself. Hidden names are skipped, and symbolic links are not followed.
pub(super) fn walk(folder: &Path) -> Vec<PathBuf> {
    let is_hidden = |entry: &DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    let entries = WalkDir::new(folder).into_iter();
    let shown = entries.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry));
    let files = shown.flatten().filter(|entry| entry.file_type().is_file());
    let mut found: Vec<_> = files.map(DirEntry::into_path).take(MAX_FILES).collect();
    found.sort();
    found
}

/// A glob pattern for whole relative paths: `*` stays within a folder, `**` does not.
///
/// # Errors
/// The pattern is malformed.
pub(super) fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    let glob = glob.map_err(|_| format!("{pattern:?} is not a glob pattern"))?;
    Ok(glob.compile_matcher())
}
