//! Output limits: truncation of a tool's output, and a tail buffer that keeps the end of an unbounded one.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The maximum output of a tool, in bytes, that the host and the model get.
pub(super) const OUTPUT_LIMIT: usize = 30_000;

/// The text, truncated at the limit with a note that states how much is missing. `dropped` counts bytes that are missing already.
pub(super) fn truncate(mut text: String, dropped: u64) -> String {
    let cut = text.floor_char_boundary(OUTPUT_LIMIT);
    let missing = (text.len() - cut) as u64 + dropped;
    if missing > 0 {
        text.truncate(cut);
        text.push_str(&format!("\n[output truncated: {missing} bytes more]"));
    }
    text
}

/// How much of the end of an output is kept, in bytes and in lines.
const TAIL_BYTES: usize = 50 << 10;
const TAIL_LINES: usize = 2000;

/// The end of an unbounded output. A long output is also written to a file as a whole.
pub(super) struct TailBuffer<'f> {
    folder: &'f Path,
    kept: VecDeque<u8>,
    /// The file with all of it, once it is long.
    overflow: Option<(File, PathBuf)>,
}

impl<'f> TailBuffer<'f> {
    /// The file for a long output goes to this folder, which is created when it is needed.
    pub(super) fn new(folder: &'f Path) -> Self {
        TailBuffer {
            folder,
            kept: VecDeque::new(),
            overflow: None,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        if let Some((file, _)) = &mut self.overflow {
            let _ = file.write_all(bytes);
        }
        self.kept.extend(bytes);
        if self.kept.len() > TAIL_BYTES {
            self.start_file();
            let over = self.kept.len() - TAIL_BYTES;
            self.kept.drain(..over);
        }
    }

    /// The end of the output; and the file with all of it, if there is more.
    pub(super) fn finish(mut self) -> (String, Option<PathBuf>) {
        let bytes = self.kept.make_contiguous();
        let first = first_kept(bytes, self.overflow.is_some());
        if first > 0 {
            self.start_file();
        }
        let bytes: Vec<u8> = self.kept.into_iter().skip(first).collect();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (text, self.overflow.map(|(_, path)| path))
    }

    fn start_file(&mut self) {
        if self.overflow.is_some() {
            return;
        }
        match create_file(self.folder) {
            Ok((mut file, path)) => {
                let _ = file.write_all(self.kept.make_contiguous());
                self.overflow = Some((file, path));
            }
            Err(error) => tracing::warn!("a long output could not be saved: {error}"),
        }
    }
}

/// The offset of the first line that is kept. A line whose beginning is missing is dropped.
fn first_kept(bytes: &[u8], cut: bool) -> usize {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let ends: Vec<_> = memchr::memchr_iter(b'\n', body).collect();
    let lines = match ends.len().checked_sub(TAIL_LINES) {
        Some(over) => ends[over] + 1,
        None => 0,
    };
    match (cut, ends.first()) {
        (true, Some(first)) => lines.max(first + 1),
        _ => lines,
    }
}

/// Creates the first `output-N.log` that does not exist yet.
fn create_file(folder: &Path) -> std::io::Result<(File, PathBuf)> {
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
        let mut tail = TailBuffer::new(&folder);
        pieces.iter().for_each(|piece| tail.push(piece));
        let (text, path) = tail.finish();
        (
            text,
            path.map(|path| std::fs::read_to_string(path).unwrap()),
        )
    }

    #[test]
    fn the_last_whole_lines_are_kept_and_the_file_has_all() {
        let lines = |from: usize, to| (from..=to).map(|n| format!("{n}\n")).collect::<String>();
        let line = format!("{}\n", "x".repeat(999));
        let endless = "x".repeat(3 * TAIL_BYTES);
        for (pieces, all, kept) in [
            (2, "a\nb".to_owned(), "a\nb".to_owned()),
            (1, String::new(), String::new()),
            (
                TAIL_BYTES,
                lines(1, TAIL_LINES + 5),
                lines(6, TAIL_LINES + 5),
            ),
            (777, line.repeat(100), line.repeat(51)),
            (
                endless.len(),
                endless.clone(),
                endless[2 * TAIL_BYTES..].to_owned(),
            ),
        ] {
            let pieces: Vec<_> = all.as_bytes().chunks(pieces).collect();
            let (text, whole) = tail(&pieces);
            assert_eq!(text, kept);
            assert_eq!(whole, Some(all).filter(|all| *all != kept));
        }
    }

    #[test]
    fn a_text_beyond_the_limit_is_cut_between_characters_and_says_so() {
        assert_eq!(truncate("x".repeat(OUTPUT_LIMIT), 0).len(), OUTPUT_LIMIT);
        let kept = "x".repeat(OUTPUT_LIMIT - 1);
        let expected = format!("{kept}\n[output truncated: 9 bytes more]");
        assert_eq!(truncate(format!("{kept}ää"), 5), expected);
    }
}
