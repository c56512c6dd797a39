//! Thoughts that come back.

use super::turns::{Placed, Turn, of_type};
use crate::memory::Memory;
use crate::request::Request;

/// Where the vendor's messages send their readers.
const THINKING_PAGE: &str = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking";

/// The least budget for thinking.
const LEAST_BUDGET: u64 = 1024;

/// With thinking on, thoughts come back with their signatures, unchanged, at the head of the turn that called tools.
pub(super) fn thinking(request: &Request, turns: &[Turn], memory: &Memory) -> Result<(), String> {
    let settings = &request.body["thinking"];
    match settings["type"].as_str() {
        Some("enabled") => budget(request)?,
        Some("adaptive") => {}
        _ => return Ok(()),
    }
    for Placed { place, block } in turns.iter().flat_map(|turn| of_type(turn, "thinking")) {
        let (text, signature) = (
            block["thinking"].as_str().unwrap_or_default(),
            block["signature"].as_str().unwrap_or_default(),
        );
        match memory.thought_of(signature) {
            Some(thought) if thought == text => {}
            None if memory.signed(text, signature) => {}
            Some(_) => {
                return Err(format!(
                    "{place}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks \
                     must remain as they were in the original response."
                ));
            }
            None => return Err(format!("{place}: Invalid `signature` in `thinking` block")),
        }
    }
    let Some(last) = turns.iter().rfind(|turn| turn.assistant) else {
        return Ok(());
    };
    let Some(Placed { place, block }) = last.blocks.first() else {
        return Ok(());
    };
    let kind = block["type"].as_str().unwrap_or("text");
    let dropped = of_type(last, "tool_use").any(|placed| {
        placed.block["id"]
            .as_str()
            .is_some_and(|id| memory.thought_before(id))
    });
    if settings["type"] == "enabled" && dropped && !kind.ends_with("thinking") {
        return Err(format!(
            "{place}.type: Expected `thinking` or `redacted_thinking`, but found `{kind}`. When `thinking` is enabled, a final `assistant` \
             message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you \
             include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at \
             {THINKING_PAGE}"
        ));
    }
    Ok(())
}

fn budget(request: &Request) -> Result<(), String> {
    let Some(budget) = request.body["thinking"]["budget_tokens"].as_u64() else {
        return Err("thinking.enabled.budget_tokens: Field required".into());
    };
    if budget < LEAST_BUDGET {
        return Err(format!(
            "thinking.enabled.budget_tokens: Input should be greater than or equal to {LEAST_BUDGET}"
        ));
    }
    let interleaved = request
        .headers
        .get("anthropic-beta")
        .is_some_and(|betas| betas.contains("interleaved-thinking"));
    if !interleaved
        && request.body["max_tokens"]
            .as_u64()
            .is_some_and(|most| most <= budget)
    {
        return Err(format!(
            "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at \
             {THINKING_PAGE}#max-tokens-and-context-window-size"
        ));
    }
    Ok(())
}
