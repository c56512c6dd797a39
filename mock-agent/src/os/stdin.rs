//! Standard input: reads lines in a thread of its own, with a limit on their length.

use std::io::{ErrorKind, Read};
use tokio::sync::mpsc::{Receiver, channel};

/// Input from the host.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A line, without its newline.
    Line(Vec<u8>),
    /// The bytes after the last newline, at the end of file.
    Rest(Vec<u8>),
    /// A line was longer than the limit and was dropped.
    TooLong,
}

/// How many lines the channel buffers.
const BUFFERED_LINES: usize = 64;

/// Starts reading standard input. The channel closes at the end of file.
pub(crate) fn spawn_reader(limit: usize) -> Receiver<Input> {
    let (sender, receiver) = channel(BUFFERED_LINES);
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut lines = LineSplitter::new(limit);
        let mut buffer = vec![0; 64 << 10];
        loop {
            let count = match stdin.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            for input in lines.push(&buffer[..count]) {
                if sender.blocking_send(input).is_err() {
                    return;
                }
            }
        }
        if let Some(last) = lines.finish() {
            let _ = sender.blocking_send(last);
        }
    });
    receiver
}

/// Splits bytes into lines, and drops lines that are too long.
#[derive(Debug)]
struct LineSplitter {
    limit: usize,
    line: Vec<u8>,
    skipping: bool,
}

impl LineSplitter {
    fn new(limit: usize) -> Self {
        LineSplitter {
            limit,
            line: Vec::new(),
            skipping: false,
        }
    }

    fn push(&mut self, mut bytes: &[u8]) -> Vec<Input> {
        let mut found = Vec::new();
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            found.extend(self.extend(&bytes[..end]));
            if !std::mem::take(&mut self.skipping) {
                found.push(Input::Line(std::mem::take(&mut self.line)));
            }
            bytes = &bytes[end + 1..];
        }
        found.extend(self.extend(bytes));
        found
    }

    fn extend(&mut self, bytes: &[u8]) -> Option<Input> {
        if self.skipping {
            return None;
        }
        if self.line.len() + bytes.len() > self.limit {
            self.skipping = true;
            self.line = Vec::new();
            return Some(Input::TooLong);
        }
        self.line.extend_from_slice(bytes);
        None
    }

    fn finish(self) -> Option<Input> {
        (!self.line.is_empty()).then_some(Input::Rest(self.line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, limit: usize, size: usize) -> Vec<String> {
        let mut lines = LineSplitter::new(limit);
        let mut found: Vec<_> = text
            .as_bytes()
            .chunks(size)
            .flat_map(|chunk| lines.push(chunk))
            .collect();
        found.extend(lines.finish());
        let shown = found.into_iter().map(|input| match input {
            Input::Line(line) | Input::Rest(line) => String::from_utf8(line).unwrap(),
            Input::TooLong => "<too long>".into(),
        });
        shown.collect()
    }

    #[test]
    fn lines_are_the_same_in_any_chunking() {
        for size in 1..12 {
            assert_eq!(
                lines("ab\n\r\ncd\nlast", 9, size),
                ["ab", "\r", "cd", "last"],
                "{size}"
            );
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_reported_once_and_the_next_is_whole() {
        for size in 1..12 {
            assert_eq!(
                lines("abcdef\nabc\nabcd", 3, size),
                ["<too long>", "abc", "<too long>"],
                "{size}"
            );
        }
    }
}
