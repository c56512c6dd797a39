//! The private folder in which the sandboxes of a run are made. It is removed at the end of the run, or by the next run if this one was
//! killed: a lock on a file in it shows that its run is still active.

use super::sandbox::{Sandbox, remove};
use rustix::fs::{FlockOperation, StatVfsMountFlags, flock};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;

/// The beginning of its name.
const PREFIX: &str = "conform-sandboxes-";
/// The file in it that is locked during the run, and its name before it is locked.
const LOCK: &str = "lock";
const NEW_LOCK: &str = "lock.new";

/// The number of the next folder of this process: no number comes twice, so that a name always means one folder.
static NEXT_ROOT: AtomicU32 = AtomicU32::new(0);

/// The room that sandboxes in memory need, in bytes.
const ROOM: u64 = 1 << 30;

/// The private folder of a run. It is removed with everything in it when dropped.
#[derive(Debug)]
pub struct SandboxRoot {
    path: PathBuf,
    next: AtomicU32,
    /// Environment variables of every agent.
    variables: Arc<[(String, String)]>,
    /// Held until the folder is removed.
    _lock: File,
    /// Removes the folders of runs that were killed.
    cleanup: Option<JoinHandle<()>>,
}

impl SandboxRoot {
    /// Makes one in memory, if there is room and `TMPDIR` is not set, else in the system's temporary folder, or in `/tmp` if its path is too
    /// long for the sockets of agents. Removes those of runs that were killed, in the background.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn new() -> io::Result<Self> {
        if let Some(root) = folder_in_memory().and_then(|memory| Self::below(memory).ok()) {
            return Ok(root);
        }
        // Agents report resolved paths, so placeholders must have them too.
        let temporary = std::env::temp_dir().canonicalize()?;
        let short = Path::new("/tmp").canonicalize();
        let short = short
            .ok()
            .filter(|short| is_wanted(&temporary, short) && can_hold_sandboxes(short));
        short
            .and_then(|short| Self::below(short).ok())
            .map_or_else(|| Self::below(temporary), Ok)
    }

    fn below(temporary: PathBuf) -> io::Result<Self> {
        let me = std::process::id();
        loop {
            let number = NEXT_ROOT.fetch_add(1, Ordering::Relaxed);
            let path = temporary.join(format!("{PREFIX}{me}-{number}"));
            match private(&path) {
                Ok(()) => {
                    return Ok(SandboxRoot {
                        next: AtomicU32::new(0),
                        variables: Arc::default(),
                        _lock: locked(&path)?,
                        cleanup: Some(std::thread::spawn(move || remove_abandoned(&temporary))),
                        path,
                    });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The same with these environment variables for every agent, which its launch recipe may change.
    #[must_use]
    pub fn with_variables(mut self, variables: &[(String, String)]) -> Self {
        self.variables = variables.into();
        self
    }

    /// An empty folder for files of the harness.
    ///
    /// # Errors
    /// The folder cannot be made.
    fn folder(&self) -> io::Result<PathBuf> {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let path = self.path.join(n.to_string());
        private(&path)?;
        Ok(path)
    }

    /// A fresh sandbox.
    ///
    /// # Errors
    /// Its folders cannot be made.
    pub(crate) fn sandbox(&self) -> io::Result<Sandbox> {
        Sandbox::new(self.folder()?, Arc::clone(&self.variables))
    }
}

impl Drop for SandboxRoot {
    fn drop(&mut self) {
        remove_locked(&self.path);
        if let Some(cleanup) = self.cleanup.take() {
            // Nothing more can be done about a panic there.
            let _ = cleanup.join();
        }
    }
}

/// The longest path of a temporary folder. The path of a socket has at most 107 bytes, and those of a sandbox and of the agent's own folders
/// come behind it.
const LONGEST: usize = 40;

/// Whether sandboxes are made in this folder instead of the temporary one, whose path is too long.
fn is_wanted(temporary: &Path, short: &Path) -> bool {
    let length = |path: &Path| path.as_os_str().len();
    length(temporary) > LONGEST && length(short) <= LONGEST
}

/// The folder in memory, unless the user has set another one: there sandboxes are made and removed in half the time.
fn folder_in_memory() -> Option<PathBuf> {
    let is_set = std::env::var_os("TMPDIR").is_some_and(|folder| !folder.is_empty());
    let memory = Path::new("/dev/shm").canonicalize().ok()?;
    (!is_set && can_hold_sandboxes(&memory)).then_some(memory)
}

/// Whether programs can run in the file system of this folder, and there is enough room.
fn can_hold_sandboxes(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|system| {
        let refused = StatVfsMountFlags::NOEXEC | StatVfsMountFlags::RDONLY;
        let is_usable = !system.f_flag.intersects(refused);
        is_usable && system.f_bavail.saturating_mul(system.f_frsize) >= ROOM
    })
}

/// Makes a folder that only this user can enter.
fn private(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

/// Makes the lock file of a folder. It is locked before it gets its name, so that no other run treats the folder as abandoned.
fn locked(folder: &Path) -> io::Result<File> {
    let new = folder.join(NEW_LOCK);
    let file = File::create(&new)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    std::fs::rename(new, folder.join(LOCK))?;
    Ok(file)
}

/// Removes the folders of this user's runs that were killed: no process holds their lock.
fn remove_abandoned(temporary: &Path) {
    let me = rustix::process::getuid().as_raw();
    for entry in std::fs::read_dir(temporary).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry
                .metadata()
                .is_ok_and(|found| found.is_dir() && found.uid() == me);
        if is_ours && let Some(_lock) = abandoned_lock(&entry.path()) {
            remove_locked(&entry.path());
        }
    }
}

/// The lock of a folder, if no run holds it.
fn abandoned_lock(folder: &Path) -> Option<File> {
    let file = File::open(folder.join(LOCK)).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    // Another run may just have removed the folder.
    (file.metadata().ok()?.nlink() > 0).then_some(file)
}

/// Removes a folder whose lock this process holds, and the lock last.
fn remove_locked(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let others = entries.filter(|entry| entry.file_name() != LOCK);
    others.for_each(|entry| remove(&entry.path()));
    remove(folder);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::write_below;
    use std::time::{Duration, Instant};

    #[test]
    fn sandboxes_are_separate_and_removed_with_their_root() {
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
    fn a_temporary_folder_with_a_long_path_is_left_for_a_short_one() {
        let (short, long) = (PathBuf::from("/tmp"), PathBuf::from("/tmp/a".repeat(10)));
        assert!(is_wanted(&long, &short));
        assert!(!is_wanted(Path::new("/var/tmp"), &short));
        assert!(!is_wanted(&long, &long));
    }

    #[test]
    fn only_the_folders_of_runs_that_were_killed_are_removed() {
        let temporary = tempfile::tempdir().unwrap();
        let below = |name: &str| temporary.path().join(name);
        let running = SandboxRoot::below(temporary.path().to_owned()).unwrap();
        let killed = below("conform-sandboxes-1-0");
        private(&killed).unwrap();
        write_below(&killed, "7/home/a.txt", "x").unwrap();
        // The lock of a process that was killed is released: from here on the cleanup of the run may remove its folder.
        drop(locked(&killed).unwrap());
        let kept = ["conform-sandboxes-2-0", "conform-mine", "other"];
        for name in kept {
            write_below(&below(name), "a.txt", "x").unwrap();
        }
        // A process that another test starts just now holds the lock until it runs its program.
        let until = Instant::now() + Duration::from_secs(10);
        while killed.exists() && Instant::now() < until {
            remove_abandoned(temporary.path());
            std::thread::yield_now();
        }
        assert!(!killed.exists());
        assert!(running.path.exists());
        for name in kept {
            assert!(below(name).exists(), "{name}");
        }
    }
}
