//! Standard input: reads lines in a thread of its own, with a limit on their length.

use super::stdout::Outbox;
use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::watch;

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

/// The lines of standard input.
pub(crate) struct InputLines {
    /// Lines that were read at once and not taken yet.
    read: VecDeque<Input>,
    more: Receiver<Vec<Input>>,
    /// True at the end of file.
    ended: watch::Receiver<bool>,
}

/// How many reads the channel buffers. Each has the lines that end in at most [`READ_SIZE`] bytes, so the memory is bounded by a few
/// lines of the longest length.
const BUFFERED_READS: usize = 2;

/// Bytes that are read at once.
const READ_SIZE: usize = 64 << 10;

/// After the end of input, how long a host that does not read may keep the agent waiting.
pub(crate) const UNREAD_TIMEOUT: Duration = Duration::from_secs(3);

/// Starts reading standard input.
pub(crate) fn spawn_reader(limit: usize) -> InputLines {
    let (sender, more) = channel(BUFFERED_READS);
    let (end, ended) = watch::channel(false);
    std::thread::spawn(move || {
        let last = read_lines(limit, &sender);
        let _ = end.send(true);
        if let Some(last) = last {
            let _ = sender.blocking_send(vec![last]);
        }
    });
    InputLines {
        read: VecDeque::new(),
        more,
        ended,
    }
}

/// Sends the lines of standard input to the end of file; returns what comes after the last newline.
fn read_lines(limit: usize, sender: &Sender<Vec<Input>>) -> Option<Input> {
    let mut stdin = std::io::stdin().lock();
    let mut lines = LineSplitter::new(limit);
    let mut buffer = vec![0; READ_SIZE];
    loop {
        let count = match stdin.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let found = lines.push(&buffer[..count]);
        if !found.is_empty() && sender.blocking_send(found).is_err() {
            return None;
        }
    }
    lines.finish()
}

impl InputLines {
    /// The next input, once the host has read enough of the output to leave room for the answer. `None` at the end of file, or if the
    /// host has closed its end and reads nothing.
    pub(crate) async fn next(&mut self, outbox: &Outbox) -> Option<Input> {
        tokio::select! {
            biased;
            () = outbox.ready_for_command() => {}
            () = unread_end(&mut self.ended) => return None,
        }
        if self.read.is_empty() {
            self.read.extend(self.more.recv().await?);
        }
        self.read.pop_front()
    }

    /// Whether the input has ended and every line is taken.
    pub(crate) fn is_at_end(&self) -> bool {
        self.read.is_empty() && self.more.is_closed() && self.more.is_empty()
    }
}

/// Waits for the end of file, and then as long as a host that does not read may take.
async fn unread_end(ended: &mut watch::Receiver<bool>) {
    // The reading thread has ended if the channel is closed.
    let _ = ended.wait_for(|ended| *ended).await;
    tokio::time::sleep(UNREAD_TIMEOUT).await;
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

    fn push(&mut self, bytes: &[u8]) -> Vec<Input> {
        let mut found = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let content = piece.strip_suffix(b"\n").unwrap_or(piece);
            found.extend(self.extend(content));
            if content.len() < piece.len() && !std::mem::take(&mut self.skipping) {
                found.push(Input::Line(std::mem::take(&mut self.line)));
            }
        }
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
