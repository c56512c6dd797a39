//! The conversation as `get_messages` tells it.

use crate::model::anthropic;
use crate::model::message::{Block, Message, Role};
use serde_json::{Value, json};

pub(super) fn told(messages: &[Message]) -> Vec<Value> {
    messages.iter().map(message).collect()
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let content = match (message.role, message.content.as_slice()) {
        (Role::User, [Block::Text(text)]) => json!(text),
        (_, blocks) => blocks.iter().map(block).collect(),
    };
    json!({ "role": role, "content": content })
}

/// A block as the model's API has it, but for arguments, which stand as the model wrote them.
fn block(block: &Block) -> Value {
    let mut told = anthropic::content_block(block);
    match block {
        Block::Call { args, raw, .. } => {
            told["input"] = raw.as_ref().map_or_else(|| args.clone(), |raw| json!(raw));
        }
        Block::Result {
            is_error: false, ..
        } => {
            told.as_object_mut()
                .and_then(|told| told.shift_remove("is_error"));
        }
        _ => {}
    }
    told
}
