//! File access for the tools: reads a file, walks a directory tree.

use super::{FileError, ToolError};
use globset::{GlobBuilder, GlobMatcher};
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// The maximum size of a file that a tool reads, in bytes.
pub(super) const MAX_FILE_BYTES: u64 = 5 << 20;

/// Reads a whole file of at most this many bytes.
///
/// # Errors
/// It is not a regular file, is too big, or cannot be read.
pub(crate) fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let about = path.metadata()?;
    if !about.is_file() {
        return Err(FileError::NotAFile);
    }
    if about.len() > most {
        return Err(FileError::TooBig { bytes: about.len() });
    }
    Ok(std::fs::read(path)?)
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
pub(super) fn glob(pattern: &str) -> Result<GlobMatcher, ToolError> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    let invalid = |_| ToolError::Glob {
        pattern: pattern.to_owned(),
    };
    Ok(glob.map_err(invalid)?.compile_matcher())
}
