//! Plays a plan: write by write, wait by wait.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::Shared;
use super::exchange::Exchange;
use super::journal::{End, Event};
use crate::plan::Act;
use crate::script::Cut;

/// The connection is to be cut. Never seen outside: the HTTP machinery drops the connection.
#[derive(Debug)]
pub(super) struct CutOff;

impl fmt::Display for CutOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cut by the script")
    }
}

impl std::error::Error for CutOff {}

impl From<Infallible> for CutOff {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// Plays what comes before the head of a response.
///
/// # Errors
/// The script cuts the connection.
pub(super) async fn play(acts: Vec<Act>, exchange: &mut Exchange) -> Result<(), CutOff> {
    for act in acts {
        match act {
            Act::Cut(cut) => return Err(cut_off(cut, exchange)),
            wait => pass(wait, Arc::clone(&exchange.shared), exchange.n).await,
        }
    }
    Ok(())
}

/// Waits as an act says.
async fn pass(act: Act, shared: Arc<Shared>, n: u64) {
    match act {
        Act::Gate(gate) => {
            if !shared.gates.is_open(&gate) {
                shared.note(Event::Waiting {
                    n,
                    gate: gate.clone(),
                });
                shared.gates.pass(&gate).await;
            }
        }
        Act::Sleep(time) => tokio::time::sleep(time).await,
        Act::Forever => std::future::pending().await,
        Act::Write(_) | Act::Pings { .. } | Act::Cut(_) => {}
    }
}

/// Journals a cut and prepares the socket for it.
fn cut_off(cut: Cut, exchange: &mut Exchange) -> CutOff {
    if cut == Cut::Reset {
        exchange.socket.reset_on_close();
    }
    exchange.end(End::Cut);
    CutOff
}

/// The body of a response, which plays the rest.
pub(super) struct Player {
    acts: VecDeque<Act>,
    exchange: Exchange,
    waiting: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// A write was handed over and is to be put on the wire before anything else is done.
    handed_over: bool,
    length: Option<usize>,
}

impl Player {
    pub(super) fn new(acts: Vec<Act>, length: Option<usize>, exchange: Exchange) -> Self {
        Player {
            acts: acts.into(),
            exchange,
            waiting: None,
            handed_over: false,
            length,
        }
    }
}

impl Body for Player {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
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
                Some(Act::Write(bytes)) => {
                    player.handed_over = !player.acts.is_empty();
                    if player.acts.is_empty() {
                        player.exchange.end(End::Complete);
                    }
                    return Poll::Ready(Some(Ok(Frame::data(bytes.into()))));
                }
                Some(Act::Cut(Cut::End)) => {
                    player.exchange.end(End::Cut);
                    return Poll::Ready(None);
                }
                Some(Act::Cut(cut)) => {
                    return Poll::Ready(Some(Err(cut_off(cut, &mut player.exchange))));
                }
                Some(Act::Pings {
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
    acts: &mut VecDeque<Act>,
    every: std::time::Duration,
    length: Option<std::time::Duration>,
    bytes: Vec<u8>,
) {
    match length {
        Some(left) if left <= every => acts.push_front(Act::Sleep(left)),
        length => {
            let rest = length.map(|length| length - every);
            acts.push_front(Act::Pings {
                every,
                length: rest,
                bytes: bytes.clone(),
            });
            acts.push_front(Act::Write(bytes));
            acts.push_front(Act::Sleep(every));
        }
    }
}
