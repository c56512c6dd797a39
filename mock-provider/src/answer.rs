//! Answers of the model, independent of the wire: a message in pieces, an HTTP error, or a cut connection.

use std::sync::Arc;
use std::time::Duration;

use hyper::HeaderMap;
use serde::Serialize;
use serde_json::{Value, json};

use crate::script::{Cut, Delivery, RefusalDetails, Stop, StreamError};

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

/// A complete message as JSON: a list of `{"text": …}`, `{"thinking": …}` and `{"call": {"id": …, "name": …, "arguments": …}}`, and at its end
/// `{"usage": …}`, if it is known.
pub(crate) fn said(blocks: &[Block], stop: Option<Stop>, usage: Usage) -> Option<Value> {
    if !matches!(stop, Some(Stop::EndTurn | Stop::ToolUse)) {
        return None;
    }
    let said = blocks.iter().filter_map(|block| {
        Some(match &block.start {
            BlockStart::Text => json!({ "text": block.text() }),
            BlockStart::Call { id, tool } => {
                let arguments = serde_json::from_str::<Value>(block.text()).ok()?;
                json!({ "call": { "id": id, "name": tool, "arguments": arguments } })
            }
            BlockStart::Thinking => json!({ "thinking": block.text() }),
            BlockStart::Redacted(_) => return None,
        })
    });
    let usage = (usage != Usage::default()).then(|| json!({ "usage": usage }));
    Some(said.chain(usage).collect())
}

/// A message of the model, as a sequence of pieces.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerMessage {
    /// Its position in the script, such as `3`, or `3.1` for the first repetition of a reply: the source of all its ids.
    pub path: String,
    /// Content, waits and errors, in order.
    pub pieces: Arc<Vec<Piece>>,
    /// More about the reason why the model stopped, if it refused (Anthropic).
    pub stop_details: Option<RefusalDetails>,
    /// The tokens used by the whole message, also if it breaks off.
    pub usage: Usage,
    /// How its bytes are divided into writes.
    pub delivery: Delivery,
}

/// One step of a message: content, a wait, or an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Content, or the end of the message.
    Chunk(Chunk),
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
    Error(StreamError),
    /// The connection is cut.
    Cut(Cut),
    /// Bytes that are written to the connection as they are. An in-process caller ignores them.
    Raw(String),
}

/// The output of a model, as it streams: in an answer of a script, and in an answer that is decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the fields are the number of a block and its content"
)]
pub enum Chunk {
    /// A block of content begins. Blocks are numbered from 0.
    Start { index: usize, block: BlockStart },
    /// More text of a text block.
    Text { index: usize, text: String },
    /// More text of a thinking block.
    Thinking { index: usize, text: String },
    /// The signature of a thinking block, which the client sends back unchanged: in a decoded answer of OpenAI Responses the whole
    /// reasoning item, as JSON.
    Signature { index: usize, signature: String },
    /// A fragment of a tool call's arguments. The joined fragments are JSON, or the raw text of the script.
    Args { index: usize, fragment: String },
    /// A block ends.
    End { index: usize },
    /// The tokens of the request so far; replaces earlier counts. Only in an answer that is decoded.
    Usage(Usage),
    /// The message is complete.
    Stop(Stop),
}

/// The kind of a block of content that begins.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants say it")]
pub enum BlockStart {
    /// Text.
    Text,
    /// Thinking.
    Thinking,
    /// Redacted thinking, complete: the opaque data, which the client sends back unchanged.
    Redacted(String),
    /// A tool call: its id and the name of the tool.
    Call { id: String, tool: String },
}

/// Tokens used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Usage {
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

impl Usage {
    /// All input tokens.
    #[must_use]
    pub fn all_input(self) -> u64 {
        let cached = self.cache_read.saturating_add(self.cache_write);
        self.input.saturating_add(cached)
    }

    /// All tokens of a request and its reply: the size of the context.
    #[must_use]
    pub fn context(self) -> u64 {
        self.all_input().saturating_add(self.output)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        for (count, more) in [
            (&mut self.input, more.input),
            (&mut self.output, more.output),
            (&mut self.cache_read, more.cache_read),
            (&mut self.cache_write, more.cache_write),
            (&mut self.reasoning, more.reasoning),
        ] {
            *count = count.saturating_add(more);
        }
    }
}

