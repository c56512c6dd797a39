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
use mock_provider::server::{self, Endpoint, Event};
pub(crate) use state::{PipeStatus, SessionEvent};
use state::{ProcessOutput, QueueState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::unix::pipe::Receiver;
use tokio::sync::Notify;

/// Where everything that happens is put down, and read in order.
#[derive(Debug, Default)]
pub(crate) struct EventQueue {
    state: Mutex<QueueState>,
    arrived: Notify,
    room: Notify,
    settled: Notify,
}

impl EventQueue {
    /// A process was spawned, and this is its stdout.
    pub(crate) fn begin(&self, pipe: Arc<Receiver>, started: Instant) {
        self.lock().session = Some(ProcessOutput::new(pipe, started));
    }

    /// The next thing that happened.
    pub(crate) async fn next(&self) -> SessionEvent {
        loop {
            if let Some(item) = self.take() {
                return item;
            }
            self.arrived.notified().await;
        }
    }

    fn take(&self) -> Option<SessionEvent> {
        let mut state = self.lock();
        let item = state.take()?;
        if !state.is_full() {
            self.room.notify_one();
        }
        Some(item)
    }

    /// Puts down what the host does, behind all that the agent did before. False if the session is over.
    pub(crate) fn host(&self, body: Body) -> bool {
        self.put(|state| {
            state.pump();
            state.frame(body)
        })
    }

    /// Puts down a line of stderr; of a flood only the beginning.
    pub(crate) fn stderr(&self, line: Line) {
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
    pub(crate) fn model(&self, entry: server::Entry) {
        let settled = self.put(|state| {
            match entry.event {
                Event::Request(arrived) if matches!(arrived.endpoint, Endpoint::Message(_)) => {
                    let body = arrived.json();
                    let (n, path) = (arrived.n, arrived.path);
                    state.open.insert(n);
                    let request = Body::LlmRequest(LlmRequest { n, path, body });
                    state.behind_stdout(SessionEvent::Frame(Frame {
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
                        state.behind_stdout(SessionEvent::Answered { n, reply });
                    }
                    let end = reply_end(end);
                    let reply = Body::LlmReply(LlmReply { n, status, end });
                    state.behind_stdout(SessionEvent::Frame(Frame { at: 0, body: reply }));
                }
                Event::Failure(failure)
                    if !failure.request.is_some_and(|n| state.aside.contains(&n)) =>
                {
                    state.behind_stdout(SessionEvent::Failure(failure));
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
    pub(crate) fn pump(&self) -> PipeStatus {
        self.put(QueueState::pump)
    }

    /// Returns when there is room again.
    pub(crate) async fn room(&self) {
        self.room.notified().await;
    }

    /// Stops or goes on reading the agent's stdout.
    pub(crate) fn pause(&self, paused: bool) {
        self.lock().paused = paused;
        self.room.notify_one();
    }

    /// Whether reading was stopped, and bytes of stdout read so far.
    pub(crate) fn progress(&self) -> (bool, u64) {
        let state = self.lock();
        let bytes = state.session.as_ref().map_or(0, |session| session.bytes);
        (state.paused || state.is_full(), bytes)
    }

    /// How long in all the agent could not be heard because what it had written before was not yet looked at.
    pub(crate) fn deaf(&self) -> Duration {
        self.lock().deaf()
    }

    /// Bytes of a line that has not ended.
    pub(crate) fn unfinished(&self) -> u64 {
        self.lock()
            .session
            .as_ref()
            .map_or(0, ProcessOutput::unfinished)
    }

    /// Waits until every exchange with the model has ended, but no longer than this.
    pub(crate) async fn exchanges_end(&self, patience: Duration) {
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
    pub(crate) fn end(&self, end: End) {
        self.put(|state| {
            state.close_stdout();
            state.frame(Body::End(end));
            state.session = None;
            state.open.clear();
        });
    }

    fn put<T>(&self, change: impl FnOnce(&mut QueueState) -> T) -> T {
        let result = change(&mut self.lock());
        self.arrived.notify_one();
        result
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
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
