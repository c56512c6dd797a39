//! Answers of OpenAI Responses.

use super::builder::{Block, ReplyBuilder};
use crate::script::{ScriptedUsage, Stop, StreamError};
use serde_json::Value;

/// Reads one event of a stream.
pub(super) fn event(data: &Value, reply: &mut ReplyBuilder) {
    let number = data["output_index"].as_u64().unwrap_or_default();
    match data["type"].as_str() {
        Some("response.output_item.added") => {
            if let Some(block) = block(&data["item"]) {
                reply.open(number, block);
            }
        }
        Some(
            "response.output_text.delta"
            | "response.reasoning_summary_text.delta"
            | "response.reasoning_text.delta"
            | "response.function_call_arguments.delta",
        ) => reply.chunk(number, &data["delta"]),
        Some("response.completed" | "response.incomplete") => ending(&data["response"], reply),
        Some("response.failed") => error(&data["response"]["error"], reply),
        Some("error") => error(data, reply),
        _ => {}
    }
}

/// Reads a whole response.
pub(super) fn message(document: &Value, reply: &mut ReplyBuilder) {
    for (number, item) in (0..).zip(document["output"].as_array().into_iter().flatten()) {
        let Some(mut block) = block(item) else {
            continue;
        };
        for part in ["content", "summary"] {
            for part in item[part].as_array().into_iter().flatten() {
                block.push(part["text"].as_str().unwrap_or_default());
            }
        }
        block.push(item["arguments"].as_str().unwrap_or_default());
        reply.open(number, block);
    }
    ending(document, reply);
}

fn block(item: &Value) -> Option<Block> {
    Some(match item["type"].as_str()? {
        "message" => Block::Text(Vec::new()),
        "reasoning" => Block::Thinking {
            chunks: Vec::new(),
            signature: item["encrypted_content"].as_str().map(str::to_owned),
        },
        "function_call" => Block::Call {
            id: item["call_id"].as_str().map(str::to_owned),
            name: item["name"].as_str().unwrap_or_default().to_owned(),
            fragments: Vec::new(),
        },
        _ => return None,
    })
}

fn ending(response: &Value, reply: &mut ReplyBuilder) {
    let calls = |block: Option<&mut Block>| matches!(block, Some(Block::Call { .. }));
    reply.stop = Some(match response["incomplete_details"]["reason"].as_str() {
        Some("content_filter") => Stop::Refusal,
        Some(_) => Stop::MaxTokens,
        None if calls(reply.last()) => Stop::ToolUse,
        None => Stop::EndTurn,
    });
    let usage = &response["usage"];
    if let (Some(all), Some(output)) = (
        usage["input_tokens"].as_u64(),
        usage["output_tokens"].as_u64(),
    ) {
        let input_part = |name: &str| usage["input_tokens_details"][name].as_u64();
        let cached = input_part("cached_tokens").unwrap_or_default();
        let written = input_part("cache_write_tokens").unwrap_or_default();
        reply.usage = Some(ScriptedUsage {
            input: Some(all.saturating_sub(cached + written)),
            output: Some(output),
            cache_read: Some(cached),
            cache_write: Some(written),
            reasoning: usage["output_tokens_details"]["reasoning_tokens"].as_u64(),
        });
    }
}

fn error(document: &Value, reply: &mut ReplyBuilder) {
    let part = |name: &str| document[name].as_str().unwrap_or_default().to_owned();
    reply.error = Some(StreamError {
        kind: part("code"),
        message: part("message"),
    });
}
