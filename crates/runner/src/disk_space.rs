//! How much of a disk was used since a run has started: it decides whether unused sandboxes may stay until the end of the run.
//!
//! Some file systems, such as ext4, take long to make a file while many others were removed a moment ago, so it is best to remove all
//! sandboxes at the end.

use rustix::fs::statvfs;
use std::path::{Path, PathBuf};

/// How many bytes and files may be used before sandboxes are removed at once, and the largest part of what was free at the start.
const MOST_BYTES: u64 = 256 << 20;
const MOST_FILES: u64 = 100_000;
const LARGEST_PART: u64 = 4;

/// The space on the disk that a folder is on.
#[derive(Debug)]
pub(super) struct DiskSpace {
    folder: PathBuf,
    /// What was free at the start; `None` if the system does not tell.
    at_start: Option<FreeSpace>,
}

/// What is free on a disk.
#[derive(Debug, Clone, Copy)]
struct FreeSpace {
    bytes: u64,
    /// 0 on file systems without a limit.
    files: u64,
}

impl DiskSpace {
    pub(super) fn of(folder: &Path) -> Self {
        DiskSpace {
            folder: folder.to_owned(),
            at_start: FreeSpace::of(folder),
        }
    }

    /// Whether little was used since the start, by this run or by others.
    pub(super) fn is_ample(&self) -> bool {
        let now = FreeSpace::of(&self.folder);
        self.at_start
            .zip(now)
            .is_some_and(|(start, now)| start.is_ample(now))
    }
}

impl FreeSpace {
    fn of(folder: &Path) -> Option<Self> {
        let found = statvfs(folder).ok()?;
        Some(FreeSpace {
            bytes: found.f_bavail.saturating_mul(found.f_frsize),
            files: found.f_favail,
        })
    }

    fn is_ample(self, now: FreeSpace) -> bool {
        let is_little = |start: u64, now: u64, most: u64| {
            start.saturating_sub(now) < most.min(start / LARGEST_PART)
        };
        is_little(self.bytes, now.bytes, MOST_BYTES)
            && (self.files == 0 || is_little(self.files, now.files, MOST_FILES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sandboxes_may_stay_while_little_is_used() {
        let free = |bytes, files| FreeSpace { bytes, files };
        let large = free(100 << 30, 1 << 20);
        let small = free(100 << 20, 1 << 20);
        for (start, now, expected) in [
            (large, large, true),
            (large, free(101 << 30, 1 << 20), true),
            (large, free(large.bytes - MOST_BYTES, 1 << 20), false),
            (large, free(large.bytes, large.files - MOST_FILES), false),
            (small, free(80 << 20, 1 << 20), true),
            (small, free(70 << 20, 1 << 20), false),
            (free(100 << 30, 0), free(100 << 30, 0), true),
            (free(0, 0), free(0, 0), false),
        ] {
            assert_eq!(start.is_ample(now), expected, "{start:?} {now:?}");
        }
        assert!(DiskSpace::of(Path::new("/")).at_start.is_some());
        assert!(!DiskSpace::of(Path::new("/no/such/folder")).is_ample());
    }
}
