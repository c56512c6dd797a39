//! A reply over HTTP, with the pace and the gate that the agent or a marker in the prompt asks for.

use super::error::ModelError;
use super::http_client::HttpReply;
use super::reply_stream::Chunk;
use crate::control::Gates;
use mock_provider::Pauses;
use std::rc::Rc;
use std::time::Duration;

/// A reply that streams in over HTTP, and waits where it is told to.
pub(crate) struct PacedReply {
    pub(super) reply: HttpReply,
    pub(super) pauses: Pauses,
    /// The gate that holds the reply behind the first part of its text. Nothing says how long a reply will be.
    pub(super) gate: Option<String>,
    pub(super) gates: Rc<Gates>,
    pub(super) gate_timeout: Duration,
    pub(super) has_text: bool,
}

impl PacedReply {
    pub(super) async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        let chunk = match self.reply.next().await? {
            Ok(chunk) => chunk,
            Err(error) => return Some(Err(error)),
        };
        if (self.has_text || matches!(chunk, Chunk::Stop(_)))
            && let Some(gate) = self.gate.take()
        {
            self.gates.hold(&gate, self.gate_timeout).await;
        }
        self.has_text |= matches!(chunk, Chunk::Text { .. });
        let pause = match &chunk {
            Chunk::Start { .. } => self.pauses.before_block(),
            Chunk::Text { text, .. } | Chunk::Thinking { text, .. } => {
                self.pauses.before_text(text)
            }
            Chunk::Args { fragment, .. } => self.pauses.before_text(fragment),
            _ => None,
        };
        if let Some(pause) = pause {
            tokio::time::sleep(pause).await;
        }
        Some(Ok(chunk))
    }
}
