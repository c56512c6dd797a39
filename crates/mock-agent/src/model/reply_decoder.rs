//! Decodes the bytes of a reply into chunks, whether they come over HTTP or from the scripted model in this process.

use super::error::ModelError;
use super::reply_stream::{Chunk, StreamDecoder};
use super::sse::SseParser;
use super::wires;
use mock_provider::Wire;
use std::collections::VecDeque;

/// The decoder of one reply.
pub(super) struct ReplyDecoder {
    parser: SseParser,
    decoder: Box<dyn StreamDecoder>,
    ready: VecDeque<Chunk>,
    is_over: bool,
}

impl ReplyDecoder {
    pub(super) fn new(wire: Wire) -> Self {
        ReplyDecoder {
            parser: SseParser::default(),
            decoder: wires::decoder(wire),
            ready: VecDeque::new(),
            is_over: false,
        }
    }

    /// Takes the next chunk that is complete.
    pub(super) fn take(&mut self) -> Option<Chunk> {
        let chunk = self.ready.pop_front()?;
        self.is_over |= matches!(chunk, Chunk::Stop(_));
        Some(chunk)
    }

    /// Whether no more chunks will come.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Decodes more bytes.
    ///
    /// # Errors
    /// They are not what the wire specifies, or report an error. The reply is over.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), ModelError> {
        let decoded = self.decode(bytes);
        self.is_over |= decoded.is_err();
        decoded
    }

    fn decode(&mut self, bytes: &[u8]) -> Result<(), ModelError> {
        let events = self
            .parser
            .push(bytes)
            .map_err(|_| ModelError::malformed("The model's stream has an endless line."))?;
        for data in events {
            self.ready.extend(self.decoder.decode(&data)?);
        }
        Ok(())
    }

    /// Notes that the bytes have ended, normally or with an error.
    ///
    /// # Errors
    /// The reply is not complete. It is over.
    pub(super) fn end(&mut self, ended: Result<(), ModelError>) -> Result<(), ModelError> {
        if self.decoder.is_complete() {
            self.ready.extend(self.decoder.finish());
            self.is_over = self.ready.is_empty();
            return Ok(());
        }
        self.is_over = true;
        ended.and(Err(ModelError::cut_short()))
    }
}
