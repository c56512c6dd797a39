//! Standard input: reads lines in a thread of its own, with a limit on their length.

use super::stdout::Outbox;
use frame_faults::LineSplitter;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::os::fd::AsFd;
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

/// How long a host that does not read may keep a request to the model waiting, and the agent after the end of input.
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
    let file = File::from(std::io::stdin().as_fd().try_clone_to_owned().ok()?);
    let mut stdin = BufReader::with_capacity(READ_SIZE, file);
    let mut inputs = InputSplitter::new(limit);
    loop {
        let bytes = match stdin.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let (found, count) = (inputs.push(bytes), bytes.len());
        stdin.consume(count);
        if !found.is_empty() && sender.blocking_send(found).is_err() {
            return None;
        }
    }
    inputs.finish()
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

/// Makes input of bytes, and drops lines that are too long.
#[derive(Debug)]
struct InputSplitter {
    lines: LineSplitter,
    /// In a line that is too long.
    skipping: bool,
}

impl InputSplitter {
    fn new(limit: usize) -> Self {
        InputSplitter {
            lines: LineSplitter::new(limit),
            skipping: false,
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Vec<Input> {
        let lines = self.lines.push(bytes).into_iter();
        lines.filter_map(|line| self.input(line)).collect()
    }

    fn input(&mut self, mut line: Vec<u8>) -> Option<Input> {
        let is_whole = line.pop_if(|byte| *byte == b'\n').is_some();
        let skipped = std::mem::replace(&mut self.skipping, !is_whole);
        (!skipped).then_some(if is_whole {
            Input::Line(line)
        } else {
            Input::TooLong
        })
    }

    fn finish(mut self) -> Option<Input> {
        let rest = self.lines.rest();
        (!self.skipping && !rest.is_empty()).then_some(Input::Rest(rest))
    }
}
