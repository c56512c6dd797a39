//! The file that `MOCK_AGENT_JUDGE` names: findings as they happen, which the causes replace when the session has ended. Those of earlier
//! sessions stay.

use crate::cli::transcript_file::open_locked;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// The file with the findings on a host. A new one is empty until there is a finding.
#[derive(Debug)]
pub(super) struct CauseFile {
    file: File,
    /// Where the findings of this session begin, in bytes.
    start: u64,
    /// Whether written text can be replaced: not in a pipe or a terminal.
    is_regular: bool,
}

impl CauseFile {
    /// Opens the file, or makes an empty one. No other session can open it until this one has ended.
    ///
    /// # Errors
    /// It cannot be created.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let mut file = open_locked(path)?;
        let is_regular = file.metadata()?.is_file();
        let start = if is_regular {
            file.seek(SeekFrom::End(0))?
        } else {
            0
        };
        Ok(CauseFile {
            file,
            start,
            is_regular,
        })
    }

    /// Whether it has findings of earlier sessions.
    pub(super) fn has_earlier(&self) -> bool {
        self.start > 0
    }

    /// Adds a text.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn append(&mut self, text: &[u8]) -> io::Result<()> {
        self.file.write_all(text)
    }

    /// Replaces the findings of this session by a text. They are never missing in between, because an empty file means that there is no
    /// finding.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn replace(&mut self, text: &[u8]) -> io::Result<()> {
        if !self.is_regular {
            return self.file.write_all(text);
        }
        self.file.seek(SeekFrom::Start(self.start))?;
        self.file.write_all(text)?;
        self.file.set_len(self.start + text.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_replace_the_findings_that_were_written_live() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("host.txt");
        let read = || std::fs::read_to_string(&path).unwrap();
        let mut file = CauseFile::create(&path).unwrap();
        assert_eq!(read(), "");
        file.append(b"must a\n").unwrap();
        file.append(b"must b, a long one\n").unwrap();
        assert_eq!(read(), "must a\nmust b, a long one\n");
        file.replace(b"CAUSE 1\n").unwrap();
        assert_eq!(read(), "CAUSE 1\n");
    }

    #[test]
    fn the_findings_of_an_earlier_session_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("host.txt");
        std::fs::write(&path, "CAUSE 1\n").unwrap();
        let mut file = CauseFile::create(&path).unwrap();
        assert!(file.has_earlier());
        file.append(b"must a\nmust b\n").unwrap();
        file.replace(b"CAUSE 2\n").unwrap();
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "CAUSE 1\nCAUSE 2\n"
        );
        let second = CauseFile::create(&path).unwrap_err().to_string();
        assert!(second.contains("another"), "{second}");
    }

    #[test]
    fn nothing_in_a_device_is_replaced() {
        let mut file = CauseFile::create(Path::new("/dev/null")).unwrap();
        file.append(b"must a\n").unwrap();
        file.replace(b"CAUSE 1\n").unwrap();
    }
}
