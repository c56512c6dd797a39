//! Responses of OpenAI Chat Completions: the stream of chunks, the completion document, and errors.
//!
//! Source: <https://platform.openai.com/docs/api-reference/chat> and the vendor's SDKs. Thinking is sent as
//! `reasoning_content`, the name that compatible servers and clients use.

use serde_json::{Value, json};

use crate::answer::{AnswerMessage, BlockKind, Piece, Tokens};
use crate::ids;
use crate::script::Stop;
use crate::wire::encoder::{Encoder, Sse, WireContext, quoted};
use crate::wire::join::{JoinedMessage, join_pieces};

/// A message as a stream of chunks.
pub(in crate::wire) struct ChatStream<'a> {
    sse: Sse,
    message: &'a AnswerMessage,
    /// Every chunk as text, up to its choices.
    head: String,
    /// The numbers of the tool call blocks, in order: a call's position here is its index on the wire.
    calls: Vec<usize>,
    started: bool,
    include_usage: bool,
}

impl<'a> ChatStream<'a> {
    pub(in crate::wire) fn new(context: &'a WireContext<'a>, message: &'a AnswerMessage) -> Self {
        let include_usage = context.request.body["stream_options"]["include_usage"] == true;
        let mut head = envelope(context, message, "chat.completion.chunk").to_string();
        head.pop();
        ChatStream {
            sse: Sse::new(message.delivery.crlf),
            message,
            head,
            calls: Vec::new(),
            started: false,
            include_usage,
        }
    }

