//! Answers of OpenAI Chat Completions.

use super::builder::{Block, ReplyBuilder};
use crate::script::{ScriptedUsage, Stop, StreamError};
use serde_json::Value;

/// The number of text and thinking blocks, which have none; the calls are numbered from 1.
const UNNUMBERED: u64 = 0;

/// Reads one event of a stream.
pub(super) fn event(data: &Value, reply: &mut ReplyBuilder) {
    let choice = &data["choices"][0];
    content(&choice["delta"], reply);
    ending(data, choice, reply);
}

/// Reads a whole message.
pub(super) fn message(document: &Value, reply: &mut ReplyBuilder) {
    let choice = &document["choices"][0];
    content(&choice["message"], reply);
    ending(document, choice, reply);
}

/// The part of a message, or the whole.
fn content(delta: &Value, reply: &mut ReplyBuilder) {
    if let Some(chunk) = delta["reasoning_content"]
        .as_str()
        .filter(|chunk| !chunk.is_empty())
    {
        if !matches!(reply.last(), Some(Block::Thinking { .. })) {
            let chunks = Vec::new();
            reply.open(
                UNNUMBERED,
                Block::Thinking {
                    chunks,
                    signature: None,
                },
            );
        }
        reply.chunk(UNNUMBERED, &chunk.into());
    }
    if let Some(chunk) = delta["content"].as_str().filter(|chunk| !chunk.is_empty()) {
        if !matches!(reply.last(), Some(Block::Text(_))) {
            reply.open(UNNUMBERED, Block::Text(Vec::new()));
        }
        reply.chunk(UNNUMBERED, &chunk.into());
    }
    for call in delta["tool_calls"].as_array().into_iter().flatten() {
        let number = 1 + call["index"].as_u64().unwrap_or_default();
        if let Some(name) = call["function"]["name"].as_str() {
            let block = Block::Call {
                id: call["id"].as_str().map(str::to_owned),
                name: name.to_owned(),
                fragments: Vec::new(),
            };
            reply.open(number, block);
        }
        reply.chunk(number, &call["function"]["arguments"]);
    }
}

fn ending(data: &Value, choice: &Value, reply: &mut ReplyBuilder) {
    if let Some(reason) = choice["finish_reason"].as_str() {
        reply.stop = Some(match reason {
            "tool_calls" => Stop::ToolUse,
            "length" => Stop::MaxTokens,
            "content_filter" => Stop::Refusal,
            _ => Stop::EndTurn,
        });
    }
    let usage = &data["usage"];
    if let (Some(prompt), Some(output)) = (
        usage["prompt_tokens"].as_u64(),
        usage["completion_tokens"].as_u64(),
    ) {
        let prompt_part = |name: &str| usage["prompt_tokens_details"][name].as_u64();
        let cached = prompt_part("cached_tokens").unwrap_or_default();
        let written = prompt_part("cache_write_tokens").unwrap_or_default();
        reply.usage = Some(ScriptedUsage {
            input: Some(prompt.saturating_sub(cached + written)),
            output: Some(output),
            cache_read: Some(cached),
            cache_write: Some(written),
            reasoning: usage["completion_tokens_details"]["reasoning_tokens"].as_u64(),
        });
    }
    if let Some(error) = data["error"].as_object() {
        let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
        reply.error = Some(StreamError {
            kind: part("type").to_owned(),
            message: part("message").to_owned(),
        });
    }
}
