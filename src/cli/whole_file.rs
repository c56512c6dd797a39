//! Files that are written whole or not at all, and the check that no two files of a command are the same.

use super::command_error::CommandError;
use super::transcript_file::open_locked;
use std::fs::canonicalize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file by way of a temporary one beside it, so that a full disk does not destroy an old file or leave half of a new one. Makes
/// its folder. A pipe or a device is written directly.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_device(path) {
        return open_locked(path)?.write_all(bytes);
    }
    // The file behind a link is replaced, not the link.
    let path = canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = folder.join(format!(".{name}.{}", std::process::id()));
    let write = || {
        std::fs::write(&temporary, bytes)?;
        if let Ok(old) = path.metadata() {
            std::fs::set_permissions(&temporary, old.permissions())?;
        }
        std::fs::rename(&temporary, &path)
    };
    write().inspect_err(|_| drop(std::fs::remove_file(&temporary)))
}

/// Whether this is a pipe or a device, which may not be opened twice, and which several outputs can share.
pub(super) fn is_device(path: &Path) -> bool {
    path.exists() && !path.is_file() && !path.is_dir()
}

/// Checks that the files of a command, each with its name on the command line, are different ones.
///
/// # Errors
/// A sentence that names two that are the same.
pub(super) fn check_distinct<'p>(
    files: impl IntoIterator<Item = (String, &'p Path)>,
) -> Result<(), CommandError> {
    let mut seen: Vec<(String, PathBuf)> = Vec::new();
    for (name, path) in files {
        if is_device(path) {
            continue;
        }
        let place = place(path);
        if let Some((other, _)) = seen.iter().find(|(_, known)| *known == place) {
            return Err(CommandError::usage(format!(
                "{other} and {name} cannot be one file: {}",
                path.display()
            )));
        }
        seen.push((name, place));
    }
    Ok(())
}

/// The path of a file without links, whether it exists or not.
fn place(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let in_folder = || {
        let folder = canonicalize(absolute.parent()?).ok()?;
        Some(folder.join(absolute.file_name()?))
    };
    canonicalize(path)
        .ok()
        .or_else(in_folder)
        .unwrap_or_else(|| absolute.clone())
}
