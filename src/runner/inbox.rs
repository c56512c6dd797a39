//! Everything that happens in a session, in the order of cause and effect.
//!
//! Two sources meet here: the pipe from the agent and the scripted model. The model tells of a request before it answers it. At
//! that moment all that the agent wrote before its request lies in the pipe, and nothing that follows from the answer can; so the
//! pipe is emptied before the request is written down. The same is done before a command goes out.

mod state;
#[cfg(test)]
mod tests;

use super::limits;
use crate::frame::{Body, End, Frame, Line, LlmReply, LlmRequest, ReplyEnd};
use mock_provider::Failure;
use mock_provider::server::{self, Endpoint, Event};
use state::{Session, State};
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

impl Inbox {
    /// A process was spawned, and this is its stdout.
    pub(super) fn begin(&self, pipe: Arc<Receiver>, started: Instant) {
        self.lock().session = Some(Session::new(pipe, started));
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
        let item = state.take()?;
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
                    let body = arrived.json();
                    let (n, path) = (arrived.n, arrived.path);
                    state.open.insert(n);
                    let request = Body::LlmRequest(LlmRequest { n, path, body });
                    state.behind_stdout(Item::Frame(Frame {
                        at: 0,
                        body: request,
                    }));
                }
                Event::Request(arrived) => {
                    state.aside.insert(arrived.n);
                }
                Event::Reply {
                    n,
                    status,
                    reply,
                    end,
                } if state.open.remove(&n) => {
                    if let Some(reply) = reply {
                        state.behind_stdout(Item::Answered { n, reply });
                    }
                    let end = reply_end(end);
                    let reply = Body::LlmReply(LlmReply { n, status, end });
                    state.behind_stdout(Item::Frame(Frame { at: 0, body: reply }));
                }
                Event::Failure(failure)
                    if !failure.request.is_some_and(|n| state.aside.contains(&n)) =>
                {
                    state.behind_stdout(Item::Failure(failure));
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

    /// How long in all the agent could not be heard because what it had written before was not yet looked at.
    pub(super) fn deaf(&self) -> Duration {
        self.lock().deaf()
    }

    /// Bytes of a line that has not ended.
    pub(super) fn unfinished(&self) -> u64 {
        self.lock().session.as_ref().map_or(0, Session::unfinished)
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

fn reply_end(end: server::End) -> ReplyEnd {
    match end {
        server::End::Complete => ReplyEnd::Complete,
        server::End::ClientClosed => ReplyEnd::ClientClosed,
        server::End::Cut => ReplyEnd::Cut,
    }
}