impl AnswerMessage {
    /// Its content, without waits, errors and cuts.
    pub fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Chunk(chunk) => Some(chunk),
            _ => None,
        })
    }

    /// Why the model stopped; none if the message breaks off.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        self.chunks().find_map(|chunk| match chunk {
            Chunk::Stop(stop) => Some(*stop),
            _ => None,
        })
    }

    /// Whether its texts say why the model refuses, which OpenAI sends as a refusal and not as text.
    pub(crate) fn is_refusal(&self) -> bool {
        let has_text =
            |chunk: &Chunk| matches!(chunk, Chunk::Text { text, .. } if !text.is_empty());
        self.stop() == Some(Stop::Refusal) && self.chunks().any(has_text)
    }

    /// How each block of its content begins.
    pub(crate) fn starts(&self) -> impl Iterator<Item = &BlockStart> {
        self.chunks().filter_map(|chunk| match chunk {
            Chunk::Start { block, .. } => Some(block),
            _ => None,
        })
    }

    /// The message as JSON, as in transcripts: a list of `{"text": …}`, `{"thinking": …}` and `{"call": {"id": …, "name": …, "arguments": …}}`,
    /// and `{"usage": …}`; none if it breaks off.
    #[must_use]
    pub fn said(&self) -> Option<Value> {
        said(&self.blocks(), self.stop(), self.usage)
    }

    /// The blocks of its content, joined.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let mut blocks = Blocks::default();
        self.chunks().for_each(|chunk| blocks.add(chunk));
        blocks.0
    }
}

/// The blocks of a message so far.
#[derive(Debug, Default)]
pub struct Blocks(pub Vec<Block>);

/// A block of content with its content so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its number in the stream.
    pub index: usize,
    /// How it began.
    pub start: BlockStart,
    /// The text, the thinking, or the arguments of a tool call.
    text: String,
    /// The end of each piece of the text. No piece is empty.
    ends: Vec<usize>,
    /// The signature of thinking; empty if there is none.
    pub signature: String,
}

impl Block {
    /// A block without content.
    #[must_use]
    pub fn new(index: usize, start: &BlockStart) -> Self {
        Block {
            index,
            start: start.clone(),
            text: String::new(),
            ends: Vec::new(),
            signature: String::new(),
        }
    }

    /// Its content, joined.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its content in the pieces in which it was streamed.
    pub(crate) fn pieces(&self) -> Vec<String> {
        let starts = [0].iter().chain(&self.ends);
        let pieces = starts.zip(&self.ends);
        pieces
            .map(|(start, end)| self.text[*start..*end].to_owned())
            .collect()
    }

    /// Adds content.
    pub fn push(&mut self, text: &str) {
        if !text.is_empty() {
            self.text.push_str(text);
            self.ends.push(self.text.len());
        }
    }
}

impl Blocks {
    /// Adds a chunk to its block.
    pub fn add(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Start { index, block } => self.0.push(Block::new(*index, block)),
            Chunk::Text { index, text }
            | Chunk::Thinking { index, text }
            | Chunk::Args {
                index,
                fragment: text,
            } => {
                if let Some(block) = self.block(*index) {
                    block.push(text);
                }
            }
            Chunk::Signature { index, signature } => {
                if let Some(block) = self.block(*index) {
                    block.signature.push_str(signature);
                }
            }
            Chunk::End { .. } | Chunk::Usage(_) | Chunk::Stop(_) => {}
        }
    }

    /// The latest block of a number.
    pub fn block(&mut self, index: usize) -> Option<&mut Block> {
        let mut latest = self.0.iter_mut().rev();
        latest.find(|block| block.index == index)
    }
}

/// An HTTP error, in the terms of the request's wire.
#[derive(Debug, Clone, PartialEq)]
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
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ErrorDetails {
    /// The error's code, if the wire has one.
    pub code: Option<String>,
    /// The parameter that is wrong, if the wire names it.
    pub param: Option<String>,
    /// Headers that replace or extend the usual ones.
    pub headers: HeaderMap,
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

    /// The error of a request that is not valid.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        HttpError::new(400, "invalid_request_error", message)
    }

    /// The same error with a parameter and a code.
    #[must_use]
    pub fn about(mut self, param: Option<&str>, code: Option<&str>) -> Self {
        self.details.param = param.map(str::to_owned);
        self.details.code = code.map(str::to_owned);
        self
    }
}
