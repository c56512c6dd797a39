//! Everything that happens in a session, in the order of cause and effect.
//!
//! Two sources meet here: the pipe from the agent and the scripted model. The model tells of a request before it answers it. At
//! that moment all that the agent wrote before its request lies in the pipe, and nothing that follows from the answer can; so the
//! pipe is emptied before the request is written down. The same is done before a command goes out.

use super::limits;
use crate::frame::{Body, End, Frame, Line, LlmReply, LlmRequest, ReplyEnd};
use crate::framing::{Framer, LINE_LIMIT};
use mock_provider::Failure;
use mock_provider::server::{self, Endpoint, Event};
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::unix::pipe::Receiver;
use tokio::sync::Notify;

/// One thing that happened.
#[derive(Debug)]
pub(super) enum Item {
    /// A frame of the history.
    Frame(Frame),
    /// The agent's stdout came to its end.
    StdoutEnd,
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
pub(super) enum Pumped {
    /// It is empty for now.
    Empty,
    /// It came to its end.
    Ended,
    /// Nothing more is taken until there is room.
    Blocked,
}

/// Where everything that happens is put down, and read in order.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    state: Mutex<State>,
    arrived: Notify,
    room: Notify,
    settled: Notify,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Item>,
    /// Bytes of lines in the queue.
    held: usize,
    session: Option<Session>,
    paused: bool,
    /// Exchanges with the model that have not ended.
    open: HashSet<u64>,
    /// Requests for something else than a message: no part of the history.
    aside: HashSet<u64>,
}

/// One life of the process.
#[derive(Debug)]
struct Session {
    started: Instant,
    stdout: Option<Stdout>,
    bytes: u64,
    lines: u64,
    stderr: u64,
}

#[derive(Debug)]
struct Stdout {
    pipe: Arc<Receiver>,
    framer: Framer,
}

impl Inbox {
    /// A process was spawned, and this is its stdout.
    pub(super) fn begin(&self, pipe: Arc<Receiver>, started: Instant) {
        let framer = Framer::new(LINE_LIMIT);
        self.lock().session = Some(Session {
            started,
            stdout: Some(Stdout { pipe, framer }),
            bytes: 0,
            lines: 0,
            stderr: 0,
        });
    }

    /// The next thing that happened.
    pub(super) async fn next(&self) -> Item {
        loop {
            if let Some(item) = self.take() {
                return item;
            }
            self.arrived.notified().await;
        }
    }

    fn take(&self) -> Option<Item> {
        let mut state = self.lock();
        let item = state.queue.pop_front()?;
        state.held -= weight(&item);
        if !state.is_full() {
            self.room.notify_one();
        }
        Some(item)
    }

    /// Puts down what the host does, behind all that the agent did before. False if the session is over.
    pub(super) fn host(&self, body: Body) -> bool {
        self.put(|state| {
            state.pump();
            state.frame(body)
        })
    }

    /// Puts down a line of stderr; of a flood only the beginning.
    pub(super) fn stderr(&self, line: Line) {
        self.put(|state| {
            if let Some(session) = &mut state.session {
                session.stderr += line.bytes.len() as u64 + 1;
                if session.stderr <= limits::STDERR_BYTES {
                    state.frame(Body::Stderr(line));
                }
            }
        });
    }

    /// Puts down what the model tells.
    pub(super) fn model(&self, entry: server::Entry) {
        let settled = self.put(|state| {
            match entry.event {
                Event::Request(arrived) if matches!(arrived.endpoint, Endpoint::Message(_)) => {
                    state.pump();
                    let body = arrived.json();
                    let (n, path) = (arrived.n, arrived.path);
                    state.open.insert(n);
                    state.frame(Body::LlmRequest(LlmRequest { n, path, body }));
                }
                Event::Request(arrived) => {
                    state.aside.insert(arrived.n);
                }
                Event::Reply { n, status, end, .. } if state.open.remove(&n) => {
                    let end = reply_end(end);
                    state.frame(Body::LlmReply(LlmReply { n, status, end }));
                }
                Event::Failure(failure)
                    if !failure.request.is_some_and(|n| state.aside.contains(&n)) =>
                {
                    state.push(Item::Failure(failure));
                }
                Event::Reply { .. } | Event::Failure(_) | Event::Waiting { .. } => {}
            }
            state.open.is_empty()
        });
        if settled {
            self.settled.notify_waiters();
        }
    }

