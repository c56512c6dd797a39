//! The conversation as `get_messages` tells it.

use crate::agent::message::{Block, Message, ResultContent, Role};
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

fn block(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({ "type": "text", "text": text }),
        Block::Thinking { text, signature } => {
            json!({ "type": "thinking", "thinking": text, "signature": signature })
        }
        Block::Redacted(data) => json!({ "type": "redacted_thinking", "data": data }),
        Block::Call {
            id,
            tool,
            args,
            raw,
        } => {
            let input = raw.as_ref().map_or_else(|| args.clone(), |raw| json!(raw));
            json!({ "type": "tool_use", "id": id, "name": tool, "input": input })
        }
        Block::Result {
            call,
            output,
            is_error,
        } => {
            let content = match output {
                ResultContent::Text(text) => json!(text),
                ResultContent::Image { media_type, data } => json!([image(media_type, data)]),
            };
            let mut told =
                json!({ "type": "tool_result", "tool_use_id": call, "content": content });
            if *is_error {
                told["is_error"] = json!(true);
            }
            told
        }
        Block::Image { media_type, data } => image(media_type, data),
        Block::Document {
            name,
            media_type,
            data,
        } => {
            json!({ "type": "document", "title": name, "source": source(media_type, data) })
        }
    }
}

fn image(media_type: &str, data: &str) -> Value {
    json!({ "type": "image", "source": source(media_type, data) })
}

fn source(media_type: &str, data: &str) -> Value {
    json!({ "type": "base64", "media_type": media_type, "data": data })
}
