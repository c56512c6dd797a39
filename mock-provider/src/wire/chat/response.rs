//! Responses of OpenAI Chat Completions: the stream of chunks, the completion document, and errors.
//!
//! Source: <https://platform.openai.com/docs/api-reference/chat> and the vendor's SDKs. Thinking is sent as
//! `reasoning_content`, the name that compatible servers and clients use.

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};

use crate::answer::{AnswerMessage, BlockStart, Chunk, Usage};
use crate::ids;
use crate::request::Wire;
use crate::script::{Stop, StreamError};
use crate::wire::dispatch::message_id;
use crate::wire::encoder::{Encoder, EventBuffer, WireContext};

/// A tool call in a stream.
struct Call {
    block: usize,
    members: CallMembers,
}

/// The type of a call, which is also the name of its member, and the member in it with the arguments.
type CallMembers = (&'static str, &'static str);

const FUNCTION: CallMembers = ("function", "arguments");
const CUSTOM: CallMembers = ("custom", "input");

fn call_members(context: &WireContext, tool: &str) -> CallMembers {
    if context.request.is_custom_tool(tool) {
        CUSTOM
    } else {
        FUNCTION
    }
}

/// A message as a stream of chunks.
pub(in crate::wire) struct ChatStream<'a> {
    context: &'a WireContext<'a>,
    message: &'a AnswerMessage,
    /// The member of a text: a refusal is none.
    text: &'static str,
    /// Every chunk as text, up to its choices.
    head: String,
    /// The end of a chunk, after the reason.
    tail: &'static str,
    /// The numbers of the tool call blocks, in order: a call's position here is its index on the wire.
    calls: Vec<Call>,
    started: bool,
    include_usage: bool,
}

impl<'a> ChatStream<'a> {
    pub(in crate::wire) fn new(context: &'a WireContext<'a>, message: &'a AnswerMessage) -> Self {
        let include_usage = context.request.body["stream_options"]["include_usage"] == true;
        ChatStream {
            context,
            message,
            text: if message.is_refusal() {
                "refusal"
            } else {
                "content"
            },
            head: head(context, message, "chat.completion.chunk"),
            tail: if include_usage {
                r#"],"usage":null}"#
            } else {
                "]}"
            },
            calls: Vec::new(),
            started: false,
            include_usage,
        }
    }