    /// Takes what lies in the pipe.
    pub(super) fn pump(&self) -> Pumped {
        self.put(State::pump)
    }

    /// Returns when there is room again.
    pub(super) async fn room(&self) {
        self.room.notified().await;
    }

    /// Stops or goes on reading the agent's stdout.
    pub(super) fn pause(&self, paused: bool) {
        self.lock().paused = paused;
        self.room.notify_one();
    }

    /// Whether reading was stopped, and bytes of stdout read so far.
    pub(super) fn progress(&self) -> (bool, u64) {
        let state = self.lock();
        let bytes = state.session.as_ref().map_or(0, |session| session.bytes);
        (state.paused || state.is_full(), bytes)
    }

    /// Bytes of a line that has not ended.
    pub(super) fn unfinished(&self) -> u64 {
        let state = self.lock();
        let stdout = state
            .session
            .as_ref()
            .and_then(|session| session.stdout.as_ref());
        stdout.map_or(0, |stdout| stdout.framer.pending())
    }

    /// Waits until every exchange with the model has ended, but no longer than this.
    pub(super) async fn exchanges_end(&self, patience: Duration) {
        let closed = async {
            loop {
                let settled = self.settled.notified();
                tokio::pin!(settled);
                settled.as_mut().enable();
                if self.lock().open.is_empty() {
                    return;
                }
                settled.await;
            }
        };
        if tokio::time::timeout(patience, closed).await.is_err() {
            tracing::debug!("exchanges with the model are open behind the end of the agent");
        }
    }

    /// The session is over.
    pub(super) fn end(&self, end: End) {
        self.put(|state| {
            state.close_stdout();
            state.frame(Body::End(end));
            state.session = None;
            state.open.clear();
        });
    }

