//! Decodes answers of OpenAI Chat Completions.

use serde_json::Value;

use crate::answer::{BlockStart, Chunk};
use crate::conversation::list;
use crate::script::{Stop, StreamError};
use crate::wire::decoder::{DecodedReply, Decoder, error, openai_usage, text};

/// The decoder. The API numbers only tool calls, so the decoder numbers the blocks.
#[derive(Debug, Default)]
pub(in crate::wire) struct ChatDecoder {
    blocks: usize,
    /// The open text or thinking block.
    open: Option<(BlockStart, usize)>,
    /// The block number of each call, by its index on the wire.
    calls: Vec<(u64, usize)>,
}

impl Decoder for ChatDecoder {
    fn event(&mut self, data: &Value, reply: &mut DecodedReply) -> Result<(), StreamError> {
        if !data["error"].is_null() {
            return Err(error(&data["error"], "type", "server_error"));
        }
        let choice = &data["choices"][0];
        self.content(&choice["delta"], reply);
        ending(data, choice, reply);
        Ok(())
    }

    fn document(&mut self, document: &Value, reply: &mut DecodedReply) {
        let choice = &document["choices"][0];
        self.content(&choice["message"], reply);
        ending(document, choice, reply);
    }

    fn end(&mut self, reply: &mut DecodedReply) {
        self.close(reply);
        for (_, index) in std::mem::take(&mut self.calls) {
            reply.push(Chunk::End { index });
        }
        reply.complete();
    }
}

impl ChatDecoder {
    /// The content of a delta, or of a whole message.
    fn content(&mut self, message: &Value, reply: &mut DecodedReply) {
        let written = |member: &str| Some(text(message, member)).filter(|text| !text.is_empty());
        if let Some(text) = written("reasoning_content").or_else(|| written("reasoning")) {
            let index = self.block(BlockStart::Thinking, reply);
            reply.push(Chunk::Thinking { index, text });
        }
        if let Some(text) = written("content") {
            let index = self.block(BlockStart::Text, reply);
            reply.push(Chunk::Text { index, text });
        }
        for (place, call) in (0..).zip(list(&message["tool_calls"])) {
            let key = call["index"].as_u64().unwrap_or(place);
            let known = self.calls.iter().find(|(known, _)| *known == key);
            let index = known.map(|(_, index)| *index).unwrap_or_else(|| {
                self.close(reply);
                let id = text(call, "id");
                let tool = text(&call["function"], "name");
                let index = self.start(BlockStart::Call { id, tool }, reply);
                self.calls.push((key, index));
                index
            });
            let fragment = text(&call["function"], "arguments");
            if !fragment.is_empty() {
                reply.push(Chunk::Args { index, fragment });
            }
        }
    }

    /// The number of the open block, if it is of this kind, or of a new one.
    fn block(&mut self, block: BlockStart, reply: &mut DecodedReply) -> usize {
        match &self.open {
            Some((open, index)) if *open == block => *index,
            _ => {
                self.close(reply);
                let index = self.start(block.clone(), reply);
                self.open = Some((block, index));
                index
            }
        }
    }

    fn start(&mut self, block: BlockStart, reply: &mut DecodedReply) -> usize {
        self.blocks += 1;
        reply.start(self.blocks - 1, Some(block));
        self.blocks - 1
    }

    fn close(&mut self, reply: &mut DecodedReply) {
        if let Some((_, index)) = self.open.take() {
            reply.push(Chunk::End { index });
        }
    }
}

/// Why the model stopped, and the usage.
fn ending(data: &Value, choice: &Value, reply: &mut DecodedReply) {
    if let Some(reason) = choice["finish_reason"].as_str() {
        reply.stop = Some(match reason {
            "tool_calls" => Stop::ToolUse,
            "length" => Stop::MaxTokens,
            "content_filter" => Stop::Refusal,
            _ => Stop::EndTurn,
        });
    }
    if let Some(usage) = openai_usage(&data["usage"], "prompt_tokens", "completion_tokens") {
        reply.count(usage);
    }
}
