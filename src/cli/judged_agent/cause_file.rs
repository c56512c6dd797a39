//! The file that `MOCK_AGENT_JUDGE` names: findings as they happen, which the causes replace when the session has ended.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// The file with the findings on a host. It is empty until there is one.
#[derive(Debug)]
pub(super) struct CauseFile {
    file: File,
    /// Whether written text can be replaced: not in a pipe or a terminal.
    is_regular: bool,
}

impl CauseFile {
    /// An empty file.
    ///
    /// # Errors
    /// It cannot be created.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let file = File::create(path)?;
        let is_regular = file.metadata()?.is_file();
        Ok(CauseFile { file, is_regular })
    }

    /// Adds a text.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn append(&mut self, text: &[u8]) -> io::Result<()> {
        self.file.write_all(text)
    }

    /// Replaces everything by a text. The file is never empty in between, because an empty file means that there is no finding.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn replace(&mut self, text: &[u8]) -> io::Result<()> {
        if !self.is_regular {
            return self.file.write_all(text);
        }
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(text)?;
        self.file.set_len(text.len() as u64)
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
    fn nothing_in_a_device_is_replaced() {
        let mut file = CauseFile::create(Path::new("/dev/null")).unwrap();
        file.append(b"must a\n").unwrap();
        file.replace(b"CAUSE 1\n").unwrap();
    }
}
