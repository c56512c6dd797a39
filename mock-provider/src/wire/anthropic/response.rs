//! Responses of Anthropic Messages: the event stream, the message document, and errors.
//!
//! Source: <https://docs.claude.com/en/docs/build-with-claude/streaming> and the vendor's SDKs.

use serde_json::{Value, json};

use crate::answer::{AnswerMessage, BlockKind, Piece, Tokens};
use crate::ids;
use crate::script::Stop;
use crate::wire::encoder::{Encoder, Sse, WireContext, quoted};
use crate::wire::join::{JoinedMessage, join_pieces};

/// A message as a stream of events.
pub(in crate::wire) struct AnthropicStream<'a> {
    context: &'a WireContext<'a>,
    sse: Sse,
    message: &'a AnswerMessage,
    started: bool,
    /// A ping follows the start of the first block, as in the real API.
    pinged: bool,
}

impl<'a> AnthropicStream<'a> {
    pub(in crate::wire) fn new(context: &'a WireContext<'a>, message: &'a AnswerMessage) -> Self {
        AnthropicStream {
            context,
            sse: Sse::new(message.delivery.crlf),
            message,
            started: false,
            pinged: false,
        }
    }

    fn event(&self, data: &Value) -> Vec<u8> {
        self.sse
            .named(data["type"].as_str().unwrap_or_default(), &data.to_string())
    }

    /// The event of a delta.
    fn delta(&self, piece: &Piece) -> Option<Vec<u8>> {
        let (index, kind, member, text) = match piece {
            Piece::TextDelta { index, text } => (index, "text_delta", "text", text),
            Piece::ThinkingDelta { index, text } => (index, "thinking_delta", "thinking", text),
            Piece::Signature { index, signature } => {
                (index, "signature_delta", "signature", signature)
            }
            Piece::ArgsDelta { index, fragment } => {
                (index, "input_json_delta", "partial_json", fragment)
            }
            _ => return None,
        };
        let delta = format!(r#"{{"type":"{kind}","{member}":{}}}"#, quoted(text));
        let data = format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#);
        Some(self.sse.named("content_block_delta", &data))
    }

    /// The events of a piece of content that is no delta.
    fn content(&mut self, piece: &Piece) -> Vec<Value> {
        match piece {
            Piece::BlockStart { index, block } => {
                let mut events = vec![
                    json!({ "type": "content_block_start", "index": index, "content_block": opening(block) }),
                ];
                if !std::mem::replace(&mut self.pinged, true) {
                    events.push(json!({ "type": "ping" }));
                }
                if matches!(block, BlockKind::ToolCall { .. }) {
                    let delta = json!({ "type": "input_json_delta", "partial_json": "" });
                    events.push(
                        json!({ "type": "content_block_delta", "index": index, "delta": delta }),
                    );
                }
                events
            }
            Piece::BlockEnd { index } => {
                vec![json!({ "type": "content_block_stop", "index": index })]
            }
            Piece::Stop(stop) => {
                let ending = json!({ "stop_reason": stop_reason(*stop), "stop_sequence": stop_sequence(*stop, self.context) });
                let Tokens {
                    input,
                    output,
                    cache_read,
                    cache_write,
                    reasoning,
                } = self.message.tokens;
                let usage = json!({
                    "input_tokens": input,
                    "cache_creation_input_tokens": cache_write,
                    "cache_read_input_tokens": cache_read,
                    "output_tokens": output,
                    "output_tokens_details": { "thinking_tokens": reasoning },
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

impl Encoder for AnthropicStream<'_> {
    fn encode(&mut self, piece: &Piece) -> Vec<Vec<u8>> {
        match piece {
            Piece::Ping => return vec![self.ping()],
            Piece::Error { kind, message } => {
                return vec![self.event(&error_document(kind, message))];
            }
            _ => {}
        }
        // A delta follows the start of its block.
        if let Some(delta) = self.delta(piece) {
            return vec![delta];
        }
        let content = self.content(piece);
        let opening = (!content.is_empty() && !std::mem::replace(&mut self.started, true)).then(|| {
            json!({ "type": "message_start", "message": message_document(self.context, self.message, json!([]), None, 1) })
        });
        opening
            .iter()
            .chain(&content)
            .map(|data| self.event(data))
            .collect()
    }

    fn ping(&self) -> Vec<u8> {
        self.event(&json!({ "type": "ping" }))
    }
}

/// A message as one document.
pub(in crate::wire) fn whole(context: &WireContext, message: &AnswerMessage) -> Value {
    let JoinedMessage { blocks, stop, .. } = join_pieces(&message.pieces);
    let content = blocks.iter().map(|joined| match &joined.block {
        BlockKind::Text => json!({ "type": "text", "text": joined.text }),
        BlockKind::Thinking => {
            json!({ "type": "thinking", "thinking": joined.text, "signature": joined.signature })
        }
        BlockKind::RedactedThinking { data } => {
            json!({ "type": "redacted_thinking", "data": data })
        }
        BlockKind::ToolCall { id, name } => {
            let input = serde_json::from_str(&joined.text)
                .unwrap_or_else(|_| Value::from(joined.text.as_str()));
            json!({ "type": "tool_use", "id": id, "name": name, "input": input })
        }
    });
    message_document(
        context,
        message,
        content.collect(),
        stop,
        message.tokens.output,
    )
}

fn message_document(
    context: &WireContext,
    message: &AnswerMessage,
    content: Value,
    stop: Option<Stop>,
    output: u64,
) -> Value {
    let Tokens {
        input,
        cache_read,
        cache_write,
        ..
    } = message.tokens;
    json!({
        "id": ids::id("msg_01", 22, context.seed, &message.path),
        "type": "message",
        "role": "assistant",
        "model": context.request.model(),
        "content": content,
        "stop_reason": stop.map(stop_reason),
        "stop_sequence": stop.and_then(|stop| stop_sequence(stop, context)),
        "usage": {
            "input_tokens": input,
            "cache_creation_input_tokens": cache_write,
            "cache_read_input_tokens": cache_read,
            "cache_creation": { "ephemeral_5m_input_tokens": cache_write, "ephemeral_1h_input_tokens": 0 },
            "output_tokens": output,
            "service_tier": "standard",
        },
    })
}

/// The document of an error in a stream, without the id of the request.
pub(in crate::wire) fn error_document(kind: &str, message: &str) -> Value {
    json!({ "type": "error", "error": { "type": kind, "message": message } })
}

fn opening(block: &BlockKind) -> Value {
    match block {
        BlockKind::Text => json!({ "type": "text", "text": "" }),
        BlockKind::Thinking => json!({ "type": "thinking", "thinking": "", "signature": "" }),
        BlockKind::RedactedThinking { data } => {
            json!({ "type": "redacted_thinking", "data": data })
        }
        BlockKind::ToolCall { id, name } => {
            json!({ "type": "tool_use", "id": id, "name": name, "input": {} })
        }
    }
}

fn stop_reason(stop: Stop) -> &'static str {
    match stop {
        Stop::EndTurn => "end_turn",
        Stop::ToolUse => "tool_use",
        Stop::MaxTokens => "max_tokens",
        Stop::StopSequence => "stop_sequence",
        Stop::Refusal => "refusal",
        Stop::PauseTurn => "pause_turn",
    }
}

/// The stop sequence: the first of the request.
fn stop_sequence<'a>(stop: Stop, context: &WireContext<'a>) -> Option<&'a str> {
    if stop == Stop::StopSequence {
        context.request.body["stop_sequences"][0].as_str()
    } else {
        None
    }
}
