//! Folders of one's own: a fresh HOME and a fresh workspace for each scenario.

use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that nobody else uses, removed with everything in it when dropped.
#[derive(Debug)]
pub struct SandboxRoot {
    path: PathBuf,
    next: AtomicU32,
}

impl SandboxRoot {
    /// Makes one below the system's folder for such things.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new() -> io::Result<Self> {
        // Agents see the resolved form, so places are filled with it.
        let below = std::env::temp_dir().canonicalize()?;
        let me = std::process::id();
        for attempt in 0_u32.. {
            let path = below.join(format!("conform-{me}-{attempt}"));
            match private(&path) {
                Ok(()) => {
                    let next = AtomicU32::new(0);
                    return Ok(SandboxRoot { path, next });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("every name is taken"))
    }

    /// An empty folder, for files of the harness's own.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn folder(&self) -> io::Result<PathBuf> {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(n.to_string());
        private(&path)?;
        Ok(path)
    }

    /// Folders for one scenario.
    ///
    /// # Errors
    /// They cannot be made.
    pub(crate) fn sandbox(&self) -> io::Result<Sandbox> {
        let path = self.folder()?;
        let sandbox = Sandbox {
            home: path.join("home"),
            workspace: path.join("workspace"),
            temporary: path.join("tmp"),
            path,
        };
        for folder in [&sandbox.home, &sandbox.workspace, &sandbox.temporary] {
            std::fs::create_dir(folder)?;
        }
        Ok(sandbox)
    }
}

impl Drop for SandboxRoot {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// The folders of one scenario, removed when dropped.
#[derive(Debug)]
pub(crate) struct Sandbox {
    path: PathBuf,
    /// The agent's HOME.
    pub(crate) home: PathBuf,
    /// The agent's working directory.
    pub(crate) workspace: PathBuf,
    /// The agent's TMPDIR.
    pub(crate) temporary: PathBuf,
}

impl Sandbox {
    /// A file of the harness's own, out of the agent's sight.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Writes a file below a folder, with the folders it needs.
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

/// A folder that only this user can enter.
fn private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

fn remove(path: &Path) {
    let removed = std::fs::remove_dir_all(path).or_else(|_| {
        open_up(path);
        std::fs::remove_dir_all(path)
    });
    if let Err(error) = removed
        && error.kind() != ErrorKind::NotFound
    {
        tracing::warn!(path = %path.display(), %error, "a sandboxes folder stays behind");
    }
}

/// Makes every folder below one that can be emptied: agents make some that cannot.
fn open_up(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // What cannot be opened shows when it is removed.
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

    #[test]
    fn rooms_are_apart_and_nothing_stays_behind() {
        let sandboxes = SandboxRoot::new().unwrap();
        let (one, two) = (sandboxes.sandbox().unwrap(), sandboxes.sandbox().unwrap());
        assert_ne!(one.workspace, two.workspace);
        write_below(&one.home, "a/b.txt", "x").unwrap();
        let closed = std::os::unix::fs::PermissionsExt::from_mode(0o500);
        std::fs::set_permissions(one.home.join("a"), closed).unwrap();
        let path = sandboxes.path.clone();
        drop((one, two, sandboxes));
        assert!(!path.exists());
    }

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
