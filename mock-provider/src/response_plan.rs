//! Response plans: the writes, waits and cuts of an HTTP response. Pure: the server only executes them.

use std::time::Duration;

use bytes::Bytes;

use crate::answer::{AnswerMessage, HttpError, Piece};
use crate::pace::Pace;
use crate::request::{AnswerForm, Request};
use crate::script::{Cut, Delivery};
use crate::wire::{self, Encoder, EventBuffer, WireContext};

/// One step of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResponseStep {
    /// Write these bytes at once.
    Write(Bytes),
    /// Wait for a gate.
    Gate(String),
    /// Wait for a time.
    Sleep(Duration),
    /// Wait until the client disconnects.
    Forever,
    /// Send these bytes periodically, for a time or until the client disconnects.
    Pings {
        /// The time between two of them.
        every: Duration,
        /// For how long; none: until the client disconnects.
        length: Option<Duration>,
        /// The bytes of one.
        bytes: Bytes,
    },
    /// Cut the connection.
    Cut(Cut),
}

/// The plan of a response after its head.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ResponsePlan {
    /// The steps.
    pub(crate) body: Vec<ResponseStep>,
    /// The `content-length` of the body; none for a stream.
    pub(crate) length: Option<usize>,
    /// Whether the body is JSON, and not a stream of events.
    pub(crate) is_json: bool,
}

impl ResponsePlan {
    /// The plan of one document.
    pub(crate) fn document(bytes: Vec<u8>) -> Self {
        ResponsePlan {
            length: Some(bytes.len()),
            is_json: true,
            body: vec![ResponseStep::Write(bytes.into())],
        }
    }
}

/// The steps of a streamed message, for a caller without HTTP: the same bytes and waits that a server sends after the head.
#[must_use]
pub fn stream_steps(
    request: &Request,
    message: &AnswerMessage,
    seed: u64,
    pace: Pace,
) -> Vec<ResponseStep> {
    stream(&WireContext { request, seed }, message, pace).body
}

/// The plan of a streamed message.
pub(crate) fn stream(context: &WireContext, message: &AnswerMessage, pace: Pace) -> ResponsePlan {
    let mut encoder = wire::encoder(context, message);
    let mut writer = Writer::new(&message.delivery);
    let mut pauses = pace.pauses(context.seed, &message.path);
    for piece in message.pieces.iter() {
        if let Piece::Chunk(chunk) = piece
            && let Some(pause) = pauses.before(chunk)
        {
            writer.wait(ResponseStep::Sleep(pause));
        }
        match wait(piece, Some(encoder.as_ref()), &message.delivery) {
            Some(step) => writer.wait(step),
            None => writer.write(|events| encoder.encode(piece, events)),
        }
    }
    ResponsePlan {
        body: writer.finish(),
        length: None,
        is_json: context.request.form == AnswerForm::Array,
    }
}

/// A message as one document: all its waits, which come before the head of the response, and the plan of the document, or of half of it
/// if the script cuts it; or the HTTP error, if the message ends with an error.
pub(crate) fn whole(
    context: &WireContext,
    message: &AnswerMessage,
    pace: Pace,
) -> (Vec<ResponseStep>, Result<ResponsePlan, HttpError>) {
    let delivery = &message.delivery;
    let pieces = message.pieces.iter();
    let (cuts, mut before): (Vec<_>, Vec<_>) = pieces
        .filter_map(|piece| wait(piece, None, delivery))
        .partition(|step| matches!(step, ResponseStep::Cut(_)));
    let mut pauses = pace.pauses(context.seed, &message.path);
    let paused = message.chunks().filter_map(|chunk| pauses.before(chunk));
    let paused: Duration = paused.sum();
    if !paused.is_zero() {
        before.push(ResponseStep::Sleep(paused));
    }
    let mut bytes = match wire::whole(context, message) {
        Ok(document) => document,
        Err(error) => return (before, Err(error)),
    };
    let mut length = bytes.len();
    if let Some(ResponseStep::Cut(cut)) = cuts.first() {
        bytes.truncate(length / 2);
        if *cut == Cut::End {
            length = bytes.len();
        }
    }
    let mut writer = Writer::new(delivery);
    writer.write(|events| events.whole(&bytes));
    cuts.into_iter().for_each(|cut| writer.wait(cut));
    let plan = ResponsePlan {
        body: writer.finish(),
        length: Some(length),
        is_json: true,
    };
    (before, Ok(plan))
}

/// The step of a piece that is a wait or a cut. A stall is silent without the encoder of its pings.
fn wait(piece: &Piece, encoder: Option<&dyn Encoder>, delivery: &Delivery) -> Option<ResponseStep> {
    Some(match piece {
        Piece::Gate(name) => ResponseStep::Gate(name.clone()),
        Piece::Delay(time) => ResponseStep::Sleep(*time),
        Piece::Stall { length, pings } => match (*pings, encoder) {
            (Some(every), Some(encoder)) => ResponseStep::Pings {
                every,
                length: *length,
                bytes: ping(encoder, delivery),
            },
            _ => length.map_or(ResponseStep::Forever, ResponseStep::Sleep),
        },
        Piece::Cut(cut) => ResponseStep::Cut(*cut),
        _ => return None,
    })
}

fn ping(encoder: &dyn Encoder, delivery: &Delivery) -> Bytes {
    let mut events = EventBuffer::new(delivery.crlf);
    encoder.ping(&mut events);
    events.take(events.len())
}

/// Divides the bytes of a stream into writes.
struct Writer<'a> {
    delivery: &'a Delivery,
    steps: Vec<ResponseStep>,
    /// The events that are not yet in a step.
    events: EventBuffer,
    /// The number of bytes in the steps.
    offset: usize,
}

impl<'a> Writer<'a> {
    fn new(delivery: &'a Delivery) -> Self {
        Writer {
            delivery,
            steps: Vec::new(),
            events: EventBuffer::new(delivery.crlf),
            offset: 0,
        }
    }

    /// Adds the events that a function writes.
    fn write(&mut self, write: impl FnOnce(&mut EventBuffer)) {
        write(&mut self.events);
        if self.delivery.is_by_events() {
            while let Some(event) = self.events.take_event() {
                self.push(event);
            }
        }
    }

    fn wait(&mut self, step: ResponseStep) {
        self.flush();
        self.steps.push(step);
    }

    fn flush(&mut self) {
        while self.events.len() > 0 {
            let longest = self.delivery.next_write(self.offset);
            let bytes = self.events.take(longest.clamp(1, self.events.len()));
            self.push(bytes);
        }
    }

    fn push(&mut self, bytes: Bytes) {
        self.offset += bytes.len();
        self.steps.push(ResponseStep::Write(bytes));
        let pause = self.delivery.pause;
        self.steps
            .extend(pause.map(|span| ResponseStep::Sleep(span.0)));
    }

    fn finish(mut self) -> Vec<ResponseStep> {
        self.flush();
        if self.delivery.pause.is_some()
            && matches!(self.steps.last(), Some(ResponseStep::Sleep(_)))
        {
            self.steps.pop();
        }
        self.steps
    }
}

#[cfg(test)]
mod tests;
