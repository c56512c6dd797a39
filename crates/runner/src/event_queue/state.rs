//! The state of the event queue: the queued events, and the stdout pipe that is read into it.

use crate::client::terminal::TerminalEnd;
use crate::limits;
use conform_judge::frame::{Body, Frame};
use conform_judge::framing::{Framer, LINE_LIMIT};
use mock_provider::ScriptFailure;
use std::collections::{HashSet, VecDeque};
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::unix::pipe::Receiver;

/// One event of a session.
#[derive(Debug)]
pub(crate) enum SessionEvent {
    /// A frame of the transcript.
    Frame(Frame),
    /// The agent's stdout has ended.
    StdoutEnd,
    /// The model has answered a request with a reply of its script. Comes before the frame of the reply.
    Answered {
        /// The number of the request.
        n: u64,
        /// The number of the reply in the script.
        reply: usize,
    },
    /// A side request of this number, such as one for a title, which took no reply of the script. It is not part of the transcript.
    SideRequest(u64),
    /// A process that the client runs for the agent has ended.
    TerminalEnded {
        /// The id of its terminal.
        name: String,
        /// How it has ended.
        end: TerminalEnd,
    },
    /// The time has come for a delayed answer of the client with this number.
    AnswerDue(u64),
    /// The model found a fault in a request, or a reply that was never requested.
    Failure(ScriptFailure),
    /// The agent wrote more than the limit, and its stdout is no longer read.
    Overflow {
        /// Bytes of its stdout so far.
        bytes: u64,
        /// Lines of its stdout so far.
        lines: u64,
    },
}

/// The state of the stdout pipe after a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PipeStatus {
    /// It is empty and open.
    Empty,
    /// It has ended.
    Ended,
    /// It is not read until the queue has space again.
    Blocked,
}

#[derive(Debug, Default)]
pub(super) struct QueueState {
    pub(super) queue: VecDeque<SessionEvent>,
    /// The bytes of all lines in the queue.
    held: usize,
    pub(super) session: Option<ProcessOutput>,
    pub(super) paused: bool,
    /// Since when the pipe is not read because the queue is full.
    full_since: Option<Instant>,
    /// The total time of earlier such periods.
    full_for: Duration,
    /// Requests to the model whose exchange has not ended.
    pub(super) open_exchanges: HashSet<u64>,
    /// Requests to the model server for anything other than a message, which are not part of the transcript.
    pub(super) other_requests: HashSet<u64>,
}

/// The output of one process.
#[derive(Debug)]
pub(super) struct ProcessOutput {
    started: Instant,
    stdout: Option<StdoutPipe>,
    /// Bytes of stdout read.
    pub(super) bytes: u64,
    lines: u64,
    /// Events that are queued once this many bytes of stdout have been read: those bytes were in the pipe before the event.
    deferred: VecDeque<(u64, SessionEvent)>,
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
            deferred: VecDeque::new(),
            stderr: 0,
        }
    }

    /// The bytes of the last line that has no end yet.
    pub(super) fn unfinished(&self) -> u64 {
        self.stdout.as_ref().map_or(0, |out| out.framer.pending())
    }

    fn micros(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn is_flooding(&self) -> bool {
        self.bytes > limits::STDOUT_BYTES || self.lines > limits::STDOUT_LINES
    }
}

impl QueueState {
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.held > limits::QUEUE_BYTES || self.queue.len() > limits::QUEUE_EVENTS
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

    /// The total time in which stdout was not read because the queue was full.
    pub(super) fn time_full(&self) -> Duration {
        self.full_for
            + self
                .full_since
                .map_or(Duration::ZERO, |since| since.elapsed())
    }

    pub(super) fn take(&mut self) -> Option<SessionEvent> {
        let event = self.queue.pop_front()?;
        self.held -= weight(&event);
        Some(event)
    }

    pub(super) fn push(&mut self, event: SessionEvent) {
        self.held += weight(&event);
        self.queue.push_back(event);
    }

