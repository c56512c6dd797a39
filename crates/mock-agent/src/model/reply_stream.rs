//! The streamed reply: its chunks, and the decoder that each wire implements.

use super::error::ModelError;
use crate::model::message::{StopReason, Usage};

/// One piece of a reply as it streams in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Chunk {
    /// A content block begins. Blocks are numbered from 0 within the reply.
    Start {
        index: usize,
        block: BlockStart,
    },
    Text {
        index: usize,
        text: String,
    },
    Thinking {
        index: usize,
        text: String,
    },
    Signature {
        index: usize,
        signature: String,
    },
    /// A fragment of a tool call's arguments.
    Args {
        index: usize,
        fragment: String,
    },
    /// A content block ends.
    End {
        index: usize,
    },
    /// The tokens of the request so far; replaces earlier counts.
    Usage(Usage),
    /// The reply is complete.
    Stop(StopReason),
}

/// The kind of a content block that begins.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum BlockStart {
    Text,
    Thinking,
    Redacted(String),
    Call { id: String, tool: String },
}

/// Decodes the stream of one wire.
pub(super) trait StreamDecoder {
    /// The chunks in the data of one server-sent event.
    ///
    /// # Errors
    /// The data is not what the wire specifies, or it reports an error.
    fn decode(&mut self, data: &str) -> Result<Vec<Chunk>, ModelError>;

    /// Whether the reply is complete, so that the end of the stream is no interruption.
    fn is_complete(&self) -> bool;

    /// The chunks that are still missing when a complete stream ends.
    fn finish(&mut self) -> Vec<Chunk>;
}
