//! The files below a folder.

use std::path::{Path, PathBuf};

/// The most files that are looked at.
const MOST: usize = 100_000;

/// Every file below a folder, sorted by path. Hidden names are passed over and links are not followed.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    descend(folder, &mut found);
    found.sort();
    found
}

fn descend(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = folder.read_dir() else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(b".") || found.len() == MOST {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => descend(&entry.path(), found),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
}
