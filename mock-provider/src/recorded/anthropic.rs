//! Answers of Anthropic Messages.

use super::builder::{Block, ReplyBuilder};
use crate::script::{ScriptedUsage, Stop, StreamError};
use serde_json::Value;

/// Reads one event of a stream.
pub(super) fn event(data: &Value, reply: &mut ReplyBuilder) {
    let number = data["index"].as_u64().unwrap_or_default();
    match data["type"].as_str() {
        Some("message_start") => usage(&data["message"]["usage"], reply),
        Some("content_block_start") => {
            if let Some(block) = block(&data["content_block"]) {
                reply.open(number, block);
            }
        }
        Some("content_block_delta") => {
            let delta = &data["delta"];
            for name in ["text", "thinking", "partial_json"] {
                reply.chunk(number, &delta[name]);
            }
            if let (Some(Block::Thinking { signature, .. }), Some(whole)) =
                (reply.block(number), delta["signature"].as_str())
            {
                *signature = Some(whole.to_owned());
            }
        }
        Some("message_delta") => {
            reply.stop = stop(&data["delta"]["stop_reason"]);
            usage(&data["usage"], reply);
        }
        Some("error") => {
            let part = |name: &str| data["error"][name].as_str().unwrap_or_default().to_owned();
            reply.error = Some(StreamError {
                kind: part("type"),
                message: part("message"),
            });
        }
        _ => {}
    }
}

/// Reads a whole message.
pub(super) fn message(document: &Value, reply: &mut ReplyBuilder) {
    for (number, content) in (0..).zip(document["content"].as_array().into_iter().flatten()) {
        let Some(mut block) = block(content) else {
            continue;
        };
        if let (Block::Call { .. }, input) = (&block, &content["input"])
            && *input != serde_json::json!({})
        {
            block.push(&input.to_string());
        }
        reply.open(number, block);
    }
    reply.stop = stop(&document["stop_reason"]);
    usage(&document["usage"], reply);
}

/// A block, with the text that it begins with.
fn block(content: &Value) -> Option<Block> {
    let part = |name: &str| content[name].as_str().unwrap_or_default().to_owned();
    let mut block = match content["type"].as_str()? {
        "text" => Block::Text(Vec::new()),
        "thinking" => Block::Thinking {
            chunks: Vec::new(),
            signature: Some(part("signature")).filter(|signature| !signature.is_empty()),
        },
        "redacted_thinking" => Block::Redacted(part("data")),
        "tool_use" => Block::Call {
            id: content["id"].as_str().map(str::to_owned),
            name: part("name"),
            fragments: Vec::new(),
        },
        _ => return None,
    };
    block.push(&part("text"));
    block.push(&part("thinking"));
    Some(block)
}

/// Takes the counts that a usage has.
fn usage(document: &Value, reply: &mut ReplyBuilder) {
    if !document.is_object() {
        return;
    }
    let known = reply.usage.unwrap_or_default();
    let count = |name: &str, known: Option<u64>| document[name].as_u64().or(known);
    let thinking = document["output_tokens_details"]["thinking_tokens"].as_u64();
    reply.usage = Some(ScriptedUsage {
        input: count("input_tokens", known.input),
        output: count("output_tokens", known.output),
        cache_read: count("cache_read_input_tokens", known.cache_read),
        cache_write: count("cache_creation_input_tokens", known.cache_write),
        reasoning: thinking.or(known.reasoning),
    });
}

fn stop(reason: &Value) -> Option<Stop> {
    Some(match reason.as_str()? {
        "tool_use" => Stop::ToolUse,
        "max_tokens" => Stop::MaxTokens,
        "stop_sequence" => Stop::StopSequence,
        "refusal" => Stop::Refusal,
        "pause_turn" => Stop::PauseTurn,
        _ => Stop::EndTurn,
    })
}