    /// Writes a chunk with the delta that a function writes.
    fn delta(
        &self,
        out: &mut EventBuffer,
        reason: Option<&str>,
        write: impl FnOnce(&mut EventBuffer),
    ) {
        out.data().raw(&self.head).raw(r#"{"index":0,"delta":{"#);
        write(out);
        out.raw(r#"},"logprobs":null,"finish_reason":"#)
            .json(&reason)
            .raw("}")
            .raw(self.tail)
            .end();
    }

    /// Writes the first chunk, with the role. Its content is null if the message has only tool calls.
    fn opening(&self, out: &mut EventBuffer) {
        let mut calls = false;
        let says = self.message.starts().any(|block| {
            calls |= matches!(block, BlockStart::Call { .. });
            *block == BlockStart::Text
        });
        let refusal = self.message.is_refusal().then_some("");
        let content = (refusal.is_none() && (says || !calls)).then_some("");
        self.delta(out, None, |out| {
            out.raw(r#""role":"assistant","content":"#)
                .json(&content)
                .raw(r#","refusal":"#)
                .json(&refusal);
        });
    }

    /// Writes the members of a delta.
    fn content(&self, chunk: &Chunk, out: &mut EventBuffer) {
        match chunk {
            Chunk::Start {
                block: BlockStart::Call { id, tool },
                ..
            } => {
                let (kind, arguments) = call_members(self.context, tool);
                out.raw(r#""tool_calls":[{"index":"#)
                    .json(&(self.calls.len() - 1))
                    .raw(r#","id":"#)
                    .json(id)
                    .raw(r#","type":""#)
                    .raw(kind)
                    .raw(r#"",""#)
                    .raw(kind)
                    .raw(r#"":{"name":"#)
                    .json(tool)
                    .raw(r#",""#)
                    .raw(arguments)
                    .raw(r#"":""}}]"#);
            }
            Chunk::Args { index, fragment } => {
                let place = self.calls.iter().position(|call| call.block == *index);
                let call = place.and_then(|place| self.calls.get(place));
                let (kind, arguments) = call.map_or(FUNCTION, |call| call.members);
                out.raw(r#""tool_calls":[{"index":"#)
                    .json(&place)
                    .raw(r#",""#)
                    .raw(kind)
                    .raw(r#"":{""#)
                    .raw(arguments)
                    .raw(r#"":"#)
                    .json(fragment)
                    .raw("}}]");
            }
            Chunk::Text { text, .. } => {
                out.raw("\"").raw(self.text).raw("\":").json(text);
            }
            Chunk::Thinking { text, .. } => {
                out.raw(r#""reasoning_content":"#).json(text);
            }
            _ => {}
        }
    }

    /// Writes the last chunks.
    fn ending(&self, stop: Stop, out: &mut EventBuffer) {
        self.delta(out, Some(finish_reason(self.message, stop)), |_| {});
        if self.include_usage {
            out.data()
                .raw(&self.head)
                .raw(r#"],"usage":"#)
                .raw(&usage_document(self.message.usage))
                .raw("}")
                .end();
        }
        out.data().raw("[DONE]").end();
    }
}

impl Encoder for ChatStream<'_> {
    fn chunk(&mut self, chunk: &Chunk, out: &mut EventBuffer) {
        let is_silent = match chunk {
            Chunk::Start { block, .. } => !matches!(block, BlockStart::Call { .. }),
            Chunk::Signature { .. } | Chunk::End { .. } | Chunk::Usage(_) => true,
            _ => false,
        };
        if is_silent {
            return;
        }
        if !std::mem::replace(&mut self.started, true) {
            self.opening(out);
        }
        if let Chunk::Start {
            index: block,
            block: BlockStart::Call { tool, .. },
        } = chunk
        {
            let (block, members) = (*block, call_members(self.context, tool));
            self.calls.push(Call { block, members });
        }
        match chunk {
            Chunk::Stop(stop) => self.ending(*stop, out),
            chunk => self.delta(out, None, |out| self.content(chunk, out)),
        }
    }

    fn error(&mut self, StreamError { kind, message }: &StreamError, out: &mut EventBuffer) {
        let (kind, code) = Wire::OpenAiChat.error_words(kind);
        let document = error_document(&kind, message, None, code.as_deref());
        out.data().json(&document).end();
    }

    fn ping(&self, out: &mut EventBuffer) {
        out.comment("ping");
    }
}

/// A message as one document.
pub(in crate::wire) fn whole(context: &WireContext, message: &AnswerMessage) -> Bytes {
    let (mut text, mut thinking, mut calls) = (None::<String>, None::<String>, Vec::new());
    for block in message.blocks() {
        let more = block.text();
        match &block.start {
            BlockStart::Text => text.get_or_insert_default().push_str(more),
            BlockStart::Thinking => thinking.get_or_insert_default().push_str(more),
            BlockStart::Call { id, tool } => {
                let (kind, arguments) = call_members(context, tool);
                let called = json!({ "name": tool, arguments: more });
                calls.push(json!({ "id": id, "type": kind, kind: called }));
            }
            BlockStart::Redacted(_) => {}
        }
    }
    let refusal = text.take_if(|_| message.is_refusal());
    let is_silent = calls.is_empty() && refusal.is_none();
    let content = text.or_else(|| is_silent.then(String::new));
    let mut answer =
        json!({ "role": "assistant", "content": content, "refusal": refusal, "annotations": [] });
    if let Some(thinking) = thinking {
        answer["reasoning_content"] = thinking.into();
    }
    if !calls.is_empty() {
        answer["tool_calls"] = calls.into();
    }
    let mut out = EventBuffer::new(false);
    out.raw(&head(context, message, "chat.completion"))
        .raw(r#"{"index":0,"message":"#)
        .json(&answer)
        .raw(r#","logprobs":null,"finish_reason":"#)
        .json(&message.stop().map(|stop| finish_reason(message, stop)))
        .raw(r#"}],"usage":"#)
        .raw(&usage_document(message.usage))
        .raw("}");
    out.take(out.len())
}

/// The members before the choices.
#[derive(Serialize)]
struct Envelope<'a> {
    id: String,
    object: &'a str,
    created: u64,
    model: &'a str,
    service_tier: &'a str,
    system_fingerprint: String,
}

/// A chunk or a completion as text, up to its choices.
fn head(context: &WireContext, message: &AnswerMessage, object: &str) -> String {
    let envelope = Envelope {
        id: message_id(context.request.wire, context.seed, message),
        object,
        created: ids::EPOCH + context.request.n,
        model: context.request.model(),
        service_tier: "default",
        system_fingerprint: ids::id("fp_", 10, context.seed, ""),
    };
    let mut text = serde_json::to_string(&envelope).unwrap_or_default();
    text.pop();
    text + r#","choices":["#
}

fn usage_document(used: Usage) -> String {
    let prompt = used.all_input();
    let Usage {
        output,
        cache_read,
        cache_write,
        reasoning,
        ..
    } = used;
    let total = prompt + output;
    format!(
        r#"{{"prompt_tokens":{prompt},"completion_tokens":{output},"total_tokens":{total},"prompt_tokens_details":{{"cached_tokens":{cache_read},"cache_write_tokens":{cache_write},"audio_tokens":0}},"completion_tokens_details":{{"reasoning_tokens":{reasoning},"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}}"#
    )
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

/// A refusal in words is an answer; without words the content filter has removed it.
fn finish_reason(message: &AnswerMessage, stop: Stop) -> &'static str {
    match stop {
        Stop::EndTurn | Stop::StopSequence | Stop::PauseTurn => "stop",
        Stop::ToolUse => "tool_calls",
        Stop::MaxTokens | Stop::ModelContextWindowExceeded => "length",
        Stop::Refusal if message.is_refusal() => "stop",
        Stop::Refusal => "content_filter",
    }
}
