//! What the model gives back, before any wire has shaped it.

use std::time::Duration;

use crate::headers::Headers;
use crate::script::{Cut, Delivery, Stop};

/// What a request gets.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A message, in pieces.
    Message(AnswerMessage),
    /// An HTTP error.
    Error(HttpError),
    /// The connection is cut before the first byte.
    Cut(Cut),
}

/// A message of the model, in the order in which it is said.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerMessage {
    /// Its place in the script, such as `3` or, for the second time of a repeated reply, `3.1`: the source of all its ids.
    pub path: String,
    /// What is said, waited for and broken, in order.
    pub pieces: Vec<Piece>,
    /// The tokens used by the whole message, also where it breaks off before it says so.
    pub tokens: Tokens,
    /// How its bytes are put on the wire.
    pub delivery: Delivery,
}

/// One step of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A block of content begins. Blocks are numbered from 0.
    BlockStart {
        /// The block's number.
        index: usize,
        /// What it is.
        block: BlockKind,
    },
    /// More text of a text block.
    TextDelta {
        /// The block's number.
        index: usize,
        /// The chunk.
        text: String,
    },
    /// More thought of a thinking block.
    ThinkingDelta {
        /// The block's number.
        index: usize,
        /// The chunk.
        text: String,
    },
    /// The signature of a thinking block, at its end.
    Signature {
        /// The block's number.
        index: usize,
        /// The signature, to be sent back unchanged.
        signature: String,
    },
    /// More of a tool call's arguments, which are JSON once joined (or the raw text that the script wants).
    ArgsDelta {
        /// The block's number.
        index: usize,
        /// The fragment.
        fragment: String,
    },
    /// A block is over.
    BlockEnd {
        /// The block's number.
        index: usize,
    },
    /// The tokens used by the whole message. Comes right before [`Piece::Stop`].
    Usage(Tokens),
    /// The message is whole.
    Stop(Stop),
    /// A sign of life without content.
    Ping,
    /// Wait for the gate of this name.
    Gate(String),
    /// Wait this long.
    Delay(Duration),
    /// Fall silent, but for pings.
    Stall {
        /// For how long; none: without an end, until the client goes away.
        length: Option<Duration>,
        /// The time between two pings; none for silence.
        pings: Option<Duration>,
    },
    /// The stream breaks off with an error.
    Error {
        /// Its type, such as `overloaded_error`.
        kind: String,
        /// Its message.
        message: String,
    },
    /// The connection is cut.
    Cut(Cut),
    /// Bytes to be put on the wire as they are. Nothing to an in-process caller.
    Raw(String),
}

/// What a block of content is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockKind {
    /// Text.
    Text,
    /// Thinking.
    Thinking,
    /// Redacted thinking, whole.
    RedactedThinking {
        /// The opaque data, to be sent back unchanged.
        data: String,
    },
    /// A tool call.
    ToolCall {
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
    },
}

/// Tokens used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tokens {
    /// Input tokens that came from no cache.
    pub input: u64,
    /// Output tokens, reasoning included.
    pub output: u64,
    /// Input tokens read from the cache.
    pub cache_read: u64,
    /// Input tokens written to the cache.
    pub cache_write: u64,
    /// Output tokens spent on reasoning.
    pub reasoning: u64,
}

/// An HTTP error, in the terms of the wire on which the request came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpError {
    /// The HTTP status.
    pub status: u16,
    /// The error's type, such as `rate_limit_error`.
    pub kind: String,
    /// The error's message.
    pub message: String,
    /// What only some errors have.
    pub details: Box<ErrorDetails>,
}

/// What only some [`HttpError`]s have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorDetails {
    /// The error's code, where the wire has one.
    pub code: Option<String>,
    /// The parameter at fault, where the wire names it.
    pub param: Option<String>,
    /// Headers over the usual ones.
    pub headers: Headers,
    /// The body as it is, instead of the wire's error document.
    pub body: Option<String>,
}

impl HttpError {
    /// An error with a message and nothing special.
    #[must_use]
    pub fn new(status: u16, kind: impl Into<String>, message: impl Into<String>) -> Self {
        HttpError {
            status,
            kind: kind.into(),
            message: message.into(),
            details: Box::default(),
        }
    }

    /// The same, with the parameter at fault and a code.
    #[must_use]
    pub fn about(mut self, param: Option<&str>, code: Option<&str>) -> Self {
        self.details.param = param.map(str::to_owned);
        self.details.code = code.map(str::to_owned);
        self
    }
}
