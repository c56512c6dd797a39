//! The folder for transcripts: the one that the user names, else one for each run in the system's temporary folder, for those of failed
//! scenarios. Folders of earlier runs are removed, except the newest few and those whose path was printed not long ago.

use crate::cli::command_error::CommandError;
use rustix::fs::{Access, access};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const PREFIX: &str = "conform-transcripts-";

/// How many folders of earlier runs are kept.
const KEPT: usize = 3;
/// The time for which a folder is always kept: many runs may end at about the same time, and a user may still read it.
const FRESH: Duration = Duration::from_secs(60 * 60);

/// Makes the folder that the user names before anything is played: a transcript that cannot be stored later is lost.
///
/// # Errors
/// The folder cannot be made, or nothing can be written to it.
pub(super) fn make_folder(folder: &Path) -> Result<(), CommandError> {
    let made = std::fs::create_dir_all(folder).map_err(|error| error.to_string());
    let is_writable = |()| access(folder, Access::WRITE_OK).map_err(|error| error.to_string());
    made.and_then(is_writable).map_err(|error| {
        CommandError::usage(format!(
            "--transcripts {}: cannot write there: {error}",
            folder.display()
        ))
    })
}

/// The path for the folder of this run. It is made when the first transcript is stored.
pub(super) fn transcript_folder() -> PathBuf {
    let temporary = std::env::temp_dir();
    remove_old(&temporary);
    // Runs in other containers, and later ones, may have the same process id.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos();
    temporary.join(format!("{PREFIX}{}-{now}", std::process::id()))
}

/// Removes the folders of earlier runs of this user, except the newest, and except those of runs that are still active.
fn remove_old(temporary: &Path) {
    let me = rustix::process::getuid().as_raw();
    let entries = std::fs::read_dir(temporary).into_iter().flatten().flatten();
    let mut folders: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name();
            let process = name.to_str()?.strip_prefix(PREFIX)?.split('-').next()?;
            let process = process.parse::<u32>().ok()?;
            let metadata = entry.metadata().ok()?;
            let is_removable = metadata.is_dir() && metadata.uid() == me && !is_running(process);
            is_removable.then_some((metadata.modified().ok()?, entry.path()))
        })
        .collect();
    folders.sort_unstable_by(|a, b| b.cmp(a));
    let is_fresh = |since: SystemTime| since.elapsed().is_ok_and(|age| age < FRESH);
    let old = folders.into_iter().skip(KEPT);
    for (_, path) in old.filter(|(modified, _)| !is_fresh(*modified)) {
        if let Err(error) = std::fs::remove_dir_all(&path) {
            tracing::debug!(path = %path.display(), %error, "old transcripts cannot be removed");
        }
    }
}

fn is_running(process: u32) -> bool {
    let process = i32::try_from(process).ok();
    let process = process.and_then(rustix::process::Pid::from_raw);
    process.is_some_and(|process| {
        !matches!(
            rustix::process::test_kill_process(process),
            Err(rustix::io::Errno::SRCH)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_folders_of_runs_that_have_ended_are_kept() {
        let temporary = tempfile::tempdir().unwrap();
        let make = |name: &str| std::fs::create_dir(temporary.path().join(name)).unwrap();
        let make_old = |name: &str| {
            make(name);
            let folder = std::fs::File::open(temporary.path().join(name)).unwrap();
            folder.set_modified(SystemTime::now() - 2 * FRESH).unwrap();
        };
        // No process has such a number.
        let ended = |n: usize| format!("{PREFIX}{}-7", 2_000_000_000 + n);
        for n in 0..KEPT + 4 {
            make_old(&ended(n));
        }
        let kept = [
            format!("{PREFIX}{}-7", std::process::id()),
            "conform-transcripts-of-mine".to_owned(),
        ];
        kept.iter().for_each(|name| make_old(name));
        remove_old(temporary.path());
        let left = || std::fs::read_dir(temporary.path()).unwrap().count();
        assert_eq!(left(), KEPT + kept.len());
        for name in kept {
            assert!(temporary.path().join(name).exists());
        }
        // Those of runs that have just ended stay, however many there are.
        for n in 0..KEPT + 4 {
            make(&format!("{PREFIX}{}-8", 2_000_000_000 + n));
        }
        remove_old(temporary.path());
        assert_eq!(left(), KEPT + 4 + 2);
    }
}
