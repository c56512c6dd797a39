//! Anthropic Messages wire: the body of a request and its content blocks.

use super::request::{ModelRequest, merge_roles, with_tools};
use crate::model::{ContentBlock, ResultContent, Role, arguments};
use serde_json::{Value, json};

/// The JSON body of a request.
pub(super) fn request_body(request: &ModelRequest<'_>) -> Value {
    let messages = merge_roles(request.messages).into_iter().map(|message| {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        json!({ "role": role, "content": message.blocks.into_iter().map(content_block).collect::<Vec<_>>() })
    });
    let body = json!({
        "model": request.model,
        "max_tokens": request.max_tokens,
        "stream": true,
        "system": request.system,
        "messages": messages.collect::<Vec<_>>(),
    });
    with_tools(
        body,
        request.tools,
        |tool| json!({ "name": tool.name, "description": tool.purpose, "input_schema": tool.parameters }),
    )
}

/// A content block of a message.
pub(crate) fn content_block(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Text(text) => json!({ "type": "text", "text": text }),
        ContentBlock::Thinking { text, signature } => {
            json!({ "type": "thinking", "thinking": text, "signature": signature })
        }
        ContentBlock::Redacted(data) => json!({ "type": "redacted_thinking", "data": data }),
        ContentBlock::Call { id, tool, args, .. } => {
            json!({ "type": "tool_use", "id": id, "name": tool, "input": arguments(args) })
        }
        ContentBlock::Result {
            call,
            output,
            is_error,
        } => {
            let content = match output {
                ResultContent::Text(text) => json!(text),
                ResultContent::Image { media_type, data } => json!([image(media_type, data)]),
            };
            json!({ "type": "tool_result", "tool_use_id": call, "content": content, "is_error": is_error })
        }
        ContentBlock::Image { media_type, data } => image(media_type, data),
        ContentBlock::Document {
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
