//! The event queue of a session: merges the agent's output, the host's commands and the scripted model in the order of cause and effect.
//!
//! The scripted model reports a request before it answers it. At that moment everything that the agent wrote before the request is in
//! the stdout pipe, and nothing that follows from the answer can be there yet. So the pipe is read before the request is queued. The same
//! is done before a command of the host is queued.

mod state;
#[cfg(test)]
mod tests;

use super::limits;
use conform_judge::frame::{Body, End, Frame, Line, LlmReply, LlmRequest, ReplyEnd};
use mock_provider::server::{self, ApiEndpoint, JournalEvent};
pub(crate) use state::{PipeStatus, SessionEvent};
use state::{ProcessOutput, QueueState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::unix::pipe::Receiver;
use tokio::sync::Notify;

/// The events of a session that have not been taken yet, in order.
#[derive(Debug, Default)]
pub(crate) struct EventQueue {
    state: Mutex<QueueState>,
    arrived: Notify,
    space: Notify,
    exchanges_closed: Notify,
}

impl EventQueue {
    /// Begins a session: a process was spawned, and this is its stdout.
    pub(crate) fn begin_session(&self, pipe: Arc<Receiver>, started: Instant) {
        self.lock().session = Some(ProcessOutput::new(pipe, started));
    }

    /// Waits for the next event and takes it.
    pub(crate) async fn next(&self) -> SessionEvent {
        loop {
            if let Some(event) = self.take() {
                return event;
            }
            self.arrived.notified().await;
        }
    }

    /// Takes the next event if there is one.
    pub(crate) fn take(&self) -> Option<SessionEvent> {
        let mut state = self.lock();
        let event = state.take()?;
        if !state.is_full() {
            self.space.notify_one();
        }
        Some(event)
    }

    /// Queues an action of the host, after everything that the agent wrote before. False if the session is over.
    pub(crate) fn add_host_event(&self, body: Body) -> bool {
        self.update(|state| {
            state.read_stdout();
            state.push_frame(body)
        })
    }

    /// Queues a captured line of stderr; beyond [`limits::STDERR_BYTES`] lines are dropped.
    pub(crate) fn add_stderr(&self, line: Line) {
        self.update(|state| {
            if let Some(session) = &mut state.session {
                session.stderr += line.bytes.len() as u64 + 1;
                if session.stderr <= limits::STDERR_BYTES {
                    state.push_frame(Body::Stderr(line));
                }
            }
        });
    }

    /// Queues an event of the scripted model.
    pub(crate) fn add_model_event(&self, entry: server::JournalEntry) {
        let is_idle = self.update(|state| {
            match entry.event {
                JournalEvent::Request(arrived) if arrived.lane.is_some() => {
                    let body = arrived.json();
                    let (n, path) = (arrived.n, arrived.path);
                    let request = Body::LaneRequest {
                        lane: arrived.lane.unwrap_or_default(),
                        request: LlmRequest { n, path, body },
                    };
                    state.push_after_stdout(SessionEvent::Frame(Frame {
                        at: 0,
                        body: request,
                    }));
                }
                JournalEvent::Request(arrived) if arrived.is_side_request => {
                    state.push_after_stdout(SessionEvent::SideRequest(arrived.n));
                }
                JournalEvent::Request(arrived)
                    if matches!(arrived.endpoint, ApiEndpoint::Message(_)) =>
                {
                    let body = arrived.json();
                    let (n, path) = (arrived.n, arrived.path);
                    state.open_exchanges.insert(n);
                    let request = Body::LlmRequest(LlmRequest { n, path, body });
                    state.push_after_stdout(SessionEvent::Frame(Frame {
                        at: 0,
                        body: request,
                    }));
                }
                JournalEvent::Request(arrived) => {
                    state.other_requests.insert(arrived.n);
                }
                JournalEvent::Reply {
                    n,
                    status,
                    reply,
                    message,
                    end,
                } if state.open_exchanges.remove(&n) => {
                    if let Some(reply) = reply {
                        state.push_after_stdout(SessionEvent::Answered { n, reply });
                    }
                    let end = reply_end(end);
                    let reply = Body::LlmReply(LlmReply {
                        n,
                        status,
                        end,
                        body: None,
                        message: message.and_then(|message| message.said()),
                    });
                    state.push_after_stdout(SessionEvent::Frame(Frame { at: 0, body: reply }));
                }
                JournalEvent::Failure(failure)
                    if !failure
                        .request
                        .is_some_and(|n| state.other_requests.contains(&n)) =>
                {
                    state.push_after_stdout(SessionEvent::Failure(failure));
                }
                JournalEvent::Reply { .. }
                | JournalEvent::Failure(_)
                | JournalEvent::Waiting { .. } => {}
            }
            state.open_exchanges.is_empty()
        });
        if is_idle {
            self.exchanges_closed.notify_waiters();
        }
    }

    /// Queues an event of the client or of an MCP server, after everything that the agent wrote before.
    pub(crate) fn add_outer_event(&self, event: SessionEvent) {
        self.update(|state| state.push_after_stdout(event));
    }

    /// Reads the contents of the stdout pipe into the queue.
    pub(crate) fn read_stdout(&self) -> PipeStatus {
        self.update(QueueState::read_stdout)
    }

    /// Waits until the queue has space again.
    pub(crate) async fn wait_for_space(&self) {
        self.space.notified().await;
    }

    /// Pauses or resumes reading the agent's stdout, so that the agent meets backpressure.
    pub(crate) fn pause(&self, paused: bool) {
        self.lock().paused = paused;
        self.space.notify_one();
    }

    /// Whether reading is paused or the queue is full, and the bytes of stdout read so far.
    pub(crate) fn progress(&self) -> (bool, u64) {
        let state = self.lock();
        let bytes = state.session.as_ref().map_or(0, |session| session.bytes);
        (state.paused || state.is_full(), bytes)
    }

    /// Whether nothing is pending: no event is queued, no line is unfinished, stdout is read, and no request to the model is open.
    pub(crate) fn is_quiet(&self) -> bool {
        let state = self.lock();
        let has_no_piece = |session: &ProcessOutput| session.unfinished() == 0;
        state.is_empty()
            && !state.paused
            && state.open_exchanges.is_empty()
            && state.session.as_ref().is_some_and(has_no_piece)
    }

    /// The total time in which stdout was not read because the queue was full. It does not count as silence of the agent.
    pub(crate) fn time_full(&self) -> Duration {
        self.lock().time_full()
    }

    /// The bytes of the last line that has no end yet.
    pub(crate) fn unfinished(&self) -> u64 {
        self.lock()
            .session
            .as_ref()
            .map_or(0, ProcessOutput::unfinished)
    }

    /// Waits until every exchange with the model has ended, or the timeout is over.
    pub(crate) async fn wait_for_exchanges(&self, timeout: Duration) {
        let closed = async {
            loop {
                let closed = self.exchanges_closed.notified();
                tokio::pin!(closed);
                closed.as_mut().enable();
                if self.lock().open_exchanges.is_empty() {
                    return;
                }
                closed.await;
            }
        };
        if tokio::time::timeout(timeout, closed).await.is_err() {
            tracing::debug!("exchanges with the model are still open after the end of the agent");
        }
    }

    /// Ends the session.
    pub(crate) fn end_session(&self, end: End) {
        self.update(|state| {
            state.close_stdout();
            state.push_frame(Body::End(end));
            state.session = None;
            state.open_exchanges.clear();
        });
    }

    fn update<T>(&self, change: impl FnOnce(&mut QueueState) -> T) -> T {
        let result = change(&mut self.lock());
        self.arrived.notify_one();
        result
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn reply_end(end: server::ExchangeEnd) -> ReplyEnd {
    match end {
        server::ExchangeEnd::Complete => ReplyEnd::Complete,
        server::ExchangeEnd::ClientClosed => ReplyEnd::ClientClosed,
        server::ExchangeEnd::Cut => ReplyEnd::Cut,
    }
}
