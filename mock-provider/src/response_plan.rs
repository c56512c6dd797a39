//! From pieces to what is done on the wire, write by write and wait by wait. Pure: the server only plays it.

use std::time::Duration;

use crate::answer::{AnswerMessage, HttpError, Piece};
use crate::script::{Cut, Delivery, Pace};
use crate::wire::{self, Encoder, WireContext};

/// One thing done on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WireAction {
    /// These bytes, in one write.
    Write(Vec<u8>),
    /// Waits for the gate of this name.
    Gate(String),
    /// Waits this long.
    Sleep(Duration),
    /// Waits without an end, until the client goes away.
    Forever,
    /// Sends these bytes this often, for so long or without an end.
    Pings {
        every: Duration,
        length: Option<Duration>,
        bytes: Vec<u8>,
    },
    /// Cuts the connection.
    Cut(Cut),
}

/// What is done for a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ResponsePlan {
    /// Before the head of the response. Waits and cuts only.
    pub(crate) before: Vec<WireAction>,
    /// After it.
    pub(crate) body: Vec<WireAction>,
    /// The announced length of the body; none for a stream.
    pub(crate) length: Option<usize>,
}

/// A streamed message.
pub(crate) fn stream(context: &WireContext, message: &AnswerMessage) -> ResponsePlan {
    let mut encoder = wire::encoder(context, message);
    let mut writer = Writer::new(&message.delivery);
    for piece in &message.pieces {
        match wait(piece, encoder.as_ref()) {
            Some(act) => writer.wait(act),
            None => encoder
                .encode(piece)
                .into_iter()
                .for_each(|event| writer.event(event)),
        }
    }
    ResponsePlan {
        before: Vec::new(),
        body: writer.finish(),
        length: None,
    }
}

/// A message as one document: all waits first, then the whole, or the half of it if the script cuts it.
///
/// # Errors
/// The HTTP error that an error in the message comes to.
pub(crate) fn whole(
    context: &WireContext,
    message: &AnswerMessage,
) -> Result<ResponsePlan, (Vec<WireAction>, HttpError)> {
    let encoder = wire::encoder(context, message);
    let waits = message
        .pieces
        .iter()
        .filter(|piece| !matches!(piece, Piece::Raw(_)))
        .filter_map(|piece| wait(piece, encoder.as_ref()));
    let (cuts, mut before): (Vec<_>, Vec<_>) =
        waits.partition(|act| matches!(act, WireAction::Cut(_)));
    for act in &mut before {
        if let WireAction::Pings { length, .. } = act {
            *act = length.map_or(WireAction::Forever, WireAction::Sleep);
        }
    }
    let mut bytes = match wire::whole(context, message) {
        Ok(document) => document.to_string().into_bytes(),
        Err(error) => return Err((before, error)),
    };
    let mut length = bytes.len();
    if let Some(WireAction::Cut(cut)) = cuts.first() {
        bytes.truncate(length / 2);
        length = if *cut == Cut::End {
            bytes.len()
        } else {
            length
        };
    }
    let mut writer = Writer::new(&message.delivery);
    writer.event(bytes);
    cuts.into_iter().for_each(|cut| writer.wait(cut));
    Ok(ResponsePlan {
        before,
        body: writer.finish(),
        length: Some(length),
    })
}

/// What a piece that is no content does on the wire.
fn wait(piece: &Piece, encoder: &dyn Encoder) -> Option<WireAction> {
    Some(match piece {
        Piece::Gate(name) => WireAction::Gate(name.clone()),
        Piece::Delay(time) => WireAction::Sleep(*time),
        Piece::Stall {
            length,
            pings: Some(every),
        } => WireAction::Pings {
            every: *every,
            length: *length,
            bytes: encoder.ping(),
        },
        Piece::Stall {
            length: Some(length),
            pings: None,
        } => WireAction::Sleep(*length),
        Piece::Stall {
            length: None,
            pings: None,
        } => WireAction::Forever,
        Piece::Cut(cut) => WireAction::Cut(*cut),
        Piece::Raw(bytes) => WireAction::Write(bytes.clone().into_bytes()),
        _ => return None,
    })
}

/// Divides a stream's bytes into writes.
struct Writer<'a> {
    delivery: &'a Delivery,
    acts: Vec<WireAction>,
    /// Bytes not yet divided.
    held: Vec<u8>,
    /// Bytes divided so far.
    offset: usize,
}

impl<'a> Writer<'a> {
    fn new(delivery: &'a Delivery) -> Self {
        Writer {
            delivery,
            acts: Vec::new(),
            held: Vec::new(),
            offset: 0,
        }
    }

    fn event(&mut self, bytes: Vec<u8>) {
        self.held.extend(bytes);
        if self.delivery.pace == Pace::Events {
            self.flush();
        }
    }

    fn wait(&mut self, act: WireAction) {
        if let WireAction::Write(bytes) = act {
            return self.event(bytes);
        }
        self.flush();
        self.acts.push(act);
    }

    fn flush(&mut self) {
        while !self.held.is_empty() {
            let length = match &self.delivery.pace {
                Pace::Events | Pace::Whole => self.held.len(),
                Pace::Every(bytes) => *bytes,
                Pace::At(offsets) => offsets
                    .iter()
                    .find(|at| **at > self.offset)
                    .map_or(usize::MAX, |at| at - self.offset),
            };
            let rest = self.held.split_off(length.clamp(1, self.held.len()));
            let bytes = std::mem::replace(&mut self.held, rest);
            self.offset += bytes.len();
            self.acts.push(WireAction::Write(bytes));
            self.acts
                .extend(self.delivery.pause.map(|pause| WireAction::Sleep(pause.0)));
        }
    }

    fn finish(mut self) -> Vec<WireAction> {
        self.flush();
        if self.delivery.pause.is_some() && matches!(self.acts.last(), Some(WireAction::Sleep(_))) {
            self.acts.pop();
        }
        self.acts
    }
}

#[cfg(test)]
mod tests;
