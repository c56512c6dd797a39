//! Decodes answers of the model APIs, streams in any chunking and whole documents, into chunks.

use std::collections::VecDeque;
use std::fmt;

use serde_json::Value;

use super::sse::{LineTooLong, SseParser};
use super::{anthropic, chat, gemini, responses};
use crate::answer::{BlockStart, Chunk, Usage};
use crate::request::Wire;
use crate::script::{Stop, StreamError};

/// The decoder of one reply.
pub struct ReplyDecoder {
    parser: SseParser,
    decoder: Box<dyn Decoder + Send>,
    reply: DecodedReply,
}

/// Why a stream cannot be decoded any further.
#[derive(Debug)]
pub enum DecodeError {
    /// A line is longer than any event.
    EndlessLine,
    /// The data of an event is not JSON.
    NotJson(serde_json::Error),
    /// The stream reports an error.
    Reported(StreamError),
}

/// Decodes the answers of one wire: the inverse of its encoder.
pub(super) trait Decoder {
    /// Decodes the data of an event.
    ///
    /// # Errors
    /// The error that it reports.
    fn event(&mut self, data: &Value, reply: &mut DecodedReply) -> Result<(), StreamError>;

    /// Decodes a message in one document.
    ///
    /// # Errors
    /// The error that it reports.
    fn document(&mut self, document: &Value, reply: &mut DecodedReply) -> Result<(), StreamError>;

    /// Ends a stream without the API's end event, which some servers leave out.
    fn end(&mut self, _reply: &mut DecodedReply) {}
}

/// A reply as far as it is decoded.
#[derive(Debug, Default)]
pub(super) struct DecodedReply {
    chunks: VecDeque<Chunk>,
    pub(super) usage: Usage,
    pub(super) stop: Option<Stop>,
    is_complete: bool,
}

impl DecodedReply {
    pub(super) fn push(&mut self, chunk: Chunk) {
        self.chunks.push_back(chunk);
    }

    /// Begins a block, if its kind is known.
    pub(super) fn start(&mut self, index: usize, block: Option<BlockStart>) {
        let start = block.map(|block| Chunk::Start { index, block });
        self.chunks.extend(start);
    }

    /// Takes new counts of tokens.
    pub(super) fn count(&mut self, usage: Usage) {
        self.usage = usage;
        self.push(Chunk::Usage(usage));
    }

    /// Notes that the message is complete.
    pub(super) fn complete(&mut self) {
        let stop = *self.stop.get_or_insert(Stop::EndTurn);
        if !std::mem::replace(&mut self.is_complete, true) {
            self.push(Chunk::Stop(stop));
        }
    }
}

/// A text in a document; empty if it has none there.
pub(super) fn text(document: &Value, member: &str) -> String {
    document[member].as_str().unwrap_or_default().to_owned()
}

/// The number of a block in a document.
pub(super) fn number(document: &Value, member: &str) -> usize {
    document[member].as_u64().unwrap_or_default() as usize
}

/// The error in a document, whose type is in this member.
pub(super) fn error(document: &Value, kind: &str, usual_kind: &str) -> StreamError {
    StreamError {
        kind: document[kind].as_str().unwrap_or(usual_kind).to_owned(),
        message: document["message"]
            .as_str()
            .unwrap_or("the stream failed")
            .to_owned(),
    }
}

/// The usage that an OpenAI wire reports in these members. It counts cached tokens as input tokens too.
pub(super) fn openai_usage(reported: &Value, input: &str, output: &str) -> Option<Usage> {
    let count = |value: &Value| value.as_u64().unwrap_or_default();
    let read = &reported[format!("{input}_details")];
    let (cached, written) = (
        count(&read["cached_tokens"]),
        count(&read["cache_write_tokens"]),
    );
    Some(Usage {
        input: reported[input].as_u64()?.saturating_sub(cached + written),
        output: count(&reported[output]),
        cache_read: cached,
        cache_write: written,
        reasoning: count(&reported[format!("{output}_details")]["reasoning_tokens"]),
    })
}

impl ReplyDecoder {
    /// The decoder of a reply on a wire.
    #[must_use]
    pub fn new(wire: Wire) -> Self {
        ReplyDecoder {
            parser: SseParser::new(wire == Wire::Gemini),
            decoder: match wire {
                Wire::AnthropicMessages => Box::new(anthropic::AnthropicDecoder::default()),
                Wire::OpenAiChat => Box::new(chat::ChatDecoder::default()),
                Wire::OpenAiResponses => Box::new(responses::ResponsesDecoder::default()),
                Wire::Gemini => Box::new(gemini::GeminiDecoder::default()),
            },
            reply: DecodedReply::default(),
        }
    }

    /// Decodes more bytes of a stream.
    ///
    /// # Errors
    /// They violate the specification of the wire, or report an error.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        let events = self.parser.push(bytes);
        for data in events.map_err(|LineTooLong| DecodeError::EndlessLine)? {
            if data.trim() == "[DONE]" {
                self.reply.stop.get_or_insert(Stop::EndTurn);
                self.decoder.end(&mut self.reply);
                continue;
            }
            let event = json_matcher::read_json(data.as_bytes()).map_err(DecodeError::NotJson)?;
            let decoded = self.decoder.event(&event, &mut self.reply);
            decoded.map_err(DecodeError::Reported)?;
        }
        Ok(())
    }

    /// Decodes a message in one document, or the events of a stream in an array.
    ///
    /// # Errors
    /// The document or an event reports an error.
    pub fn document(&mut self, document: &Value) -> Result<(), DecodeError> {
        let decoded = match document {
            Value::Array(events) => {
                let mut events = events.iter();
                events.try_for_each(|event| self.decoder.event(event, &mut self.reply))
            }
            document => self.decoder.document(document, &mut self.reply),
        };
        decoded.map_err(DecodeError::Reported)?;
        if self.reply.stop.is_some() {
            self.reply.is_complete = true;
        }
        Ok(())
    }

    /// Whether the message has its end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.reply.is_complete
    }

    /// Notes that the stream has ended. False if the message is not complete.
    pub fn end(&mut self) -> bool {
        if self.reply.stop.is_some() {
            self.decoder.end(&mut self.reply);
        }
        self.reply.is_complete
    }

    /// Takes the next chunk.
    pub fn take(&mut self) -> Option<Chunk> {
        self.reply.chunks.pop_front()
    }

    /// Why the model stopped, as soon as that is known.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        self.reply.stop
    }

    /// The newest counts of tokens.
    pub(crate) fn usage(&self) -> Usage {
        self.reply.usage
    }
}

impl fmt::Debug for ReplyDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ReplyDecoder").field(&self.reply).finish()
    }
}
