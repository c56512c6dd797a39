//! Answers of the model, independent of the wire: a message in pieces, an HTTP error, or a cut connection.

use std::time::Duration;

use crate::headers::Headers;
use crate::script::{Cut, Delivery, Stop};

/// The answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A message, in pieces.
    Message(AnswerMessage),
    /// An HTTP error.
    Error(HttpError),
    /// The connection is cut before the first byte.
    Cut(Cut),
}

/// A message of the model, as a sequence of pieces.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerMessage {
    /// Its position in the script, such as `3`, or `3.1` for the first repetition of a reply: the source of all its ids.
    pub path: String,
    /// Content, waits and errors, in order.
    pub pieces: Vec<Piece>,
    /// The tokens used by the whole message, also if it breaks off before its [`Piece::Usage`].
    pub tokens: Tokens,
    /// How its bytes are divided into writes.
    pub delivery: Delivery,
}

/// One step of a message: content, a wait, or an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// A block of content begins. Blocks are numbered from 0.
    BlockStart {
        /// The block's number.
        index: usize,
        /// Its kind.
        block: BlockKind,
    },
    /// More text of a text block.
    TextDelta {
        /// The block's number.
        index: usize,
        /// The chunk.
        text: String,
    },
    /// More text of a thinking block.
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
        /// The signature, which the client sends back unchanged.
        signature: String,
    },
    /// A fragment of a tool call's arguments. The joined fragments are JSON, or the raw text of the script.
    ArgsDelta {
        /// The block's number.
        index: usize,
        /// The fragment.
        fragment: String,
    },
    /// A block ends.
    BlockEnd {
        /// The block's number.
        index: usize,
    },
    /// The tokens used by the whole message. Comes right before [`Piece::Stop`].
    Usage(Tokens),
    /// The message is complete.
    Stop(Stop),
    /// A keep-alive event without content.
    Ping,
    /// Wait for the gate of this name.
    Gate(String),
    /// Wait this long.
    Delay(Duration),
    /// Send nothing more, except pings.
    Stall {
        /// For how long; none: until the client disconnects.
        length: Option<Duration>,
        /// The time between two pings; none for silence.
        pings: Option<Duration>,
    },
    /// The stream ends with an error.
    Error {
        /// Its type, such as `overloaded_error`.
        kind: String,
        /// Its message.
        message: String,
    },
    /// The connection is cut.
    Cut(Cut),
    /// Bytes that are written to the connection as they are. An in-process caller ignores them.
    Raw(String),
}

/// The kind of a block of content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockKind {
    /// Text.
    Text,
    /// Thinking.
    Thinking,
    /// Redacted thinking, complete.
    RedactedThinking {
        /// The opaque data, which the client sends back unchanged.
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

/// An HTTP error, in the terms of the request's wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpError {
    /// The HTTP status.
    pub status: u16,
    /// The error's type, such as `rate_limit_error`.
    pub kind: String,
    /// The error's message.
    pub message: String,
    /// Optional details.
    pub details: Box<ErrorDetails>,
}

/// Optional details of an [`HttpError`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorDetails {
    /// The error's code, if the wire has one.
    pub code: Option<String>,
    /// The parameter that is wrong, if the wire names it.
    pub param: Option<String>,
    /// Headers that replace or extend the usual ones.
    pub headers: Headers,
    /// The body as it is, instead of the wire's error document.
    pub body: Option<String>,
}

impl HttpError {
    /// An error with a message and no details.
    #[must_use]
    pub fn new(status: u16, kind: impl Into<String>, message: impl Into<String>) -> Self {
        HttpError {
            status,
            kind: kind.into(),
            message: message.into(),
            details: Box::default(),
        }
    }

    /// The same error with a parameter and a code.
    #[must_use]
    pub fn about(mut self, param: Option<&str>, code: Option<&str>) -> Self {
        self.details.param = param.map(str::to_owned);
        self.details.code = code.map(str::to_owned);
        self
    }
}
