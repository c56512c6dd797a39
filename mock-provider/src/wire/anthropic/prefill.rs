//! Validates a final assistant message, which the model continues ("prefill").

use serde_json::Value;

use super::turns::RoleTurn;
use crate::request::Request;

/// How the models without prefill begin: <https://platform.claude.com/docs/en/api/errors#prefill-not-supported>,
/// <https://github.com/QwenLM/qwen-code/issues/8039>.
const WITHOUT_PREFILL: [&str; 10] = [
    "claude-opus-4-6",
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-sonnet-4-6",
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-haiku-5",
    "claude-fable-5",
    "claude-mythos-5",
    "claude-mythos-preview",
];

/// A message that ends with blocks of the API's own tools goes on with a paused turn, which is no prefill:
/// <https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons>.
pub(super) fn check_prefill(request: &Request, turns: &[RoleTurn]) -> Result<(), String> {
    let body = &request.body;
    let last_message = body["messages"].as_array().and_then(|list| list.last());
    let Some(turn) = turns.last().filter(|turn| turn.assistant) else {
        return Ok(());
    };
    if last_message.is_none_or(|message| message["role"] != "assistant")
        || turn.blocks.iter().any(|placed| is_of_server(placed.block))
    {
        return Ok(());
    }
    let model = request.model();
    let thinks = body["thinking"]["type"] == "enabled";
    let may_continue = body["fallback_credit_token"].is_null() && body["thread"].is_null();
    if may_continue
        && WITHOUT_PREFILL
            .iter()
            .any(|prefix| model.starts_with(prefix))
    {
        return Err("This model does not support assistant message prefill. The conversation must end with a user message.".into());
    }
    if may_continue && thinks {
        // https://platform.claude.com/docs/en/build-with-claude/extended-thinking#feature-compatibility
        return Err("Prefilling assistant messages is not supported when thinking is enabled. The conversation must end with a user message.".into());
    }
    let last = turn.blocks.last().map(|placed| placed.block);
    let text = last.and_then(|block| block.as_str().or(block["text"].as_str()));
    if text.is_some_and(|text| text.ends_with(char::is_whitespace)) {
        // https://github.com/tailcallhq/forgecode/issues/1872
        return Err("messages: final assistant content cannot end with trailing whitespace".into());
    }
    Ok(())
}

fn is_of_server(block: &Value) -> bool {
    let kind = block["type"].as_str().unwrap_or("text");
    !matches!(kind, "text" | "thinking" | "redacted_thinking" | "tool_use")
}