    fn put<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.lock());
        self.arrived.notify_one();
        result
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_full(&self) -> bool {
        self.held > limits::HELD_BYTES || self.queue.len() > limits::HELD_ITEMS
    }

    fn push(&mut self, item: Item) {
        self.held += weight(&item);
        self.queue.push_back(item);
    }

    fn frame(&mut self, body: Body) -> bool {
        let Some(session) = &self.session else {
            return false;
        };
        let at = u64::try_from(session.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.push(Item::Frame(Frame { at, body }));
        true
    }

    fn pump(&mut self) -> Pumped {
        let mut buffer = [0; 64 << 10];
        loop {
            if self.paused || self.is_full() {
                return Pumped::Blocked;
            }
            let Some(stdout) = self.session.as_ref().and_then(|s| s.stdout.as_ref()) else {
                return Pumped::Ended;
            };
            match rustix::io::read(&*stdout.pipe, &mut buffer) {
                Ok(0) => {
                    self.close_stdout();
                    return Pumped::Ended;
                }
                Ok(length) => self.bytes(&buffer[..length]),
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return Pumped::Empty,
                Err(error) => {
                    tracing::debug!(%error, "stdout cannot be read");
                    self.close_stdout();
                    return Pumped::Ended;
                }
            }
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
        let (bytes, count) = (session.bytes, session.lines);
        if bytes > limits::STDOUT_BYTES || count > limits::STDOUT_LINES {
            session.stdout = None;
        }
        for line in lines {
            self.frame(Body::FromAgent(line));
        }
        if bytes > limits::STDOUT_BYTES || count > limits::STDOUT_LINES {
            self.push(Item::Overflow {
                bytes,
                lines: count,
            });
        }
    }

    fn close_stdout(&mut self) {
        let Some(stdout) = self.session.as_mut().and_then(|s| s.stdout.take()) else {
            return;
        };
        let mut last = None;
        stdout.framer.finish(&mut |line| last = Some(line));
        if let Some(line) = last {
            self.frame(Body::FromAgent(line));
        }
        self.push(Item::StdoutEnd);
    }
}

fn weight(item: &Item) -> usize {
    match item {
        Item::Frame(Frame {
            body: Body::FromAgent(line) | Body::ToAgent(line) | Body::Stderr(line),
            ..
        }) => line.bytes.len(),
        _ => 0,
    }
}

fn reply_end(end: server::End) -> ReplyEnd {
    match end {
        server::End::Complete => ReplyEnd::Complete,
        server::End::ClientClosed => ReplyEnd::ClientClosed,
        server::End::Cut => ReplyEnd::Cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mock_provider::Headers;
    use std::io::Write;
    use std::os::fd::OwnedFd;

    /// A session whose stdout is this pipe.
    fn session() -> (Inbox, std::io::PipeWriter) {
        let (reader, writer) = std::io::pipe().unwrap();
        let inbox = Inbox::default();
        let reader = Receiver::from_owned_fd(OwnedFd::from(reader)).unwrap();
        inbox.begin(Arc::new(reader), Instant::now());
        (inbox, writer)
    }

    fn entry(event: Event) -> server::Entry {
        server::Entry {
            at: Instant::now(),
            event,
        }
    }

    fn request(n: u64, endpoint: Endpoint) -> server::Entry {
        entry(Event::Request(server::Arrived {
            n,
            method: "POST".into(),
            path: "/v1/messages".into(),
            query: String::new(),
            endpoint,
            headers: Headers::new(),
            body: "{}".into(),
        }))
    }

    fn reply(n: u64) -> server::Entry {
        entry(Event::Reply {
            n,
            status: 200,
            reply: Some(0),
            end: server::End::Complete,
        })
    }

    /// What happened, in a word each.
    fn words(inbox: &Inbox) -> Vec<String> {
        let word = |item| match item {
            Item::Frame(Frame {
                body: Body::FromAgent(line),
                ..
            }) => line.text().into_owned(),
            Item::Frame(frame) => frame.body.dir().to_owned(),
            Item::StdoutEnd => "stdout end".to_owned(),
            Item::Failure(_) => "failure".to_owned(),
            Item::Overflow { .. } => "overflow".to_owned(),
        };
        std::iter::from_fn(|| inbox.take()).map(word).collect()
    }

    #[tokio::test]
    async fn what_was_written_before_a_request_stands_before_it() {
        let (inbox, mut agent) = session();
        let messages = || Endpoint::Message(mock_provider::Wire::AnthropicMessages);
        agent.write_all(b"one\n").unwrap();
        inbox.model(request(0, messages()));
        inbox.model(reply(0));
        agent.write_all(b"two\nthr").unwrap();
        inbox.host(Body::Signal("SIGTERM".into()));
        agent.write_all(b"ee\n").unwrap();
        inbox.model(request(1, messages()));
        let expected = [
            "one",
            "llm_request",
            "llm_reply",
            "two",
            "signal",
            "three",
            "llm_request",
        ];
        assert_eq!(words(&inbox), expected);
    }

    #[tokio::test]
    async fn requests_for_something_else_are_no_history() {
        let (inbox, _agent) = session();
        inbox.model(request(0, Endpoint::Models));
        inbox.model(reply(0));
        assert_eq!(words(&inbox), Vec::<String>::new());
    }

    #[tokio::test]
    async fn nothing_is_read_while_reading_is_paused() {
        let (inbox, mut agent) = session();
        inbox.pause(true);
        agent.write_all(b"one\n").unwrap();
        assert_eq!(inbox.pump(), Pumped::Blocked);
        assert_eq!(words(&inbox), Vec::<String>::new());
        inbox.pause(false);
        assert_eq!(inbox.pump(), Pumped::Empty);
        assert_eq!(words(&inbox), ["one"]);
    }

    #[tokio::test]
    async fn the_end_stands_behind_everything_and_nothing_behind_it() {
        let (inbox, mut agent) = session();
        agent.write_all(b"last").unwrap();
        drop(agent);
        assert_eq!(inbox.pump(), Pumped::Ended);
        inbox.end(End::Exited {
            code: 0,
            orphans: 0,
        });
        assert!(!inbox.host(Body::StdinClosed));
        assert_eq!(words(&inbox), ["last", "stdout end", "end"]);
    }

    #[tokio::test]
    async fn more_than_can_be_held_waits_in_the_pipe() {
        let (inbox, mut agent) = session();
        let writer = std::thread::spawn(move || {
            for _ in 0..2 * limits::HELD_ITEMS {
                agent.write_all(b"line\n").unwrap();
            }
        });
        let mut seen = 0;
        while inbox.pump() != Pumped::Ended {
            let held = words(&inbox).len();
            // One read may bring many short lines at once.
            assert!(held <= limits::HELD_ITEMS + (64 << 10));
            seen += held;
        }
        seen += words(&inbox).len();
        writer.join().unwrap();
        assert_eq!(seen, 2 * limits::HELD_ITEMS + 1);
    }
}