    fn chunk(&self, choices: &str, usage: &Value) -> Vec<u8> {
        let usage = match self.include_usage {
            true => format!(r#","usage":{usage}"#),
            false => String::new(),
        };
        let chunk = format!(r#"{},"choices":[{choices}]{usage}}}"#, self.head);
        self.sse.data(&chunk)
    }

    /// A chunk with this delta, which is JSON.
    fn delta(&self, delta: &str, finish_reason: Option<&str>) -> Vec<u8> {
        let reason = finish_reason.map_or_else(|| "null".to_owned(), quoted);
        let choice =
            format!(r#"{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":{reason}}}"#);
        self.chunk(&choice, &Value::Null)
    }

    /// The first chunk, with the role. Its content is null if the message has only tool calls.
    fn opening(&self) -> Vec<u8> {
        let says = |piece: &Piece| {
            matches!(
                piece,
                Piece::BlockStart {
                    block: BlockKind::Text,
                    ..
                }
            )
        };
        let calls = |piece: &Piece| {
            matches!(
                piece,
                Piece::BlockStart {
                    block: BlockKind::ToolCall { .. },
                    ..
                }
            )
        };
        let only_calls =
            self.message.pieces.iter().any(calls) && !self.message.pieces.iter().any(says);
        let content = if only_calls {
            Value::Null
        } else {
            Value::from("")
        };
        let delta = json!({ "role": "assistant", "content": content, "refusal": null });
        self.delta(&delta.to_string(), None)
    }

    fn content(&mut self, piece: &Piece) -> Vec<Vec<u8>> {
        let call = |calls: &[usize], block: usize| calls.iter().position(|known| *known == block);
        match piece {
            Piece::BlockStart {
                index,
                block: BlockKind::ToolCall { id, name },
            } => {
                self.calls.push(*index);
                let function = json!({ "name": name, "arguments": "" });
                let call = json!({ "index": self.calls.len() - 1, "id": id, "type": "function", "function": function });
                vec![self.delta(&json!({ "tool_calls": [call] }).to_string(), None)]
            }
            Piece::ArgsDelta { index, fragment } => {
                let call = json!({ "index": call(&self.calls, *index), "function": { "arguments": fragment } });
                vec![self.delta(&json!({ "tool_calls": [call] }).to_string(), None)]
            }
            Piece::TextDelta { text, .. } => {
                vec![self.delta(&format!(r#"{{"content":{}}}"#, quoted(text)), None)]
            }
            Piece::ThinkingDelta { text, .. } => {
                let delta = format!(r#"{{"reasoning_content":{}}}"#, quoted(text));
                vec![self.delta(&delta, None)]
            }
            Piece::Stop(stop) => {
                let mut events = vec![self.delta("{}", Some(finish_reason(*stop)))];
                if self.include_usage {
                    events.push(self.chunk("", &usage_document(self.message.tokens)));
                }
                events.push(self.sse.data("[DONE]"));
                events
            }
            _ => Vec::new(),
        }
    }
}

impl Encoder for ChatStream<'_> {
    fn encode(&mut self, piece: &Piece) -> Vec<Vec<u8>> {
        match piece {
            Piece::Ping => return vec![self.ping()],
            Piece::Error { kind, message } => {
                return vec![
                    self.sse
                        .data(&error_document(kind, message, None, None).to_string()),
                ];
            }
            _ => {}
        }
        let mut events = self.content(piece);
        if !events.is_empty() && !std::mem::replace(&mut self.started, true) {
            events.insert(0, self.opening());
        }
        events
    }

    fn ping(&self) -> Vec<u8> {
        self.sse.comment("ping")
    }
}

/// A message as one document.
pub(in crate::wire) fn whole(context: &WireContext, message: &AnswerMessage) -> Value {
    let JoinedMessage { blocks, stop, .. } = join_pieces(&message.pieces);
    let joined = |kind: &BlockKind| {
        let texts = blocks
            .iter()
            .filter(|joined| joined.block == *kind)
            .map(|joined| joined.text.as_str());
        texts.fold(None, |whole: Option<String>, text| {
            Some(whole.unwrap_or_default() + text)
        })
    };
    let calls = blocks.iter().filter_map(|joined| match &joined.block {
        BlockKind::ToolCall { id, name } => {
            Some(json!({ "id": id, "type": "function", "function": { "name": name, "arguments": joined.text } }))
        }
        _ => None,
    });
    let calls = calls.collect::<Vec<_>>();
    let mut answer = json!({ "role": "assistant", "content": joined(&BlockKind::Text), "refusal": null, "annotations": [] });
    if let Some(thinking) = joined(&BlockKind::Thinking) {
        answer["reasoning_content"] = thinking.into();
    }
    if calls.is_empty() {
        answer["content"] = joined(&BlockKind::Text).unwrap_or_default().into();
    } else {
        answer["tool_calls"] = calls.into();
    }
    let choice = json!({ "index": 0, "message": answer, "logprobs": null, "finish_reason": stop.map(finish_reason) });
    let mut whole = envelope(context, message, "chat.completion");
    whole["choices"] = json!([choice]);
    whole["usage"] = usage_document(message.tokens);
    whole
}

/// The members before the choices.
fn envelope(context: &WireContext, message: &AnswerMessage, object: &str) -> Value {
    json!({
        "id": ids::id("chatcmpl-", 29, context.seed, &message.path),
        "object": object,
        "created": ids::EPOCH + context.request.n,
        "model": context.request.model(),
        "service_tier": "default",
        "system_fingerprint": ids::id("fp_", 10, context.seed, ""),
    })
}

fn usage_document(
    Tokens {
        input,
        output,
        cache_read,
        cache_write,
        reasoning,
    }: Tokens,
) -> Value {
    let prompt = input + cache_read + cache_write;
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": { "cached_tokens": cache_read, "cache_write_tokens": cache_write, "audio_tokens": 0 },
        "completion_tokens_details": {
            "reasoning_tokens": reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    })
}

/// The document of an error, for a stream and for a body.
pub(in crate::wire) fn error_document(
    kind: &str,
    message: &str,
    param: Option<&str>,
    code: Option<&str>,
) -> Value {
    json!({ "error": { "message": message, "type": kind, "param": param, "code": code } })
}

fn finish_reason(stop: Stop) -> &'static str {
    match stop {
        Stop::EndTurn | Stop::StopSequence | Stop::PauseTurn => "stop",
        Stop::ToolUse => "tool_calls",
        Stop::MaxTokens => "length",
        Stop::Refusal => "content_filter",
    }
}
