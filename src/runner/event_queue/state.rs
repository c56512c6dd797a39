//! What the queue holds, and how the pipe is emptied into it.

use crate::frame::{Body, Frame};
use crate::framing::{Framer, LINE_LIMIT};
use crate::runner::limits;
use mock_provider::Failure;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::unix::pipe::Receiver;

/// One thing that happened.
#[derive(Debug)]
pub(crate) enum SessionEvent {
    /// A frame of the history.
    Frame(Frame),
    /// The agent's stdout came to its end.
    StdoutEnd,
    /// The model has answered a request with a reply of its script. Stands before the answer's end.
    Answered {
        /// The number of the request.
        n: u64,
        /// The number of the reply.
        reply: usize,
    },
    /// The model found something wrong with a request.
    Failure(Failure),
    /// The agent wrote more than a scenario can need, and is not read any more.
    Overflow {
        /// Bytes of its stdout.
        bytes: u64,
        /// Lines of it.
        lines: u64,
    },
}

/// What became of an attempt to empty the pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PipeStatus {
    /// It is empty for now.
    Empty,
    /// It came to its end.
    SuiteEnd,
    /// Nothing more is taken until there is room.
    Blocked,
}

#[derive(Debug, Default)]
pub(super) struct QueueState {
    pub(super) queue: VecDeque<SessionEvent>,
    /// Bytes of lines in the queue.
    held: usize,
    pub(super) session: Option<ProcessOutput>,
    pub(super) paused: bool,
    /// Since when the pipe is not read because too much was not yet looked at.
    full_since: Option<Instant>,
    /// How long that was so before.
    full_for: Duration,
    /// Exchanges with the model that have not ended.
    pub(super) open: HashSet<u64>,
    /// Requests for something else than a message: no part of the history.
    pub(super) aside: HashSet<u64>,
}

/// One life of the process.
#[derive(Debug)]
pub(super) struct ProcessOutput {
    started: Instant,
    stdout: Option<StdoutPipe>,
    /// Bytes of stdout read.
    pub(super) bytes: u64,
    lines: u64,
    /// What is due as soon as so many bytes of stdout are read: they were in the pipe before it happened.
    due: VecDeque<(u64, SessionEvent)>,
    /// Bytes of stderr read.
    pub(super) stderr: u64,
}

#[derive(Debug)]
struct StdoutPipe {
    pipe: Arc<Receiver>,
    framer: Framer,
}

impl ProcessOutput {
    pub(super) fn new(pipe: Arc<Receiver>, started: Instant) -> Self {
        let framer = Framer::new(LINE_LIMIT);
        ProcessOutput {
            started,
            stdout: Some(StdoutPipe { pipe, framer }),
            bytes: 0,
            lines: 0,
            due: VecDeque::new(),
            stderr: 0,
        }
    }

    /// Bytes of a line that has not ended.
    pub(super) fn unfinished(&self) -> u64 {
        self.stdout.as_ref().map_or(0, |out| out.framer.pending())
    }

    fn at(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn is_flooding(&self) -> bool {
        self.bytes > limits::STDOUT_BYTES || self.lines > limits::STDOUT_LINES
    }
}

impl QueueState {
    pub(super) fn is_full(&self) -> bool {
        self.held > limits::HELD_BYTES || self.queue.len() > limits::HELD_ITEMS
    }

    fn note_full(&mut self, full: bool) {
        match (full, self.full_since) {
            (true, None) => self.full_since = Some(Instant::now()),
            (false, Some(since)) => {
                self.full_for += since.elapsed();
                self.full_since = None;
            }
            _ => {}
        }
    }

    /// How long the agent could not be heard because what it had written before was not yet looked at.
    pub(super) fn deaf(&self) -> Duration {
        self.full_for
            + self
                .full_since
                .map_or(Duration::ZERO, |since| since.elapsed())
    }

    pub(super) fn take(&mut self) -> Option<SessionEvent> {
        let item = self.queue.pop_front()?;
        self.held -= weight(&item);
        Some(item)
    }

    pub(super) fn push(&mut self, item: SessionEvent) {
        self.held += weight(&item);
        self.queue.push_back(item);
    }

