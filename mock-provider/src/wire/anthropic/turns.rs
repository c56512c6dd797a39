//! Groups messages into turns, as the real API does: consecutive messages of one role are one turn.
//!
//! A system message among them, which newer models accept, belongs to no turn.

use serde_json::Value;

use crate::conversation::list;

/// One block of content, with its path. Content that is a bare string is one block.
pub(super) struct RequestBlock<'a> {
    /// Such as `messages.2.content.0`.
    pub(super) path: String,
    pub(super) block: &'a Value,
}

/// Consecutive messages of one role.
pub(super) struct RoleTurn<'a> {
    /// The number of its first message.
    pub(super) first: usize,
    pub(super) assistant: bool,
    pub(super) blocks: Vec<RequestBlock<'a>>,
}

/// The blocks of a type.
pub(super) fn blocks_of_type<'t, 'a>(
    turn: &'t RoleTurn<'a>,
    kind: &'t str,
) -> impl Iterator<Item = &'t RequestBlock<'a>> {
    turn.blocks
        .iter()
        .filter(move |placed| placed.block["type"] == kind)
}

/// The turns of a request's messages.
///
/// # Errors
/// A message that is not valid, in the words of the real API.
pub(super) fn turns(body: &Value) -> Result<Vec<RoleTurn<'_>>, String> {
    let messages = list(&body["messages"]);
    let mut turns: Vec<RoleTurn> = Vec::new();
    for (i, message) in messages.iter().enumerate() {
        let assistant = match message["role"].as_str() {
            Some("user") => false,
            Some("assistant") => true,
            _ => continue,
        };
        let last = i + 1 == messages.len();
        let blocks = blocks(i, &message["content"], assistant && last)?;
        match turns.last_mut() {
            Some(turn) if turn.assistant == assistant => turn.blocks.extend(blocks),
            _ => turns.push(RoleTurn {
                first: i,
                assistant,
                blocks,
            }),
        }
    }
    Ok(turns)
}

fn blocks(i: usize, content: &Value, may_be_empty: bool) -> Result<Vec<RequestBlock<'_>>, String> {
    let empty = || {
        format!(
            "messages.{i}: all messages must have non-empty content except for the optional final assistant message"
        )
    };
    match content {
        Value::String(text) if text.is_empty() && !may_be_empty => Err(empty()),
        Value::String(_) => Ok(vec![RequestBlock {
            path: format!("messages.{i}.content.0"),
            block: content,
        }]),
        Value::Array(list) if list.is_empty() && !may_be_empty => Err(empty()),
        Value::Array(list) => {
            let placed = list.iter().enumerate().map(|(j, block)| RequestBlock {
                path: format!("messages.{i}.content.{j}"),
                block,
            });
            Ok(placed.collect())
        }
        _ => Ok(Vec::new()),
    }
}
