//! Stream encoders, and the buffer of server-sent events (SSE) that they write to.

use std::collections::VecDeque;

use bytes::{BufMut, Bytes, BytesMut};
use serde::Serialize;

use crate::answer::{Chunk, Piece};
use crate::request::Request;
use crate::script::StreamError;

/// The inputs of an answer other than the message.
pub(crate) struct WireContext<'a> {
    pub(crate) request: &'a Request,
    pub(crate) seed: u64,
}

/// The stream encoder of a wire: turns a message into server-sent events.
pub(crate) trait Encoder {
    /// Writes the events of a chunk.
    fn chunk(&mut self, chunk: &Chunk, out: &mut EventBuffer);
    /// Writes the event of an error, which ends the stream.
    fn error(&mut self, error: &StreamError, out: &mut EventBuffer);
    /// Writes an event without content, which keeps the connection alive.
    fn ping(&self, out: &mut EventBuffer);

    /// Writes the events of a piece; none for waits and cuts.
    fn encode(&mut self, piece: &Piece, out: &mut EventBuffer) {
        match piece {
            Piece::Chunk(chunk) => self.chunk(chunk, out),
            Piece::Error(error) => self.error(error, out),
            Piece::Ping => self.ping(out),
            Piece::Raw(bytes) => out.whole(bytes.as_bytes()),
            _ => {}
        }
    }
}

/// Server-sent events in one buffer. The data of an event is written in parts, because a JSON tree and a buffer for each event would be
/// most of the cost of a stream.
#[derive(Debug)]
pub(crate) struct EventBuffer {
    /// The end of a line.
    eol: &'static str,
    bytes: BytesMut,
    /// The end of each event that is not taken, as an offset into the whole stream.
    ends: VecDeque<usize>,
    /// The number of bytes already taken.
    taken: usize,
}

/// What the events of a usual message take, in bytes.
const CAPACITY: usize = 16 << 10;

impl EventBuffer {
    pub(crate) fn new(crlf: bool) -> Self {
        EventBuffer {
            eol: if crlf { "\r\n" } else { "\n" },
            bytes: BytesMut::with_capacity(CAPACITY),
            ends: VecDeque::new(),
            taken: 0,
        }
    }

    /// Begins an event with its name on an `event:` line. Its data must be one line of JSON.
    pub(crate) fn named(&mut self, name: &str) -> &mut Self {
        let eol = self.eol;
        self.raw("event: ").raw(name).raw(eol).data()
    }

    /// Begins an event with only data.
    pub(crate) fn data(&mut self) -> &mut Self {
        self.raw("data: ")
    }

    /// Adds text to the data.
    pub(crate) fn raw(&mut self, text: &str) -> &mut Self {
        self.bytes.extend_from_slice(text.as_bytes());
        self
    }

    /// Adds a value as JSON to the data.
    pub(crate) fn json(&mut self, value: &(impl Serialize + ?Sized)) -> &mut Self {
        // Texts, numbers and JSON values can be serialized, and writing to memory does not fail.
        let _ = serde_json::to_writer((&mut self.bytes).writer(), value);
        self
    }

    /// Ends an event.
    pub(crate) fn end(&mut self) {
        let eol = self.eol;
        self.raw(eol).raw(eol).close();
    }

    /// Writes a comment, which clients ignore.
    pub(crate) fn comment(&mut self, text: &str) {
        self.raw(": ").raw(text).end();
    }

    /// Writes bytes as an event; nothing if there are none.
    pub(crate) fn whole(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.bytes.extend_from_slice(bytes);
            self.close();
        }
    }

    fn close(&mut self) {
        self.ends.push_back(self.taken + self.bytes.len());
    }

    /// The number of bytes not yet taken.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Takes the first event.
    pub(crate) fn take_event(&mut self) -> Option<Bytes> {
        let end = self.ends.pop_front()?;
        Some(self.take(end.saturating_sub(self.taken)))
    }

    /// Takes the first bytes, regardless of events.
    pub(crate) fn take(&mut self, length: usize) -> Bytes {
        self.taken += length;
        self.bytes.split_to(length).freeze()
    }
}
