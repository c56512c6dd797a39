//! Responses of the OpenAI Responses API: the event stream, the response document, and errors.
//!
//! Source: <https://platform.openai.com/docs/api-reference/responses-streaming> and the vendor's SDKs.

use serde_json::{Map, Value, json};

use super::output_item::{ItemKind, OutputItem};
use crate::answer::{AnswerMessage, BlockStart, Chunk, Usage};
use crate::conversation::list;
use crate::ids;
use crate::request::Wire;
use crate::script::{Stop, StreamError};
use crate::wire::dispatch::message_id;
use crate::wire::encoder::{Encoder, EventBuffer, WireContext};

/// The request fields that a response repeats, with their defaults as JSON.
const REPEATED: [(&str, &str); 14] = [
    ("instructions", "null"),
    ("max_output_tokens", "null"),
    ("max_tool_calls", "null"),
    ("metadata", "{}"),
    ("parallel_tool_calls", "true"),
    ("previous_response_id", "null"),
    ("prompt_cache_key", "null"),
    ("reasoning", r#"{"effort":null,"summary":null}"#),
    ("store", "true"),
    ("temperature", "1.0"),
    ("text", r#"{"format":{"type":"text"}}"#),
    ("tool_choice", r#""auto""#),
    ("tools", "[]"),
    ("top_p", "1.0"),
];

/// The entry of `include` that asks for encrypted reasoning.
const ENCRYPTED: &str = "reasoning.encrypted_content";

/// A message as a stream of events.
pub(in crate::wire) struct ResponsesStream<'a> {
    context: &'a WireContext<'a>,
    message: &'a AnswerMessage,
    /// The output so far. The number of a block is the number of its item.
    items: Vec<OutputItem>,
    started: bool,
    sequence: u64,
    /// The number of the first event that is sent: a client goes on where it left a stream.
    first: u64,
}

/// An event without its number: type and fields.
type SseFields = (&'static str, Value);

impl<'a> ResponsesStream<'a> {
    pub(in crate::wire) fn new(context: &'a WireContext<'a>, message: &'a AnswerMessage) -> Self {
        ResponsesStream {
            context,
            message,
            items: Vec::new(),
            started: false,
            sequence: 0,
            first: context.request.first_event(),
        }
    }

    /// Numbers an event and writes it.
    fn event(&mut self, (kind, fields): SseFields, out: &mut EventBuffer) {
        let number = self.sequence;
        self.sequence += 1;
        if number < self.first {
            return;
        }
        let mut event = Map::from_iter([
            ("type".to_owned(), kind.into()),
            ("sequence_number".to_owned(), number.into()),
        ]);
        if let Value::Object(fields) = fields {
            event.extend(fields);
        }
        out.named(kind).json(&event).end();
    }

    /// The events of a chunk that is not a delta.
    fn content(&mut self, chunk: &Chunk) -> Vec<SseFields> {
        match chunk {
            Chunk::Start { index, block } => self.open(*index, block),
            Chunk::End { index } => self.close(*index),
            Chunk::Stop(stop) => {
                let (kind, status, reason) = match stop {
                    Stop::MaxTokens | Stop::ModelContextWindowExceeded => (
                        "response.incomplete",
                        "incomplete",
                        Some("max_output_tokens"),
                    ),
                    Stop::Refusal if !self.message.is_refusal() => {
                        ("response.incomplete", "incomplete", Some("content_filter"))
                    }
                    _ => ("response.completed", "completed", None),
                };
                vec![(kind, json!({ "response": self.response(status, reason) }))]
            }
            _ => Vec::new(),
        }
    }

    fn open(&mut self, index: usize, block: &BlockStart) -> Vec<SseFields> {
        let mut item = OutputItem::open(block, index, self.context, self.message);
        if is_encrypted(self.context) {
            item.encrypt(self.message.chunks());
        }
        let added = json!({ "output_index": index, "item": item.document("in_progress") });
        let part = match block {
            BlockStart::Text => Some(("response.content_part.added", "content_index")),
            BlockStart::Thinking => {
                Some(("response.reasoning_summary_part.added", "summary_index"))
            }
            _ => None,
        };
        let part =
            part.map(|(kind, member)| (kind, item.at(json!({ member: 0, "part": item.part() }))));
        self.items.push(item);
        let added = ("response.output_item.added", added);
        [added].into_iter().chain(part).collect()
    }

    /// Adds the content of a delta to its item and writes its event. None for any other chunk.
    fn delta(&mut self, chunk: &Chunk, out: &mut EventBuffer) -> Option<()> {
        let (index, text) = match chunk {
            Chunk::Text { index, text } | Chunk::Thinking { index, text } => (*index, text),
            Chunk::Args { index, fragment } => (*index, fragment),
            _ => return None,
        };
        let item = self.items.get_mut(index)?;
        let (kind, members, _) = item.kind.events();
        item.block.push(text);
        let number = self.sequence;
        self.sequence += 1;
        if number < self.first {
            return Some(());
        }
        out.named(kind)
            .raw(r#"{"type":""#)
            .raw(kind)
            .raw(r#"","sequence_number":"#)
            .json(&number)
            .raw(r#","item_id":"#)
            .json(&item.id)
            .raw(r#","output_index":"#)
            .json(&index)
            .raw(",")
            .raw(members)
            .raw(r#""delta":"#)
            .json(text)
            .raw("}")
            .end();
        Some(())
    }

    fn close(&self, index: usize) -> Vec<SseFields> {
        let Some(item) = self.items.get(index) else {
            return Vec::new();
        };
        let (text, part) = (item.block.text(), item.part());
        let (_, _, kind) = item.kind.events();
        let of_message = || {
            let fields = json!({ "content_index": 0, "part": part });
            Some(("response.content_part.done", fields))
        };
        let (whole, rest) = match (item.kind, &item.block.start) {
            (ItemKind::Text, _) => (
                json!({ "content_index": 0, "text": text, "logprobs": [] }),
                of_message(),
            ),
            (ItemKind::Refusal, _) => {
                (json!({ "content_index": 0, "refusal": text }), of_message())
            }
            (ItemKind::Reasoning, _) => {
                let fields = json!({ "summary_index": 0, "part": part });
                (
                    json!({ "summary_index": 0, "text": text }),
                    Some(("response.reasoning_summary_part.done", fields)),
                )
            }
            (ItemKind::CustomCall, _) => (json!({ "input": text }), None),
            (ItemKind::FunctionCall, BlockStart::Call { tool, .. }) => {
                (json!({ "name": tool, "arguments": text }), None)
            }
            (ItemKind::FunctionCall, _) => (json!({ "arguments": text }), None),
        };
        let is_silent = matches!(item.block.start, BlockStart::Redacted(_));
        let events = [(kind, whole)].into_iter().chain(rest);
        let events: Vec<_> = events.filter(|_| !is_silent).collect();
        let done = json!({ "output_index": index, "item": item.document("completed") });
        events
            .into_iter()
            .map(|(kind, fields)| (kind, item.at(fields)))
            .chain([("response.output_item.done", done)])
            .collect()
    }

    fn response(&self, status: &str, reason: Option<&str>) -> Value {
        let items = self.items.iter().map(|item| item.document("completed"));
        let mut response = document(self.context, self.message, status, items.collect());
        if let Some(reason) = reason {
            response["incomplete_details"] = json!({ "reason": reason });
        }
        response["usage"] = usage_document(self.message.usage);
        response
    }
}

impl Encoder for ResponsesStream<'_> {
    fn chunk(&mut self, chunk: &Chunk, out: &mut EventBuffer) {
        // A delta follows the start of its item.
        if self.delta(chunk, out).is_some() {
            return;
        }
        let content = self.content(chunk);
        if !content.is_empty() && !std::mem::replace(&mut self.started, true) {
            let response = document(self.context, self.message, "in_progress", Vec::new());
            let fields = json!({ "response": response });
            self.event(("response.created", fields.clone()), out);
            self.event(("response.in_progress", fields), out);
        }
        for event in content {
            self.event(event, out);
        }
    }

    /// `response.failed` if the response has started, else `error`.
    fn error(&mut self, StreamError { kind, message }: &StreamError, out: &mut EventBuffer) {
        let kind = error_code(kind);
        if !self.started {
            let fields = json!({ "code": kind, "message": message, "param": null });
            return self.event(("error", fields), out);
        }
        let mut response = self.response("failed", None);
        response["error"] = json!({ "code": kind, "message": message });
        response["usage"] = Value::Null;
        self.event(("response.failed", json!({ "response": response })), out);
    }

    fn ping(&self, out: &mut EventBuffer) {
        out.comment("ping");
    }
}

/// A message as one document: the response at the end of its stream.
pub(in crate::wire) fn whole(context: &WireContext, message: &AnswerMessage) -> Value {
    let mut stream = ResponsesStream::new(context, message);
    let (mut response, mut unsent) = (Value::Null, EventBuffer::new(false));
    for chunk in message.chunks() {
        stream.delta(chunk, &mut unsent);
        for (_, mut fields) in stream.content(chunk) {
            if matches!(chunk, Chunk::Stop(_)) {
                response = fields["response"].take();
            }
        }
    }
    if response.is_null() {
        stream.response("completed", None)
    } else {
        response
    }
}

fn is_encrypted(context: &WireContext) -> bool {
    let included = list(&context.request.body["include"]);
    included.iter().any(|one| one == ENCRYPTED)
}

/// The document of a response with this status and output.
pub(in crate::wire) fn document(
    context: &WireContext,
    message: &AnswerMessage,
    status: &str,
    output: Vec<Value>,
) -> Value {
    let mut response = json!({
        "id": message_id(context.request.wire, context.seed, message),
        "object": "response",
        "created_at": ids::EPOCH + context.request.n,
        "status": status,
        "background": context.request.is_in_background(),
        "error": null,
        "incomplete_details": null,
        "model": context.request.model(),
        "output": output,
    });
    for (name, usual) in REPEATED {
        let requested = &context.request.body[name];
        response[name] = if requested.is_null() {
            serde_json::from_str(usual).unwrap_or_default()
        } else {
            requested.clone()
        };
    }
    let conversation = &context.request.body["conversation"];
    if !conversation.is_null() {
        let id = conversation.get("id").unwrap_or(conversation);
        response["conversation"] = json!({ "id": id });
    }
    response["service_tier"] = "default".into();
    response["truncation"] = "disabled".into();
    response["usage"] = Value::Null;
    response
}

fn usage_document(used: Usage) -> Value {
    let all = used.all_input();
    json!({
        "input_tokens": all,
        "input_tokens_details": { "cached_tokens": used.cache_read, "cache_write_tokens": used.cache_write },
        "output_tokens": used.output,
        "output_tokens_details": { "reasoning_tokens": used.reasoning },
        "total_tokens": all + used.output,
    })
}

/// The code of an error, which this API has instead of a type.
fn error_code(kind: &str) -> String {
    match Wire::OpenAiResponses.error_words(kind) {
        (kind, _) if kind == "invalid_request_error" => "invalid_prompt".to_owned(),
        (kind, code) => code.unwrap_or(kind),
    }
}
