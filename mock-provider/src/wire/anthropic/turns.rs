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
            Some("system") => continue,
            Some(_) => {
                return Err(format!(
                    "messages.{i}.role: Input should be 'user', 'assistant' or 'system'"
                ));
            }
            None => return Err(format!("messages.{i}.role: Field required")),
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
        Value::Null => Err(format!("messages.{i}.content: Field required")),
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
            placed
                .map(|placed| block(&placed).map(|()| placed))
                .collect()
        }
        _ => Err(format!(
            "messages.{i}.content: Input should be a valid list"
        )),
    }
}

/// The required fields of each type of block.
const REQUIRED_FIELDS: [(&str, &[&str]); 5] = [
    ("text", &["text"]),
    ("thinking", &["thinking", "signature"]),
    ("redacted_thinking", &["data"]),
    ("tool_use", &["id", "name", "input"]),
    ("tool_result", &["tool_use_id"]),
];

fn block(RequestBlock { path, block }: &RequestBlock) -> Result<(), String> {
    let Some(kind) = block["type"].as_str() else {
        return Err(format!("{path}.type: Field required"));
    };
    let fields = REQUIRED_FIELDS
        .iter()
        .find(|(known, _)| *known == kind)
        .map_or(&[][..], |(_, fields)| *fields);
    if let Some(missing) = fields.iter().find(|field| block[**field].is_null()) {
        return Err(format!("{path}.{kind}.{missing}: Field required"));
    }
    if kind == "tool_use" && !block["input"].is_object() {
        return Err(format!(
            "{path}.tool_use.input: Input should be a valid dictionary"
        ));
    }
    match block["text"].as_str() {
        Some("") if kind == "text" => Err("messages: text content blocks must be non-empty".into()),
        Some(text) if kind == "text" && text.trim().is_empty() => {
            Err("messages: text content blocks must contain non-whitespace text".into())
        }
        _ => Ok(()),
    }
}
