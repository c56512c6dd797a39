//! JSON Lines framing: splits a stream of bytes into lines.

use crate::frame::{Eol, Line};

/// The usual limit of one line, in bytes: far above the largest record seen in the field (3.2 MB), and small enough for memory.
pub const LINE_LIMIT: usize = 16 << 20;

/// Splits a stream into lines at `\n`, independent of how it is chunked. Of a longer line the first `limit` bytes are kept and the rest is
/// counted, so memory is bounded even if no newline ever comes.
#[derive(Debug)]
pub struct Framer {
    limit: usize,
    kept: Vec<u8>,
    dropped: u64,
    last: Option<u8>,
}

impl Framer {
    /// A framer that keeps at most `limit` bytes of a line.
    pub fn new(limit: usize) -> Self {
        Framer {
            limit,
            kept: Vec::new(),
            dropped: 0,
            last: None,
        }
    }

    /// Adds the next bytes of the stream, and passes every line that they complete to `emit`.
    pub fn push(&mut self, mut chunk: &[u8], emit: &mut impl FnMut(Line)) {
        while let Some(end) = memchr::memchr(b'\n', chunk) {
            self.extend(&chunk[..end]);
            emit(self.take_line());
            chunk = &chunk[end + 1..];
        }
        self.extend(chunk);
    }

    /// Ends the stream: passes the last line to `emit` if it had no newline.
    pub fn finish(self, emit: &mut impl FnMut(Line)) {
        if self.last.is_some() {
            emit(Line {
                bytes: self.kept,
                eol: Eol::None,
                dropped: self.dropped,
            });
        }
    }

    /// The number of bytes of the unfinished line, those beyond the limit included.
    pub fn pending(&self) -> u64 {
        self.kept.len() as u64 + self.dropped
    }

    fn extend(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        let room = self.limit - self.kept.len();
        let (keep, drop) = bytes.split_at(bytes.len().min(room));
        self.kept.extend_from_slice(keep);
        self.dropped += drop.len() as u64;
        self.last = Some(last);
    }

    fn take_line(&mut self) -> Line {
        let mut line = Line {
            bytes: std::mem::take(&mut self.kept),
            eol: Eol::Lf,
            dropped: self.dropped,
        };
        if self.last == Some(b'\r') {
            line.eol = Eol::CrLf;
            if line.dropped > 0 {
                line.dropped -= 1;
            } else {
                line.bytes.pop();
            }
        }
        self.dropped = 0;
        self.last = None;
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame<'a>(limit: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut framer = Framer::new(limit);
        for chunk in chunks {
            framer.push(chunk, &mut |line| lines.push(line));
        }
        framer.finish(&mut |line| lines.push(line));
        lines
    }

    fn unframe(lines: &[Line]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend_from_slice(&line.bytes);
            bytes.extend_from_slice(match line.eol {
                Eol::Lf => b"\n",
                Eol::CrLf => b"\r\n",
                Eol::None => b"",
            });
        }
        bytes
    }

    /// Each line with its terminator, and the number of the bytes that were dropped.
    fn shown(line: &Line) -> String {
        let text = String::from_utf8(unframe(std::slice::from_ref(line))).unwrap();
        match line.dropped {
            0 => text,
            dropped => format!("{dropped} off {text}"),
        }
    }

    #[test]
    fn each_stream_has_its_lines() {
        for (limit, chunks, lines) in [
            (9, "", ""),
            (9, "/", ""),
            (9, "\n\r\n", "\n|\r\n"),
            // The last line has no newline.
            (9, "a\nb\r", "a\n|b\r"),
            // An over-long line keeps its first bytes, and the rest is counted.
            (3, "abcde/fg\nxyz\n", "4 off abc\n|xyz\n"),
            // The carriage return of a terminator is never counted as content.
            (3, "a/b/\r/\n", "ab\r\n"),
            (3, "a/b/c/\r/\n", "abc\r\n"),
            (3, "a/b/c/d/\r/\n", "1 off abc\r\n"),
        ] {
            let found = frame(limit, chunks.split('/').map(str::as_bytes));
            let found: Vec<_> = found.iter().map(shown).collect();
            assert_eq!(found.join("|"), lines, "{chunks:?}");
        }
    }

    #[test]
    fn an_endless_line_keeps_memory_bounded() {
        let mut framer = Framer::new(1000);
        for _ in 0..1000 {
            framer.push(&[b'x'; 1 << 16], &mut |_| panic!("no line yet"));
        }
        assert_eq!(framer.pending(), 1000 << 16);
        assert!(framer.kept.capacity() < 1 << 17);
    }

    proptest! {
        #[test]
        fn chunking_changes_nothing(text in "[ab\r\n]{0,40}", size in 1usize..9, limit in 1usize..9) {
            prop_assert_eq!(frame(limit, text.as_bytes().chunks(size)), frame(limit, [text.as_bytes()]));
        }

        #[test]
        fn framing_loses_no_byte(bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b'\r')], 0..60), size in 1usize..9) {
            prop_assert_eq!(unframe(&frame(usize::MAX, bytes.chunks(size))), bytes);
        }
    }
}
