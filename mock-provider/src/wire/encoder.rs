//! Stream encoders, and the writer of server-sent events (SSE).

use crate::answer::{Chunk, Piece};
use crate::request::Request;
use crate::script::StreamError;

/// The inputs of an answer besides the message.
pub(crate) struct WireContext<'a> {
    pub(crate) request: &'a Request,
    pub(crate) seed: u64,
}

/// The stream encoder of a wire: turns a message into server-sent events.
pub(crate) trait Encoder {
    /// The events of a chunk, each as its bytes.
    fn chunk(&mut self, chunk: &Chunk) -> Vec<Vec<u8>>;
    /// The event of an error, which ends the stream.
    fn error(&mut self, error: &StreamError) -> Vec<u8>;
    /// An event without content, which keeps the connection alive.
    fn ping(&self) -> Vec<u8>;

    /// The writes of a piece; none for waits and cuts.
    fn encode(&mut self, piece: &Piece) -> Vec<Vec<u8>> {
        match piece {
            Piece::Chunk(chunk) => self.chunk(chunk),
            Piece::Error(error) => vec![self.error(error)],
            Piece::Ping => vec![self.ping()],
            Piece::Raw(bytes) => vec![bytes.clone().into_bytes()],
            _ => Vec::new(),
        }
    }
}

/// A text as JSON. The deltas of a stream are written with it, because a tree of JSON for each is most of what a stream costs.
pub(crate) fn quoted(text: &str) -> String {
    // Serializing a string does not fail.
    serde_json::to_string(text).unwrap_or_default()
}

/// A writer of server-sent events.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sse {
    /// The end of a line.
    eol: &'static str,
}

impl Sse {
    pub(crate) fn new(crlf: bool) -> Self {
        Sse {
            eol: if crlf { "\r\n" } else { "\n" },
        }
    }

    /// An event with its name on an `event:` line. The data is one line of JSON.
    pub(crate) fn named(self, name: &str, data: &str) -> Vec<u8> {
        format!("event: {name}{0}data: {data}{0}{0}", self.eol).into_bytes()
    }

    /// An event with only data.
    pub(crate) fn data(self, data: &str) -> Vec<u8> {
        format!("data: {data}{0}{0}", self.eol).into_bytes()
    }

    /// A comment, which clients ignore.
    pub(crate) fn comment(self, text: &str) -> Vec<u8> {
        format!(": {text}{0}{0}", self.eol).into_bytes()
    }
}
