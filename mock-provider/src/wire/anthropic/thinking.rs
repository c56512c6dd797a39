//! Validates the thinking blocks that a request sends back, and the thinking budget beside `max_tokens`.

use super::turns::{RequestBlock, RoleTurn, blocks_of_type};
use crate::headers;
use crate::ids;
use crate::request::Request;
use crate::signatures::SignatureStore;

/// The documentation page in the vendor's messages.
const THINKING_PAGE: &str = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking";

/// With thinking on, a request sends thinking blocks back unchanged, with their signatures, at the start of the turn that called
/// tools.
pub(super) fn check_thinking(
    request: &Request,
    turns: &[RoleTurn],
    signatures: &SignatureStore,
) -> Result<(), String> {
    let settings = &request.body["thinking"];
    match settings["type"].as_str() {
        Some("enabled") => check_budget(request)?,
        Some("adaptive") => {}
        _ => return Ok(()),
    }
    for RequestBlock { path, block } in turns
        .iter()
        .flat_map(|turn| blocks_of_type(turn, "thinking"))
    {
        let (text, signature) = (
            block["thinking"].as_str().unwrap_or_default(),
            block["signature"].as_str().unwrap_or_default(),
        );
        match signatures.thinking_of(signature) {
            Some(known) if known == text => {}
            None if ids::signature(text) == signature => {}
            Some(_) => {
                return Err(format!(
                    "{path}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks \
                     must remain as they were in the original response."
                ));
            }
            None => return Err(format!("{path}: Invalid `signature` in `thinking` block")),
        }
    }
    let Some(last) = turns.iter().rfind(|turn| turn.assistant) else {
        return Ok(());
    };
    let Some(RequestBlock { path, block }) = last.blocks.first() else {
        return Ok(());
    };
    let kind = block["type"].as_str().unwrap_or("text");
    let dropped = blocks_of_type(last, "tool_use").any(|placed| {
        placed.block["id"]
            .as_str()
            .is_some_and(|id| signatures.has_thinking_before(id))
    });
    if settings["type"] == "enabled" && dropped && !kind.ends_with("thinking") {
        return Err(format!(
            "{path}.type: Expected `thinking` or `redacted_thinking`, but found `{kind}`. When `thinking` is enabled, a final `assistant` \
             message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you \
             include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at \
             {THINKING_PAGE}"
        ));
    }
    Ok(())
}

fn check_budget(request: &Request) -> Result<(), String> {
    let budget = request.body["thinking"]["budget_tokens"]
        .as_u64()
        .unwrap_or_default();
    let betas = headers::text(&request.headers, "anthropic-beta");
    let interleaved = betas.is_some_and(|betas| betas.contains("interleaved-thinking"));
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