    /// Queues a frame with the current time; false if there is no session.
    pub(super) fn push_frame(&mut self, body: Body) -> bool {
        let Some(session) = &self.session else {
            return false;
        };
        let at = session.micros();
        self.push(SessionEvent::Frame(Frame { at, body }));
        true
    }

    /// Queues an event from elsewhere, after everything that the agent had written before it.
    pub(super) fn push_after_stdout(&mut self, event: SessionEvent) {
        self.read_stdout();
        let Some(session) = &mut self.session else {
            return;
        };
        let unread = session.stdout.as_ref().map_or(0, |out| {
            // An error counts as an empty pipe.
            rustix::io::ioctl_fionread(&*out.pipe).unwrap_or(0)
        });
        if unread == 0 && session.deferred.is_empty() {
            self.push_now(event);
        } else {
            session.deferred.push_back((session.bytes + unread, event));
        }
    }

    /// Queues an event with the current time.
    fn push_now(&mut self, mut event: SessionEvent) {
        if let (SessionEvent::Frame(frame), Some(session)) = (&mut event, &self.session) {
            frame.at = session.micros();
        }
        self.push(event);
    }

    /// Reads the stdout pipe into the queue, as far as there is space.
    pub(super) fn read_stdout(&mut self) -> PipeStatus {
        let mut buffer = [const { MaybeUninit::uninit() }; 64 << 10];
        loop {
            self.push_deferred();
            let full = self.is_full();
            self.note_full(full);
            if self.paused || full {
                return PipeStatus::Blocked;
            }
            let Some(session) = &self.session else {
                return PipeStatus::Ended;
            };
            let Some(stdout) = &session.stdout else {
                return PipeStatus::Ended;
            };
            // Stop at the point where a deferred event comes.
            let most = match session.deferred.front() {
                Some((at, _)) => usize::try_from(at - session.bytes).unwrap_or(usize::MAX),
                None => buffer.len(),
            };
            let most = most.min(buffer.len());
            match rustix::io::read(&*stdout.pipe, &mut buffer[..most]) {
                Ok(([], _)) => {
                    self.close_stdout();
                    return PipeStatus::Ended;
                }
                Ok((bytes, _)) => self.add_bytes(bytes),
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return PipeStatus::Empty,
                Err(error) => {
                    tracing::debug!(%error, "stdout cannot be read");
                    self.close_stdout();
                    return PipeStatus::Ended;
                }
            }
        }
    }

    /// Queues the deferred events for which enough bytes have been read.
    fn push_deferred(&mut self) {
        while let Some(session) = &mut self.session
            && session
                .deferred
                .front()
                .is_some_and(|(at, _)| *at <= session.bytes)
            && let Some((_, event)) = session.deferred.pop_front()
        {
            self.push_now(event);
        }
    }

    fn add_bytes(&mut self, bytes: &[u8]) {
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
            self.push_frame(Body::FromAgent(line));
        }
        if let Some(overflow) = overflow {
            self.push(overflow);
        }
    }

    /// Ends stdout: queues its last unfinished line, then all deferred events.
    pub(super) fn close_stdout(&mut self) {
        let Some(session) = &mut self.session else {
            return;
        };
        let deferred: Vec<_> = session.deferred.drain(..).collect();
        let mut last = None;
        let open = session.stdout.take();
        let was_open = open.is_some();
        if let Some(stdout) = open {
            stdout.framer.finish(&mut |line| last = Some(line));
        }
        if let Some(line) = last {
            self.push_frame(Body::FromAgent(line));
        }
        for (_, event) in deferred {
            self.push_now(event);
        }
        if was_open {
            self.push(SessionEvent::StdoutEnd);
        }
    }
}

fn weight(event: &SessionEvent) -> usize {
    match event {
        SessionEvent::Frame(Frame {
            body: Body::FromAgent(line) | Body::ToAgent(line) | Body::Stderr(line),
            ..
        }) => line.bytes.len(),
        _ => 0,
    }
}