    /// Puts down a frame; false if there is no session that it could belong to.
    pub(super) fn frame(&mut self, body: Body) -> bool {
        let Some(session) = &self.session else {
            return false;
        };
        let at = session.at();
        self.push(SessionEvent::Frame(Frame { at, body }));
        true
    }

    /// Puts down something that the agent did besides writing, behind all that it had written before.
    pub(super) fn behind_stdout(&mut self, item: SessionEvent) {
        self.pump();
        let Some(session) = &mut self.session else {
            return;
        };
        let unread = session.stdout.as_ref().map_or(0, |out| {
            // What cannot be asked is taken for empty, as it mostly is.
            rustix::io::ioctl_fionread(&*out.pipe).unwrap_or(0)
        });
        if unread == 0 && session.due.is_empty() {
            self.push_now(item);
        } else {
            session.due.push_back((session.bytes + unread, item));
        }
    }

    /// Puts something down with the time that it is now.
    fn push_now(&mut self, mut item: SessionEvent) {
        if let (SessionEvent::Frame(frame), Some(session)) = (&mut item, &self.session) {
            frame.at = session.at();
        }
        self.push(item);
    }

    /// Takes what lies in the pipe, as far as there is room.
    pub(super) fn pump(&mut self) -> PipeStatus {
        let mut buffer = [0; 64 << 10];
        loop {
            self.put_due();
            let full = self.is_full();
            self.note_full(full);
            if self.paused || full {
                return PipeStatus::Blocked;
            }
            let Some(session) = &self.session else {
                return PipeStatus::SuiteEnd;
            };
            let Some(stdout) = &session.stdout else {
                return PipeStatus::SuiteEnd;
            };
            // Nothing is read beyond the point where something else is due.
            let most = match session.due.front() {
                Some((at, _)) => usize::try_from(at - session.bytes).unwrap_or(usize::MAX),
                None => buffer.len(),
            };
            let most = most.min(buffer.len());
            match rustix::io::read(&*stdout.pipe, &mut buffer[..most]) {
                Ok(0) => {
                    self.close_stdout();
                    return PipeStatus::SuiteEnd;
                }
                Ok(length) => self.bytes(&buffer[..length]),
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return PipeStatus::Empty,
                Err(error) => {
                    tracing::debug!(%error, "stdout cannot be read");
                    self.close_stdout();
                    return PipeStatus::SuiteEnd;
                }
            }
        }
    }

    /// Puts down what was waiting for the bytes read so far.
    fn put_due(&mut self) {
        while let Some(session) = &mut self.session
            && session
                .due
                .front()
                .is_some_and(|(at, _)| *at <= session.bytes)
            && let Some((_, item)) = session.due.pop_front()
        {
            self.push_now(item);
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let Some(session) = &mut self.session else {
            return;
        };
        let Some(stdout) = &mut session.stdout else {
            return;
        };
        let mut lines = Vec::new();
        stdout.framer.push(bytes, &mut |line| lines.push(line));
        session.bytes += bytes.len() as u64;
        session.lines += lines.len() as u64;
        let overflow = session.is_flooding().then(|| {
            session.stdout = None;
            SessionEvent::Overflow {
                bytes: session.bytes,
                lines: session.lines,
            }
        });
        for line in lines {
            self.frame(Body::FromAgent(line));
        }
        if let Some(overflow) = overflow {
            self.push(overflow);
        }
    }

    /// Nothing more comes from stdout.
    pub(super) fn close_stdout(&mut self) {
        let Some(session) = &mut self.session else {
            return;
        };
        let due: Vec<_> = session.due.drain(..).collect();
        let mut last = None;
        let open = session.stdout.take();
        let was_open = open.is_some();
        if let Some(stdout) = open {
            stdout.framer.finish(&mut |line| last = Some(line));
        }
        if let Some(line) = last {
            self.frame(Body::FromAgent(line));
        }
        for (_, item) in due {
            self.push_now(item);
        }
        if was_open {
            self.push(SessionEvent::StdoutEnd);
        }
    }
}

fn weight(item: &SessionEvent) -> usize {
    match item {
        SessionEvent::Frame(Frame {
            body: Body::FromAgent(line) | Body::ToAgent(line) | Body::Stderr(line),
            ..
        }) => line.bytes.len(),
        _ => 0,
    }
}
