//! Decodes answers of Gemini.

use serde_json::Value;

use crate::answer::{BlockStart, Chunk, Usage};
use crate::conversation::list;
use crate::ids;
use crate::script::{Stop, StreamError};
use crate::wire::decoder::{DecodedReply, Decoder, error, text};
use crate::wire::numbered_blocks::NumberedBlocks;

/// The decoder.
#[derive(Debug, Default)]
pub(in crate::wire) struct GeminiDecoder {
    blocks: NumberedBlocks,
    /// The number of the newest thinking block.
    thinking: Option<usize>,
    has_calls: bool,
}

impl Decoder for GeminiDecoder {
    fn event(&mut self, data: &Value, reply: &mut DecodedReply) -> Result<(), StreamError> {
        if !data["error"].is_null() {
            return Err(error(&data["error"], "status", "INTERNAL"));
        }
        self.response(data, reply);
        Ok(())
    }

    fn document(&mut self, document: &Value, reply: &mut DecodedReply) -> Result<(), StreamError> {
        self.response(document, reply);
        self.blocks.close(reply);
        Ok(())
    }

    fn end(&mut self, reply: &mut DecodedReply) {
        self.blocks.close(reply);
        reply.complete();
    }
}

impl GeminiDecoder {
    fn response(&mut self, response: &Value, reply: &mut DecodedReply) {
        let mut candidates = list(&response["candidates"]).iter();
        let first = candidates.find(|one| one["index"].as_u64().unwrap_or_default() == 0);
        let candidate = first.unwrap_or(&Value::Null);
        for part in list(&candidate["content"]["parts"]) {
            self.part(part, reply);
        }
        if let Some(usage) = usage(&response["usageMetadata"]) {
            reply.count(usage);
        }
        let reason = candidate["finishReason"].as_str();
        if let Some(reason) = reason.or(response["promptFeedback"]["blockReason"].as_str()) {
            reply.stop = Some(match reason {
                "MAX_TOKENS" => Stop::MaxTokens,
                "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
                | "IMAGE_SAFETY" => Stop::Refusal,
                _ if self.has_calls => Stop::ToolUse,
                _ => Stop::EndTurn,
            });
        }
    }

    fn part(&mut self, part: &Value, reply: &mut DecodedReply) {
        let signature = text(part, "thoughtSignature");
        let call = &part["functionCall"];
        if call.is_object() {
            self.has_calls = true;
            self.blocks.close(reply);
            let (id, tool) = (text(call, "id"), text(call, "name"));
            if signature != ids::signature(&tool) {
                self.sign(signature, reply);
            }
            let index = self.blocks.start(BlockStart::Call { id, tool }, reply);
            let fragment = match &call["args"] {
                Value::Null => "{}".to_owned(),
                args => args.to_string(),
            };
            reply.push(Chunk::Args { index, fragment });
            reply.push(Chunk::End { index });
            return;
        }
        let text = text(part, "text");
        if !text.is_empty() && part["thought"] == true {
            let index = self.blocks.continued(BlockStart::Thinking, reply);
            self.thinking = Some(index);
            reply.push(Chunk::Thinking { index, text });
        } else if !text.is_empty() {
            let index = self.blocks.continued(BlockStart::Text, reply);
            reply.push(Chunk::Text { index, text });
        }
        self.sign(signature, reply);
    }

    /// Gives a signature to the newest thinking. Without any, as if the client asked for no thoughts, it is one without text.
    fn sign(&mut self, signature: String, reply: &mut DecodedReply) {
        if signature.is_empty() {
            return;
        }
        let index = *self.thinking.get_or_insert_with(|| {
            self.blocks.close(reply);
            let index = self.blocks.start(BlockStart::Thinking, reply);
            reply.push(Chunk::End { index });
            index
        });
        reply.push(Chunk::Signature { index, signature });
    }
}

/// The usage. Cached tokens are among those of the prompt, thoughts are not among those of the candidates.
fn usage(reported: &Value) -> Option<Usage> {
    let count = |member: &str| reported[member].as_u64().unwrap_or_default();
    let (cached, thoughts) = (
        count("cachedContentTokenCount"),
        count("thoughtsTokenCount"),
    );
    Some(Usage {
        input: reported["promptTokenCount"]
            .as_u64()?
            .saturating_sub(cached),
        output: count("candidatesTokenCount") + thoughts,
        cache_read: cached,
        cache_write: 0,
        reasoning: thoughts,
    })
}
