//! Responses of OpenAI Chat Completions: the stream of chunks, the completion document, and errors.
//!
//! Source: <https://platform.openai.com/docs/api-reference/chat> and the vendor's SDKs. Thinking is sent as
//! `reasoning_content`, the name that compatible servers and clients use.

use serde_json::{Value, json};

use crate::answer::{AnswerMessage, BlockStart, Chunk, Usage};
use crate::ids;
use crate::script::{Stop, StreamError};
use crate::wire::encoder::{Encoder, Sse, WireContext, quoted};

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

    fn event(&self, choices: &str, usage: &Value) -> Vec<u8> {
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
        self.event(&choice, &Value::Null)
    }

    /// The first chunk, with the role. Its content is null if the message has only tool calls.
    fn opening(&self) -> Vec<u8> {
        let mut calls = false;
        let says = self.message.starts().any(|block| {
            calls |= matches!(block, BlockStart::Call { .. });
            *block == BlockStart::Text
        });
        let content = (says || !calls).then_some("");
        let delta = json!({ "role": "assistant", "content": content, "refusal": null });
        self.delta(&delta.to_string(), None)
    }

    fn call(&self, call: Value) -> Vec<Vec<u8>> {
        vec![self.delta(&json!({ "tool_calls": [call] }).to_string(), None)]
    }

    fn content(&mut self, chunk: &Chunk) -> Vec<Vec<u8>> {
        match chunk {
            Chunk::Start {
                index,
                block: BlockStart::Call { id, tool },
            } => {
                self.calls.push(*index);
                let function = json!({ "name": tool, "arguments": "" });
                self.call(json!({ "index": self.calls.len() - 1, "id": id, "type": "function", "function": function }))
            }
            Chunk::Args { index, fragment } => {
                let place = self.calls.iter().position(|known| known == index);
                self.call(json!({ "index": place, "function": { "arguments": fragment } }))
            }
            Chunk::Text { text, .. } => {
                vec![self.delta(&format!(r#"{{"content":{}}}"#, quoted(text)), None)]
            }
            Chunk::Thinking { text, .. } => {
                let delta = format!(r#"{{"reasoning_content":{}}}"#, quoted(text));
                vec![self.delta(&delta, None)]
            }
            Chunk::Stop(stop) => {
                let mut events = vec![self.delta("{}", Some(finish_reason(*stop)))];
                if self.include_usage {
                    events.push(self.event("", &usage_document(self.message.usage)));
                }
                events.push(self.sse.data("[DONE]"));
                events
            }
            _ => Vec::new(),
        }
    }
}

impl Encoder for ChatStream<'_> {
    fn chunk(&mut self, chunk: &Chunk) -> Vec<Vec<u8>> {
        let mut events = self.content(chunk);
        if !events.is_empty() && !std::mem::replace(&mut self.started, true) {
            events.insert(0, self.opening());
        }
        events
    }

    fn error(&mut self, StreamError { kind, message }: &StreamError) -> Vec<u8> {
        let document = error_document(kind, message, None, None);
        self.sse.data(&document.to_string())
    }

    fn ping(&self) -> Vec<u8> {
        self.sse.comment("ping")
    }
}

/// A message as one document.
pub(in crate::wire) fn whole(context: &WireContext, message: &AnswerMessage) -> Value {
    let (mut text, mut thinking, mut calls) = (None::<String>, None::<String>, Vec::new());
    for block in message.blocks() {
        let more = block.text();
        match block.start {
            BlockStart::Text => *text.get_or_insert_default() += &more,
            BlockStart::Thinking => *thinking.get_or_insert_default() += &more,
            BlockStart::Call { id, tool } => {
                let function = json!({ "name": tool, "arguments": more });
                calls.push(json!({ "id": id, "type": "function", "function": function }));
            }
            BlockStart::Redacted(_) => {}
        }
    }
    let content = text.or_else(|| calls.is_empty().then(String::new));
    let mut answer =
        json!({ "role": "assistant", "content": content, "refusal": null, "annotations": [] });
    if let Some(thinking) = thinking {
        answer["reasoning_content"] = thinking.into();
    }
    if !calls.is_empty() {
        answer["tool_calls"] = calls.into();
    }
    let reason = message.stop().map(finish_reason);
    let mut whole = envelope(context, message, "chat.completion");
    whole["choices"] =
        json!([{ "index": 0, "message": answer, "logprobs": null, "finish_reason": reason }]);
    whole["usage"] = usage_document(message.usage);
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

fn usage_document(used: Usage) -> Value {
    let prompt = used.all_input();
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": used.output,
        "total_tokens": prompt + used.output,
        "prompt_tokens_details": { "cached_tokens": used.cache_read, "cache_write_tokens": used.cache_write, "audio_tokens": 0 },
        "completion_tokens_details": {
            "reasoning_tokens": used.reasoning,
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
