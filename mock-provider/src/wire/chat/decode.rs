//! Decodes answers of OpenAI Chat Completions.

use serde_json::Value;

use crate::answer::{BlockStart, Chunk};
use crate::conversation::list;
use crate::script::{Stop, StreamError};
use crate::wire::decoder::{DecodedReply, Decoder, error, openai_usage, text};
use crate::wire::numbered_blocks::NumberedBlocks;

/// The decoder. The API numbers only tool calls.
#[derive(Debug, Default)]
pub(in crate::wire) struct ChatDecoder {
    blocks: NumberedBlocks,
    /// The calls, in order.
    calls: Vec<OpenCall>,
    has_refusal: bool,
}

/// A call that is not complete.
#[derive(Debug)]
struct OpenCall {
    /// Its index on the wire, which some servers leave out or repeat.
    key: Option<u64>,
    id: String,
    /// The number of its block.
    block: usize,
}

impl Decoder for ChatDecoder {
    fn event(&mut self, data: &Value, reply: &mut DecodedReply) -> Result<(), StreamError> {
        if !data["error"].is_null() {
            return Err(error(&data["error"], "type", "server_error"));
        }
        let choice = first_choice(data);
        self.content(&choice["delta"], reply);
        ending(data, choice, self.has_refusal, reply);
        Ok(())
    }

    fn document(&mut self, document: &Value, reply: &mut DecodedReply) -> Result<(), StreamError> {
        let choice = first_choice(document);
        self.content(&choice["message"], reply);
        ending(document, choice, self.has_refusal, reply);
        Ok(())
    }

    fn end(&mut self, reply: &mut DecodedReply) {
        self.blocks.close(reply);
        for call in std::mem::take(&mut self.calls) {
            reply.push(Chunk::End { index: call.block });
        }
        reply.complete();
    }
}

impl ChatDecoder {
    /// The content of a delta, or of a whole message.
    fn content(&mut self, message: &Value, reply: &mut DecodedReply) {
        let written = |member: &str| Some(text(message, member)).filter(|text| !text.is_empty());
        if let Some(text) = written("reasoning_content").or_else(|| written("reasoning")) {
            let index = self.blocks.continued(BlockStart::Thinking, reply);
            reply.push(Chunk::Thinking { index, text });
        }
        if let Some(text) = written("content") {
            let index = self.blocks.continued(BlockStart::Text, reply);
            reply.push(Chunk::Text { index, text });
        }
        if let Some(text) = written("refusal") {
            self.has_refusal = true;
            let index = self.blocks.continued(BlockStart::Text, reply);
            reply.push(Chunk::Text { index, text });
        }
        for call in list(&message["tool_calls"]) {
            let (key, id) = (call["index"].as_u64(), text(call, "id"));
            let (function, custom) = (&call["function"], &call["custom"]);
            let tool = text(function, "name") + &text(custom, "name");
            let index = self.open_call(key, &id, &tool).unwrap_or_else(|| {
                self.blocks.close(reply);
                let start = BlockStart::Call {
                    id: id.clone(),
                    tool,
                };
                let block = self.blocks.start(start, reply);
                self.calls.push(OpenCall { key, id, block });
                block
            });
            let fragment = text(function, "arguments") + &text(custom, "input");
            if !fragment.is_empty() {
                reply.push(Chunk::Args { index, fragment });
            }
        }
    }

    /// The block of the call that a fragment belongs to; none if it begins a call: it has a name, and an index or an id that is new.
    fn open_call(&self, key: Option<u64>, id: &str, tool: &str) -> Option<usize> {
        let begins = !tool.is_empty() && !id.is_empty();
        let mut calls = self.calls.iter().rev();
        let known = calls.find(|call| {
            let is_same_place = key.is_none() || call.key == key;
            is_same_place && (!begins || call.id == id)
        });
        known.map(|call| call.block)
    }
}

/// The choice that is kept: a reply of a script is one answer.
fn first_choice(data: &Value) -> &Value {
    let mut choices = list(&data["choices"]).iter();
    let first = choices.find(|choice| choice["index"].as_u64().unwrap_or_default() == 0);
    first.unwrap_or(&Value::Null)
}

/// Why the model stopped, and the usage.
fn ending(data: &Value, choice: &Value, has_refusal: bool, reply: &mut DecodedReply) {
    if let Some(reason) = choice["finish_reason"].as_str() {
        reply.stop = Some(match reason {
            "tool_calls" => Stop::ToolUse,
            "length" => Stop::MaxTokens,
            "content_filter" => Stop::Refusal,
            _ if has_refusal => Stop::Refusal,
            _ => Stop::EndTurn,
        });
    }
    if let Some(usage) = openai_usage(&data["usage"], "prompt_tokens", "completion_tokens") {
        reply.count(usage);
    }
}
