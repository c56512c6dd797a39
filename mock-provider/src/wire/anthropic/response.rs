//! Responses of Anthropic Messages: the event stream, the message document, and errors.
//!
//! Source: <https://docs.claude.com/en/docs/build-with-claude/streaming> and the vendor's SDKs.

use serde_json::{Value, json};

use crate::answer::{AnswerMessage, BlockStart, Chunk};
use crate::request::Wire;
use crate::script::{RefusalDetails, Stop, StreamError};
use crate::wire::dispatch::message_id;
use crate::wire::encoder::{Encoder, EventBuffer, WireContext};

/// A message as a stream of events.
pub(in crate::wire) struct AnthropicStream<'a> {
    context: &'a WireContext<'a>,
    message: &'a AnswerMessage,
    started: bool,
    /// A ping follows the start of the first block, as in the real API.
    pinged: bool,
}

impl<'a> AnthropicStream<'a> {
    pub(in crate::wire) fn new(context: &'a WireContext<'a>, message: &'a AnswerMessage) -> Self {
        AnthropicStream {
            context,
            message,
            started: false,
            pinged: false,
        }
    }

    /// Writes the event of a delta. False for any other chunk.
    fn delta(&self, chunk: &Chunk, out: &mut EventBuffer) -> bool {
        let (index, kind, member, text) = match chunk {
            Chunk::Text { index, text } => (index, "text_delta", "text", text),
            Chunk::Thinking { index, text } => (index, "thinking_delta", "thinking", text),
            Chunk::Signature { index, signature } => {
                (index, "signature_delta", "signature", signature)
            }
            Chunk::Args { index, fragment } => {
                (index, "input_json_delta", "partial_json", fragment)
            }
            _ => return false,
        };
        out.named("content_block_delta")
            .raw(r#"{"type":"content_block_delta","index":"#)
            .json(index)
            .raw(r#","delta":{"type":""#)
            .raw(kind)
            .raw(r#"",""#)
            .raw(member)
            .raw(r#"":"#)
            .json(text)
            .raw("}}")
            .end();
        true
    }

    /// The events of a chunk that is not a delta.
    fn content(&mut self, chunk: &Chunk) -> Vec<Value> {
        match chunk {
            Chunk::Start { index, block } => {
                let mut events = vec![
                    json!({ "type": "content_block_start", "index": index, "content_block": opening(block) }),
                ];
                if !std::mem::replace(&mut self.pinged, true) {
                    events.push(json!({ "type": "ping" }));
                }
                if matches!(block, BlockStart::Call { .. }) {
                    let delta = json!({ "type": "input_json_delta", "partial_json": "" });
                    events.push(
                        json!({ "type": "content_block_delta", "index": index, "delta": delta }),
                    );
                }
                events
            }
            Chunk::End { index } => {
                vec![json!({ "type": "content_block_stop", "index": index })]
            }
            Chunk::Stop(stop) => {
                let ending = json!({
                    "stop_reason": stop,
                    "stop_sequence": stop_sequence(*stop, self.context),
                    "stop_details": stop_details(Some(*stop), self.message),
                });
                let used = self.message.usage;
                let usage = json!({
                    "input_tokens": used.input,
                    "cache_creation_input_tokens": used.cache_write,
                    "cache_read_input_tokens": used.cache_read,
                    "output_tokens": used.output,
                    "output_tokens_details": { "thinking_tokens": used.reasoning },
                });
                vec![
                    json!({ "type": "message_delta", "delta": ending, "usage": usage }),
                    json!({ "type": "message_stop" }),
                ]
            }
            _ => Vec::new(),
        }
    }
}

/// Writes an event, which is named after its type.
fn event(data: &Value, out: &mut EventBuffer) {
    let kind = data["type"].as_str().unwrap_or_default();
    out.named(kind).json(data).end();
}

impl Encoder for AnthropicStream<'_> {
    fn chunk(&mut self, chunk: &Chunk, out: &mut EventBuffer) {
        // A delta follows the start of its block.
        if self.delta(chunk, out) {
            return;
        }
        let events = self.content(chunk);
        if !events.is_empty() && !std::mem::replace(&mut self.started, true) {
            // The real API counts one token before it has sent any.
            let output = self.message.usage.output.min(1);
            let message = message_document(self.context, self.message, json!([]), None, output);
            event(&json!({ "type": "message_start", "message": message }), out);
        }
        events.iter().for_each(|data| event(data, out));
    }

    fn error(&mut self, StreamError { kind, message }: &StreamError, out: &mut EventBuffer) {
        let (kind, _) = Wire::AnthropicMessages.error_words(kind);
        event(&error_document(&kind, message), out);
    }

    fn ping(&self, out: &mut EventBuffer) {
        event(&json!({ "type": "ping" }), out);
    }
}

/// A message as one document.
pub(in crate::wire) fn whole(context: &WireContext, message: &AnswerMessage) -> Value {
    let content = message.blocks().into_iter().map(|block| {
        let mut document = opening(&block.start);
        match &block.start {
            BlockStart::Text => document["text"] = block.text().into(),
            BlockStart::Thinking => {
                document["thinking"] = block.text().into();
                document["signature"] = block.signature.into();
            }
            BlockStart::Redacted(_) => {}
            BlockStart::Call { .. } => {
                let text = block.text();
                document["input"] = serde_json::from_str(text).unwrap_or(text.into());
            }
        }
        document
    });
    let output = message.usage.output;
    message_document(context, message, content.collect(), message.stop(), output)
}

fn message_document(
    context: &WireContext,
    message: &AnswerMessage,
    content: Value,
    stop: Option<Stop>,
    output: u64,
) -> Value {
    let used = message.usage;
    json!({
        "id": message_id(context.request.wire, context.seed, message),
        "type": "message",
        "role": "assistant",
        "model": context.request.model(),
        "content": content,
        "stop_reason": stop,
        "stop_sequence": stop.and_then(|stop| stop_sequence(stop, context)),
        "stop_details": stop_details(stop, message),
        "usage": {
            "input_tokens": used.input,
            "cache_creation_input_tokens": used.cache_write,
            "cache_read_input_tokens": used.cache_read,
            "cache_creation": { "ephemeral_5m_input_tokens": used.cache_write, "ephemeral_1h_input_tokens": 0 },
            "output_tokens": output,
            "service_tier": "standard",
        },
    })
}

/// The document of an error in a stream, without the id of the request.
pub(in crate::wire) fn error_document(kind: &str, message: &str) -> Value {
    json!({ "type": "error", "error": { "type": kind, "message": message } })
}

fn opening(block: &BlockStart) -> Value {
    match block {
        BlockStart::Text => json!({ "type": "text", "text": "" }),
        BlockStart::Thinking => json!({ "type": "thinking", "thinking": "", "signature": "" }),
        BlockStart::Redacted(data) => json!({ "type": "redacted_thinking", "data": data }),
        BlockStart::Call { id, tool } => {
            json!({ "type": "tool_use", "id": id, "name": tool, "input": {} })
        }
    }
}

/// The stop sequence: the first of the request.
fn stop_sequence<'a>(stop: Stop, context: &WireContext<'a>) -> Option<&'a str> {
    let first = context.request.body["stop_sequences"][0].as_str();
    first.filter(|_| stop == Stop::StopSequence)
}

/// Why the model refused: <https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons>.
fn stop_details(stop: Option<Stop>, message: &AnswerMessage) -> Value {
    if stop != Some(Stop::Refusal) {
        return Value::Null;
    }
    let RefusalDetails {
        category,
        explanation,
    } = message.stop_details.clone().unwrap_or_default();
    json!({ "type": "refusal", "category": category, "explanation": explanation })
}
