//! The workspace: the folder that the file tools are confined to, even if a path contains `..` or symbolic links.

use super::{FileError, ToolError};
use std::path::{Component, Path, PathBuf};
use thiserror::Error;

/// A workspace, by its path as given and by its real path.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    /// The absolute path, as it was given.
    pub(crate) given: PathBuf,
    /// The real path.
    pub(crate) root: PathBuf,
    /// More folders that the tools may use.
    pub(crate) others: Vec<Workspace>,
}

/// Why a folder cannot be the workspace.
#[derive(Debug, Error)]
#[error("workspace {}: {why}", .path.display())]
pub(crate) struct WorkspaceError {
    path: PathBuf,
    why: FileError,
}

impl Workspace {
    /// Opens a folder.
    ///
    /// # Errors
    /// It does not exist, or is not a folder.
    pub(crate) fn open(path: &Path) -> Result<Self, WorkspaceError> {
        let open = || {
            let given = std::path::absolute(path)?;
            let root = given.canonicalize()?;
            if !root.is_dir() {
                return Err(FileError::NotAFolder);
            }
            Ok(Workspace {
                given: normalize(&given),
                root,
                others: Vec::new(),
            })
        };
        open().map_err(|why| WorkspaceError {
            path: path.to_owned(),
            why,
        })
    }

    /// The real path for a path in a tool's arguments. It may not exist yet.
    ///
    /// # Errors
    /// The path leads out of the workspace, by `..` or by a symbolic link, or cannot be followed.
    pub(crate) fn resolve(&self, path: &str) -> Result<PathBuf, ToolError> {
        let here = self.resolve_here(path);
        let absolute = normalize(&self.given.join(path))
            .to_string_lossy()
            .into_owned();
        let mut others = self.others.iter();
        here.or_else(|why| {
            others
                .find_map(|other| other.resolve_here(&absolute).ok())
                .ok_or(why)
        })
    }

    fn resolve_here(&self, path: &str) -> Result<PathBuf, ToolError> {
        let outside = || ToolError::Outside {
            path: path.to_owned(),
        };
        let absolute = normalize(&self.given.join(path));
        let inner = absolute
            .strip_prefix(&self.given)
            .or_else(|_| absolute.strip_prefix(&self.root))
            .map_err(|_| outside())?;
        let real = resolve_links(&self.root.join(inner)).map_err(ToolError::of_file(path))?;
        if real.starts_with(&self.root) {
            Ok(real)
        } else {
            Err(outside())
        }
    }

    /// A path relative to the workspace, for display.
    pub(crate) fn relative<'p>(&self, path: &'p Path) -> std::borrow::Cow<'p, str> {
        path.strip_prefix(&self.root)
            .unwrap_or(path)
            .to_string_lossy()
    }
}

/// The path without `.` and `..`, without reading the file system.
fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The path with the symbolic links resolved in the part of it that exists.
fn resolve_links(path: &Path) -> Result<PathBuf, FileError> {
    match path.canonicalize() {
        Ok(real) => Ok(real),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        Err(_) if path.symlink_metadata().is_ok() => Err(FileError::BrokenLink),
        Err(error) => match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => Ok(resolve_links(parent)?.join(name)),
            _ => Err(error.into()),
        },
    }
}
