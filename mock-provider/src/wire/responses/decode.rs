//! Decodes answers of OpenAI Responses.

use serde_json::Value;

use crate::answer::{BlockStart, Chunk};
use crate::conversation::list;
use crate::script::{Stop, StreamError};
use crate::wire::decoder::{DecodedReply, Decoder, error, number, openai_usage, text};

/// The decoder. Each output item is a block.
#[derive(Debug, Default)]
pub(in crate::wire) struct ResponsesDecoder {
    has_calls: bool,
}

impl Decoder for ResponsesDecoder {
    fn event(&mut self, data: &Value, reply: &mut DecodedReply) -> Result<(), StreamError> {
        let index = number(data, "output_index");
        let delta = || text(data, "delta");
        match data["type"].as_str().unwrap_or_default() {
            "response.output_item.added" => reply.start(index, self.start(&data["item"])),
            "response.output_text.delta" => reply.push(Chunk::Text {
                index,
                text: delta(),
            }),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                reply.push(Chunk::Thinking {
                    index,
                    text: delta(),
                });
            }
            "response.reasoning_summary_part.added" if data["summary_index"] != 0 => {
                let text = "\n\n".to_owned();
                reply.push(Chunk::Thinking { index, text });
            }
            "response.function_call_arguments.delta" => reply.push(Chunk::Args {
                index,
                fragment: delta(),
            }),
            "response.output_item.done" => done(index, &data["item"], reply),
            "response.completed" | "response.incomplete" => self.ending(&data["response"], reply),
            "response.failed" => {
                return Err(error(&data["response"]["error"], "code", "server_error"));
            }
            "error" => return Err(error(data, "code", "server_error")),
            _ => {}
        }
        Ok(())
    }

    fn document(&mut self, document: &Value, reply: &mut DecodedReply) {
        for (index, item) in list(&document["output"]).iter().enumerate() {
            reply.start(index, self.start(item));
            for part in list(&item["content"]) {
                let text = text(part, "text");
                reply.push(Chunk::Text { index, text });
            }
            for part in list(&item["summary"]) {
                let text = text(part, "text");
                reply.push(Chunk::Thinking { index, text });
            }
            let fragment = text(item, "arguments");
            reply.push(Chunk::Args { index, fragment });
            done(index, item, reply);
        }
        self.ending(document, reply);
    }
}

impl ResponsesDecoder {
    fn start(&mut self, item: &Value) -> Option<BlockStart> {
        match item["type"].as_str()? {
            "message" => Some(BlockStart::Text),
            "reasoning" => Some(BlockStart::Thinking),
            "function_call" => {
                self.has_calls = true;
                let (id, tool) = (text(item, "call_id"), text(item, "name"));
                Some(BlockStart::Call { id, tool })
            }
            _ => None,
        }
    }

    fn ending(&self, response: &Value, reply: &mut DecodedReply) {
        if let Some(usage) = openai_usage(&response["usage"], "input_tokens", "output_tokens") {
            reply.count(usage);
        }
        reply.stop = Some(match response["incomplete_details"]["reason"].as_str() {
            Some("content_filter") => Stop::Refusal,
            Some(_) => Stop::MaxTokens,
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
