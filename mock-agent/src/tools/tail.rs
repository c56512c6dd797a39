//! Output without bounds: its end is kept, and all of a long one goes to a file.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The most that is kept of an output.
const BYTES: usize = 50 << 10;
const LINES: usize = 2000;

/// An output so far.
pub(super) struct Tail<'f> {
    folder: &'f Path,
    kept: VecDeque<u8>,
    spill: Option<Spill>,
}

struct Spill {
    file: File,
    path: PathBuf,
}

impl<'f> Tail<'f> {
    /// Files for long outputs come into this folder, which is made when it is needed.
    pub(super) fn new(folder: &'f Path) -> Self {
        Tail {
            folder,
            kept: VecDeque::new(),
            spill: None,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        if let Some(spill) = &mut self.spill {
            let _ = spill.file.write_all(bytes);
        }
        self.kept.extend(bytes);
        if self.kept.len() > BYTES {
            self.spill_over();
            let over = self.kept.len() - BYTES;
            self.kept.drain(..over);
        }
    }

    /// The end of the output, and where all of it is if that is not all.
    pub(super) fn finish(mut self) -> (String, Option<PathBuf>) {
        let bytes = self.kept.make_contiguous();
        let first = first_kept(bytes, self.spill.is_some());
        if first > 0 {
            self.spill_over();
        }
        let bytes: Vec<u8> = self.kept.into_iter().skip(first).collect();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (text, self.spill.map(|spill| spill.path))
    }

    /// Begins the file, with what is there.
    fn spill_over(&mut self) {
        if self.spill.is_some() {
            return;
        }
        match create(self.folder) {
            Ok((mut file, path)) => {
                let _ = file.write_all(self.kept.make_contiguous());
                self.spill = Some(Spill { file, path });
            }
            Err(error) => tracing::warn!("a long output could not be kept: {error}"),
        }
    }
}

/// Where the last lines begin; of a line whose beginning is gone nothing is kept.
fn first_kept(bytes: &[u8], cut: bool) -> usize {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let ends: Vec<_> = memchr::memchr_iter(b'\n', body).collect();
    let lines = match ends.len().checked_sub(LINES) {
        Some(over) => ends[over] + 1,
        None => 0,
    };
    match (cut, ends.first()) {
        (true, Some(first)) => lines.max(first + 1),
        _ => lines,
    }
}

/// The first file of the folder's sequence that is free.
fn create(folder: &Path) -> std::io::Result<(File, PathBuf)> {
    std::fs::create_dir_all(folder)?;
    for n in 1u32.. {
        let path = folder.join(format!("output-{n}.log"));
        match File::create_new(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(pieces: &[&[u8]]) -> (String, Option<String>) {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        let mut tail = Tail::new(&folder);
        pieces.iter().for_each(|piece| tail.push(piece));
        let (text, path) = tail.finish();
        (
            text,
            path.map(|path| std::fs::read_to_string(path).unwrap()),
        )
    }

    #[test]
    fn a_short_output_is_kept_whole() {
        assert_eq!(tail(&[b"a\n", b"b"]), ("a\nb".into(), None));
        assert_eq!(tail(&[]), (String::new(), None));
    }

    #[test]
    fn of_many_lines_the_last_are_kept_and_the_file_has_all() {
        let all: String = (1..=LINES + 5).map(|n| format!("{n}\n")).collect();
        let (text, whole) = tail(&[all.as_bytes()]);

        assert!(text.starts_with("6\n7\n"), "{}", &text[..20]);
        assert_eq!(text.lines().count(), LINES);
        assert_eq!(whole, Some(all));
    }

    #[test]
    fn of_many_bytes_whole_lines_are_kept() {
        let line = format!("{}\n", "x".repeat(999));
        let all = line.repeat(100);
        let pieces: Vec<_> = all.as_bytes().chunks(777).collect();
        let (text, whole) = tail(&pieces);

        assert_eq!(text, line.repeat(51));
        assert_eq!(whole, Some(all));
    }

    #[test]
    fn of_one_endless_line_the_end_is_kept() {
        let (text, whole) = tail(&[&vec![b'x'; 3 * BYTES]]);

        assert_eq!(text.len(), BYTES);
        assert_eq!(whole.map(|all| all.len()), Some(3 * BYTES));
    }
}
