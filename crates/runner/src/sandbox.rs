//! The sandbox of a scenario: a fresh HOME, workspace and temporary folder, and a scrubbed environment.

use indexmap::IndexMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The variables of the harness's own environment that an agent inherits: programs need them for lookup, for loading and for the locale.
const INHERITED_VARIABLES: &[&str] = &[
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
];

/// The variables that name folders below HOME.
const XDG_FOLDERS: &[(&str, &str)] = &[
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
];

/// The sandbox of one scenario. Its folders are removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Sandbox {
    path: PathBuf,
    variables: Arc<[(String, String)]>,
    /// The agent's HOME.
    pub(crate) home: PathBuf,
    /// The agent's working directory.
    pub(crate) workspace: PathBuf,
    /// The agent's TMPDIR.
    pub(crate) temporary: PathBuf,
}

impl Sandbox {
    /// Makes the folders of a sandbox in this folder.
    pub(super) fn new(path: PathBuf, variables: Arc<[(String, String)]>) -> io::Result<Self> {
        let sandbox = Sandbox {
            home: path.join("home"),
            workspace: path.join("workspace"),
            temporary: path.join("tmp"),
            variables,
            path,
        };
        for folder in [&sandbox.home, &sandbox.workspace, &sandbox.temporary] {
            std::fs::create_dir(folder)?;
        }
        Ok(sandbox)
    }

    /// The path for a file of the harness, outside of the folders that the agent knows.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The scrubbed environment of an agent: the few inherited variables, and HOME, TMPDIR and the XDG folders of this sandbox.
    pub(crate) fn environment(&self) -> IndexMap<OsString, OsString> {
        let inherited = INHERITED_VARIABLES
            .iter()
            .filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)));
        let mut environment: IndexMap<OsString, OsString> = inherited.collect();
        let variables = self.variables.iter();
        environment.extend(variables.map(|(name, value)| (name.into(), value.into())));
        environment.insert("HOME".into(), self.home.clone().into());
        environment.insert("TMPDIR".into(), self.temporary.clone().into());
        for (name, folder) in XDG_FOLDERS {
            environment.insert((*name).into(), self.home.join(folder).into());
        }
        environment
    }

    /// The entry of the environment by which all processes of an agent in this sandbox are recognized.
    pub(crate) fn marker(&self) -> OsString {
        let mut marker = OsString::from("HOME=");
        marker.push(&self.home);
        marker
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Writes a file below a folder, and makes the folders in between.
///
/// # Errors
/// The path leads out of the folder, or the file cannot be written.
pub(crate) fn write_below(folder: &Path, path: &str, text: &str) -> io::Result<()> {
    let inside = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !inside {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "the path leads out of its folder",
        ));
    }
    let path = folder.join(path);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, text)
}

/// Removes a folder with everything in it, or a file.
pub(super) fn remove(path: &Path) {
    let removed = std::fs::remove_dir_all(path).or_else(|error| {
        if error.kind() == ErrorKind::NotADirectory {
            return std::fs::remove_file(path);
        }
        open_up(path);
        std::fs::remove_dir_all(path)
    });
    if let Err(error) = removed
        && error.kind() != ErrorKind::NotFound
    {
        tracing::warn!(path = %path.display(), %error, "a sandbox could not be removed");
    }
}

/// Makes every folder below this one writable: agents may leave folders that cannot be emptied.
fn open_up(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // A failure shows when the folder is removed.
    let _ = std::fs::set_permissions(path, PermissionsExt::from_mode(0o700));
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox_root::SandboxRoot;

    #[test]
    fn a_file_stays_in_its_folder() {
        let sandboxes = SandboxRoot::new().unwrap();
        let sandbox = sandboxes.sandbox().unwrap();
        for path in ["../x", "/x", "a/../../x"] {
            assert!(
                write_below(&sandbox.workspace, path, "x").is_err(),
                "{path}"
            );
        }
    }
}
