//! The files of the workspace, as a client reads and writes them for an agent: nothing outside of the workspace can be reached, also by a link
//! that changes in the meantime.
//!
//! A path is walked one name after the other from an open folder, and no name is ever followed by the system. What a link says is walked the
//! same way.

use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// The most bytes of a file that are read.
const MOST_BYTES: u64 = 64 << 20;
/// The most links on a path.
const MOST_LINKS: usize = 40;

/// Why a file is not read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// The path leads out of the workspace.
    #[error("{0} is not in the workspace")]
    Outside(String),
    /// There is no such file.
    #[error("Resource not found: {0}: No such file or directory")]
    Missing(String),
    /// It is a folder, a pipe, or too large.
    #[error("{0} is not a file that can be read and written as text")]
    NotAFile(String),
    /// The system refused it.
    #[error("{0}: {1}")]
    System(String, #[source] io::Error),
}

/// The workspace of an agent.
#[derive(Debug)]
pub(crate) struct Workspace {
    root: OwnedFd,
    /// Its path, with and without links.
    paths: [PathBuf; 2],
}

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Read,
    Write,
}

impl Workspace {
    /// The workspace in this folder.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Workspace {
            root: fs::openat(CWD, folder, flags, Mode::empty())?,
            paths: [folder.to_owned(), folder.canonicalize()?],
        })
    }

    /// The text of a file: `limit` lines from the line `first` on, which counts from 1.
    pub(crate) fn read(
        &self,
        path: &str,
        first: usize,
        limit: Option<usize>,
    ) -> Result<String, FileError> {
        let file = self.file(path, Purpose::Read)?;
        let mut bytes = Vec::new();
        let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| FileError::System(path.to_owned(), error))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(FileError::NotAFile(path.to_owned()));
        }
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.split_inclusive('\n').skip(first.saturating_sub(1));
        Ok(lines.take(limit.unwrap_or(usize::MAX)).collect())
    }

    /// Writes the text of a file, which is made if it is missing.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<(), FileError> {
        let mut file = self.file(path, Purpose::Write)?;
        let written = file
            .set_len(0)
            .and_then(|()| file.write_all(text.as_bytes()));
        written.map_err(|error| FileError::System(path.to_owned(), error))
    }

    /// The path of an existing folder.
    pub(crate) fn folder(&self, path: &str) -> Result<PathBuf, FileError> {
        let [own, canonical] = &self.paths;
        let folder = own.join(
            self.relative(Path::new(path))
                .ok_or_else(|| outside(path))?,
        );
        let found = folder.canonicalize();
        match found {
            Ok(found) if found.starts_with(canonical) && found.is_dir() => Ok(found),
            Ok(found) if found.is_dir() => Err(outside(path)),
            _ => Err(FileError::Missing(path.to_owned())),
        }
    }

    /// A path below the workspace, which may still lead out of it.
    fn relative<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        if path.is_relative() {
            return Some(path);
        }
        self.paths
            .iter()
            .find_map(|own| path.strip_prefix(own).ok())
    }

    fn file(&self, path: &str, purpose: Purpose) -> Result<File, FileError> {
        let found = self.walk(path, purpose).map_err(|error| match error {
            Errno::XDEV => outside(path),
            Errno::NOENT | Errno::NOTDIR => FileError::Missing(path.to_owned()),
            Errno::ISDIR | Errno::NXIO => FileError::NotAFile(path.to_owned()),
            other => FileError::System(path.to_owned(), other.into()),
        })?;
        let kind = fs::fstat(&found).map(|found| FileType::from_raw_mode(found.st_mode));
        match kind {
            Ok(FileType::RegularFile) => Ok(File::from(found)),
            _ => Err(FileError::NotAFile(path.to_owned())),
        }
    }

    /// Opens what is at the end of a path. `XDEV`: it leads out of the workspace.
    fn walk(&self, path: &str, purpose: Purpose) -> Result<OwnedFd, Errno> {
        let mut folders: Vec<OwnedFd> = Vec::new();
        let mut names = VecDeque::new();
        let inside = self.relative(Path::new(path)).ok_or(Errno::XDEV)?;
        add_names(inside, &mut names);
        let mut links = 0;
        while let Some(name) = names.pop_front() {
            if name == ".." {
                folders.pop().ok_or(Errno::XDEV)?;
                continue;
            }
            let folder = folders.last().unwrap_or(&self.root);
            let is_last = names.is_empty();
            match open(folder, &name, is_last, purpose) {
                Ok(found) if is_last => return Ok(found),
                Ok(found) => folders.push(found),
                Err(Errno::LOOP | Errno::MLINK | Errno::NOTDIR) if links < MOST_LINKS => {
                    links += 1;
                    match fs::readlinkat(folder, &name, Vec::new()) {
                        Ok(link) => {
                            let link = PathBuf::from(OsString::from_vec(link.into_bytes()));
                            let inside = self.relative(&link).ok_or(Errno::XDEV)?;
                            if link.is_absolute() {
                                folders.clear();
                            }
                            add_names(inside, &mut names);
                        }
                        // It is no link, or no longer one.
                        Err(Errno::INVAL) if is_a_file(folder, &name) && !is_last => {
                            return Err(Errno::NOTDIR);
                        }
                        Err(Errno::INVAL) => names.push_front(name),
                        Err(error) => return Err(error),
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Err(Errno::ISDIR)
    }
}

/// Opens a name in a folder without following it. For writing, what is missing is made.
fn open(folder: &OwnedFd, name: &OsStr, is_last: bool, purpose: Purpose) -> Result<OwnedFd, Errno> {
    let usual = OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let writes = purpose == Purpose::Write;
    let flags = match (is_last, purpose) {
        (false, _) => OFlags::RDONLY | OFlags::DIRECTORY,
        (true, Purpose::Read) => OFlags::RDONLY,
        (true, Purpose::Write) => OFlags::WRONLY | OFlags::CREATE,
    };
    let opened = || fs::openat(folder, name, flags | usual, Mode::from_raw_mode(0o644));
    match opened() {
        Err(Errno::NOENT) if writes && !is_last => {
            match fs::mkdirat(folder, name, Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(Errno::EXIST) => opened(),
                Err(error) => Err(error),
            }
        }
        other => other,
    }
}

fn is_a_file(folder: &OwnedFd, name: &OsStr) -> bool {
    let found = fs::statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW);
    found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::RegularFile)
}

/// Puts the names of a path before the others.
fn add_names(path: &Path, names: &mut VecDeque<OsString>) {
    for part in path.components().rev() {
        match part {
            Component::Normal(name) => names.push_front(name.to_owned()),
            Component::ParentDir => names.push_front("..".into()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
}

fn outside(path: &str) -> FileError {
    FileError::Outside(path.to_owned())
}
