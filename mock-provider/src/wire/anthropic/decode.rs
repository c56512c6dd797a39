//! Decodes answers of Anthropic Messages.

use serde_json::{Value, from_value, json};

use crate::answer::{BlockStart, Chunk, Usage};
use crate::conversation::list;
use crate::script::{Stop, StreamError};
use crate::wire::decoder::{DecodedReply, Decoder, error, number, text};

/// The decoder. The API numbers the blocks.
#[derive(Debug, Default)]
pub(in crate::wire) struct AnthropicDecoder {
    /// The block and the arguments that its start has, until deltas bring others: some servers stream none.
    input: Option<(usize, String)>,
}

impl Decoder for AnthropicDecoder {
    fn event(&mut self, data: &Value, reply: &mut DecodedReply) -> Result<(), StreamError> {
        let index = number(data, "index");
        match data["type"].as_str() {
            Some("message_start") => usage(&data["message"]["usage"], reply),
            Some("content_block_start") => {
                let block = &data["content_block"];
                start(index, block, reply);
                self.input = input(block).map(|fragment| (index, fragment));
            }
            Some("content_block_delta") => {
                let delta = &data["delta"];
                self.input = self.input.take().filter(|_| delta["partial_json"] == "");
                content(index, delta, reply);
            }
            Some("content_block_stop") => {
                if let Some((_, fragment)) = self.input.take_if(|(block, _)| *block == index) {
                    reply.push(Chunk::Args { index, fragment });
                }
                reply.push(Chunk::End { index });
            }
            Some("message_delta") => {
                stop(&data["delta"], reply);
                usage(&data["usage"], reply);
            }
            Some("message_stop") => reply.complete(),
            Some("error") => return Err(error(&data["error"], "type", "api_error")),
            _ => {}
        }
        Ok(())
    }

    fn document(&mut self, document: &Value, reply: &mut DecodedReply) -> Result<(), StreamError> {
        for (index, block) in list(&document["content"]).iter().enumerate() {
            start(index, block, reply);
            if let Some(fragment) = input(block) {
                reply.push(Chunk::Args { index, fragment });
            }
            reply.push(Chunk::End { index });
        }
        stop(document, reply);
        usage(&document["usage"], reply);
        Ok(())
    }
}

/// The arguments that stand in a block.
fn input(block: &Value) -> Option<String> {
    let input = block["input"].as_object()?;
    let is_call = block["type"] == "tool_use" && !input.is_empty();
    is_call.then(|| block["input"].to_string())
}

/// The start of a block, with the content that it begins with.
fn start(index: usize, block: &Value, reply: &mut DecodedReply) {
    let kind = match block["type"].as_str() {
        Some("text") => BlockStart::Text,
        Some("thinking") => BlockStart::Thinking,
        Some("redacted_thinking") => BlockStart::Redacted(text(block, "data")),
        Some("tool_use") => BlockStart::Call {
            id: text(block, "id"),
            tool: text(block, "name"),
        },
        _ => return,
    };
    reply.start(index, Some(kind));
    for member in ["text", "thinking", "signature"] {
        if block[member].as_str().is_some_and(|text| !text.is_empty()) {
            content(index, &json!({ member: block[member] }), reply);
        }
    }
}

/// The content in a delta.
fn content(index: usize, delta: &Value, reply: &mut DecodedReply) {
    let text = |member: &str| delta[member].as_str().map(str::to_owned);
    if let Some(text) = text("text") {
        reply.push(Chunk::Text { index, text });
    }
    if let Some(text) = text("thinking") {
        reply.push(Chunk::Thinking { index, text });
    }
    if let Some(signature) = text("signature") {
        reply.push(Chunk::Signature { index, signature });
    }
    if let Some(fragment) = text("partial_json") {
        reply.push(Chunk::Args { index, fragment });
    }
}

/// Usage is cumulative: each count replaces the earlier one.
fn usage(reported: &Value, reply: &mut DecodedReply) {
    let count = |member: &str, known: u64| reported[member].as_u64().unwrap_or(known);
    let known = reply.usage;
    if reported.is_object() {
        let thinking = reported["output_tokens_details"]["thinking_tokens"].as_u64();
        reply.count(Usage {
            input: count("input_tokens", known.input),
            output: count("output_tokens", known.output),
            cache_read: count("cache_read_input_tokens", known.cache_read),
            cache_write: count("cache_creation_input_tokens", known.cache_write),
            reasoning: thinking.unwrap_or(known.reasoning),
        });
    }
}

/// An unknown reason is the end of the turn.
fn stop(message: &Value, reply: &mut DecodedReply) {
    let reason = &message["stop_reason"];
    if reason.is_string() {
        reply.stop = Some(from_value(reason.clone()).unwrap_or(Stop::EndTurn));
    }
}
