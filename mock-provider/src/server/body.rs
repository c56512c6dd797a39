//! Plays a plan: write by write, wait by wait.

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
use crate::response_plan::WireAction;
use crate::script::Cut;

/// The connection is to be cut. Never seen outside: the HTTP machinery drops the connection.
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

/// Plays what comes before the head of a response.
///
/// # Errors
/// The script cuts the connection.
pub(super) async fn play(
    acts: Vec<WireAction>,
    exchange: &mut Exchange,
) -> Result<(), ConnectionCut> {
    for act in acts {
        match act {
            WireAction::Cut(cut) => return Err(cut_off(cut, exchange)),
            wait => pass(wait, Arc::clone(&exchange.shared), exchange.n).await,
        }
    }
    Ok(())
}

/// Waits as an act says.
async fn pass(act: WireAction, shared: Arc<ServerState>, n: u64) {
    match act {
        WireAction::Gate(gate) => {
            if !shared.gates.is_open(&gate) {
                shared.record(JournalEvent::Waiting {
                    n,
                    gate: gate.clone(),
                });
                shared.gates.pass(&gate).await;
            }
        }
        WireAction::Sleep(time) => tokio::time::sleep(time).await,
        WireAction::Forever => std::future::pending().await,
        WireAction::Write(_) | WireAction::Pings { .. } | WireAction::Cut(_) => {}
    }
}

/// Journals a cut and prepares the socket for it.
fn cut_off(cut: Cut, exchange: &mut Exchange) -> ConnectionCut {
    if cut == Cut::Reset {
        exchange.socket.reset_on_close();
    }
    exchange.end(ExchangeEnd::Cut);
    ConnectionCut
}

/// The body of a response, which plays the rest.
pub(super) struct ResponseBody {
    acts: VecDeque<WireAction>,
    exchange: Exchange,
    waiting: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// A write was handed over and is to be put on the wire before anything else is done.
    handed_over: bool,
    length: Option<usize>,
}

impl ResponseBody {
    pub(super) fn new(acts: Vec<WireAction>, length: Option<usize>, exchange: Exchange) -> Self {
        ResponseBody {
            acts: acts.into(),
            exchange,
            waiting: None,
            handed_over: false,
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
        let player = &mut *self;
        loop {
            if std::mem::take(&mut player.handed_over) {
                // The machinery flushes when the body has nothing for it: so every write goes out by itself.
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            if let Some(waiting) = &mut player.waiting {
                ready!(waiting.as_mut().poll(cx));
                player.waiting = None;
            }
            match player.acts.pop_front() {
                None => return Poll::Ready(None),
                Some(WireAction::Write(bytes)) => {
                    player.handed_over = !player.acts.is_empty();
                    if player.acts.is_empty() {
                        player.exchange.end(ExchangeEnd::Complete);
                    }
                    return Poll::Ready(Some(Ok(Frame::data(bytes.into()))));
                }
                Some(WireAction::Cut(Cut::End)) => {
                    player.exchange.end(ExchangeEnd::Cut);
                    return Poll::Ready(None);
                }
                Some(WireAction::Cut(cut)) => {
                    return Poll::Ready(Some(Err(cut_off(cut, &mut player.exchange))));
                }
                Some(WireAction::Pings {
                    every,
                    length,
                    bytes,
                }) => pings(&mut player.acts, every, length, bytes),
                Some(wait) => {
                    player.waiting = Some(Box::pin(pass(
                        wait,
                        Arc::clone(&player.exchange.shared),
                        player.exchange.n,
                    )))
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.acts.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, |length| {
            SizeHint::with_exact(length as u64)
        })
    }
}

/// Puts the next ping, and the rest of the pings behind it, in front of what is to be done.
fn pings(
    acts: &mut VecDeque<WireAction>,
    every: std::time::Duration,
    length: Option<std::time::Duration>,
    bytes: Vec<u8>,
) {
    match length {
        Some(left) if left <= every => acts.push_front(WireAction::Sleep(left)),
        length => {
            let rest = length.map(|length| length - every);
            acts.push_front(WireAction::Pings {
                every,
                length: rest,
                bytes: bytes.clone(),
            });
            acts.push_front(WireAction::Write(bytes));
            acts.push_front(WireAction::Sleep(every));
        }
    }
}
