//! The response body: executes a response plan with its writes, waits, gates, pings and cuts.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::exchange::Exchange;
use super::journal::{ExchangeEnd, JournalEvent};
use super::state::ServerState;
use crate::response_plan::ResponseStep;
use crate::script::Cut;

/// The script cuts the connection. As an error of the service it makes hyper drop the connection.
#[derive(Debug)]
pub(super) struct ConnectionCut;

impl fmt::Display for ConnectionCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cut by the script")
    }
}

impl std::error::Error for ConnectionCut {}

impl From<Infallible> for ConnectionCut {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// Executes the steps before the head of a response.
///
/// # Errors
/// The script cuts the connection.
pub(super) async fn run_before_head(
    steps: Vec<ResponseStep>,
    exchange: &mut Exchange,
) -> Result<(), ConnectionCut> {
    for step in steps {
        match step {
            ResponseStep::Cut(cut) => return Err(cut_connection(cut, exchange)),
            step => wait(step, Arc::clone(&exchange.shared), exchange.n).await,
        }
    }
    Ok(())
}

/// Executes a wait.
async fn wait(step: ResponseStep, shared: Arc<ServerState>, n: u64) {
    match step {
        ResponseStep::Gate(gate) => {
            if !shared.gates.is_open(&gate) {
                shared.record(JournalEvent::Waiting {
                    n,
                    gate: gate.clone(),
                });
                shared.gates.wait(&gate).await;
            }
        }
        ResponseStep::Sleep(time) => tokio::time::sleep(time).await,
        ResponseStep::Forever => std::future::pending().await,
        ResponseStep::Write(_) | ResponseStep::Pings { .. } | ResponseStep::Cut(_) => {}
    }
}

/// Adds a cut to the journal and prepares the socket for it.
fn cut_connection(cut: Cut, exchange: &mut Exchange) -> ConnectionCut {
    if cut == Cut::Reset {
        exchange.socket.reset_on_close();
    }
    exchange.end(ExchangeEnd::Cut);
    ConnectionCut
}

/// The body of a response: executes the steps after the head.
pub(super) struct ResponseBody {
    steps: VecDeque<ResponseStep>,
    exchange: Exchange,
    waiting: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// Data that was passed to hyper must be written before the next step.
    needs_flush: bool,
    length: Option<usize>,
}

impl ResponseBody {
    pub(super) fn new(steps: Vec<ResponseStep>, length: Option<usize>, exchange: Exchange) -> Self {
        ResponseBody {
            steps: steps.into(),
            exchange,
            waiting: None,
            needs_flush: false,
            length,
        }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = ConnectionCut;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ConnectionCut>>> {
        let body = &mut *self;
        loop {
            if std::mem::take(&mut body.needs_flush) {
                // hyper writes what it has when the body is pending.
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            if let Some(waiting) = &mut body.waiting {
                ready!(waiting.as_mut().poll(cx));
                body.waiting = None;
            }
            match body.steps.pop_front() {
                None => return Poll::Ready(None),
                Some(ResponseStep::Write(bytes)) => {
                    // A chunk is a separate write anyway, a part of a document is not. The end is noted after everything else is written.
                    body.needs_flush = body.length.is_some() || body.steps.len() == 1;
                    if body.steps.is_empty() {
                        body.exchange.end(ExchangeEnd::Complete);
                    }
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
                Some(ResponseStep::Cut(Cut::End)) => {
                    body.exchange.end(ExchangeEnd::Cut);
                    return Poll::Ready(None);
                }
                Some(ResponseStep::Cut(cut)) => {
                    return Poll::Ready(Some(Err(cut_connection(cut, &mut body.exchange))));
                }
                Some(ResponseStep::Pings {
                    every,
                    length,
                    bytes,
                }) => insert_ping(&mut body.steps, every, length, bytes),
                Some(step) => {
                    body.waiting = Some(Box::pin(wait(
                        step,
                        Arc::clone(&body.exchange.shared),
                        body.exchange.n,
                    )))
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.steps.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, |length| {
            SizeHint::with_exact(length as u64)
        })
    }
}

/// Inserts the next ping, and the rest of the pings after it, before the remaining steps.
fn insert_ping(
    steps: &mut VecDeque<ResponseStep>,
    every: std::time::Duration,
    length: Option<std::time::Duration>,
    bytes: Bytes,
) {
    match length {
        Some(left) if left <= every => steps.push_front(ResponseStep::Sleep(left)),
        length => {
            let rest = length.map(|length| length - every);
            steps.push_front(ResponseStep::Pings {
                every,
                length: rest,
                bytes: bytes.clone(),
            });
            steps.push_front(ResponseStep::Write(bytes));
            steps.push_front(ResponseStep::Sleep(every));
        }
    }
}
