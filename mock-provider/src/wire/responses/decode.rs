//! Decodes answers of OpenAI Responses.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::answer::{BlockStart, Chunk};
use crate::conversation::list;
use crate::script::{Stop, StreamError};
use crate::wire::decoder::{DecodedReply, Decoder, error, number, openai_usage, text};

/// The decoder. Each output item is a block.
#[derive(Debug, Default)]
pub(in crate::wire) struct ResponsesDecoder {
    has_calls: bool,
    has_refusal: bool,
    /// The items of which an event came, and whether it had content: some servers send an item only in its last event.
    items: BTreeMap<usize, bool>,
    /// The parts whose content has come, by the number of the item and their own: some servers send it only in the event of its end.
    parts: BTreeSet<(usize, usize)>,
}

impl Decoder for ResponsesDecoder {
    fn event(&mut self, data: &Value, reply: &mut DecodedReply) -> Result<(), StreamError> {
        let index = number(data, "output_index");
        let kind = data["type"].as_str().unwrap_or_default();
        if let Some(content) = ContentEvent::parse(kind, data) {
            self.content(content, reply);
            return Ok(());
        }
        match kind {
            "response.output_item.added" => self.start(index, &data["item"], reply),
            "response.reasoning_summary_part.added" if data["summary_index"] != 0 => {
                let text = "\n\n".to_owned();
                reply.push(Chunk::Thinking { index, text });
            }
            "response.output_item.done" => self.whole(index, &data["item"], reply),
            "response.completed" | "response.incomplete" => {
                let response = &data["response"];
                for (index, item) in list(&response["output"]).iter().enumerate() {
                    if !self.items.contains_key(&index) {
                        self.whole(index, item, reply);
                    }
                }
                self.ending(response, reply);
            }
            "response.failed" => {
                return Err(error(&data["response"]["error"], "code", "server_error"));
            }
            "error" => return Err(error(data, "code", "server_error")),
            _ => {}
        }
        Ok(())
    }

    fn document(&mut self, document: &Value, reply: &mut DecodedReply) -> Result<(), StreamError> {
        if document["status"] == "failed" {
            return Err(error(&document["error"], "code", "server_error"));
        }
        for (index, item) in list(&document["output"]).iter().enumerate() {
            self.whole(index, item, reply);
        }
        self.ending(document, reply);
        Ok(())
    }
}

/// An event with content of an item: a fragment, or the whole at its end.
struct ContentEvent {
    index: usize,
    /// The number of the part in the item.
    part: usize,
    chunk: Chunk,
    is_whole: bool,
    is_refusal: bool,
}

impl ContentEvent {
    fn parse(kind: &str, data: &Value) -> Option<Self> {
        let (content, is_whole) = match kind.strip_suffix(".delta") {
            Some(content) => (content, false),
            None => (kind.strip_suffix(".done")?, true),
        };
        let (member, chunk): (&str, fn(usize, String) -> Chunk) =
            match content.strip_prefix("response.")? {
                "output_text" => ("text", |index, text| Chunk::Text { index, text }),
                "refusal" => ("refusal", |index, text| Chunk::Text { index, text }),
                "reasoning_summary_text" | "reasoning_text" => {
                    ("text", |index, text| Chunk::Thinking { index, text })
                }
                "function_call_arguments" => ("arguments", |index, fragment| Chunk::Args {
                    index,
                    fragment,
                }),
                "custom_tool_call_input" => {
                    ("input", |index, fragment| Chunk::Args { index, fragment })
                }
                _ => return None,
            };
        let index = number(data, "output_index");
        let said = text(data, if is_whole { member } else { "delta" });
        if is_whole && said.is_empty() {
            return None;
        }
        Some(ContentEvent {
            index,
            part: number(data, "content_index") + number(data, "summary_index"),
            chunk: chunk(index, said),
            is_whole,
            is_refusal: content == "response.refusal",
        })
    }
}

impl ResponsesDecoder {
    /// The content of an item; the whole only if no fragment of it came.
    fn content(&mut self, event: ContentEvent, reply: &mut DecodedReply) {
        let is_new = self.parts.insert((event.index, event.part));
        if event.is_whole && (!is_new || !self.items.contains_key(&event.index)) {
            return;
        }
        self.has_refusal |= event.is_refusal;
        self.items.insert(event.index, true);
        reply.push(event.chunk);
    }

    /// The start of an item.
    fn start(&mut self, index: usize, item: &Value, reply: &mut DecodedReply) {
        self.items.insert(index, false);
        let start = match item["type"].as_str() {
            Some("message") => BlockStart::Text,
            Some("reasoning") => BlockStart::Thinking,
            Some("function_call" | "custom_tool_call") => {
                self.has_calls = true;
                let (id, tool) = (text(item, "call_id"), text(item, "name"));
                BlockStart::Call { id, tool }
            }
            _ => return,
        };
        reply.start(index, Some(start));
    }

    /// A whole item: its start and its content, as far as no event brought them, and its end.
    fn whole(&mut self, index: usize, item: &Value, reply: &mut DecodedReply) {
        if !self.items.contains_key(&index) {
            self.start(index, item, reply);
        }
        if self.items.insert(index, true) == Some(false) {
            for part in list(&item["content"]) {
                self.has_refusal |= part["type"] == "refusal";
                let text = text(part, "text") + &text(part, "refusal");
                reply.push(Chunk::Text { index, text });
            }
            for part in list(&item["summary"]) {
                let text = text(part, "text");
                reply.push(Chunk::Thinking { index, text });
            }
            let fragment = text(item, "arguments") + &text(item, "input");
            if !fragment.is_empty() {
                reply.push(Chunk::Args { index, fragment });
            }
        }
        done(index, item, reply);
    }

    fn ending(&self, response: &Value, reply: &mut DecodedReply) {
        if let Some(usage) = openai_usage(&response["usage"], "input_tokens", "output_tokens") {
            reply.count(usage);
        }
        reply.stop = Some(match response["incomplete_details"]["reason"].as_str() {
            Some("content_filter") => Stop::Refusal,
            Some(_) => Stop::MaxTokens,
            None if self.has_refusal => Stop::Refusal,
            None if self.has_calls => Stop::ToolUse,
            None => Stop::EndTurn,
        });
        reply.complete();
    }
}

/// The end of an item. A client that stores nothing at the vendor sends a reasoning item back unchanged.
fn done(index: usize, item: &Value, reply: &mut DecodedReply) {
    if item["type"] == "reasoning" {
        let signature = item.to_string();
        reply.push(Chunk::Signature { index, signature });
    }
    reply.push(Chunk::End { index });
}
