//! OpenAI Chat Completions wire: the body of a request.

use super::request::{
    MergedMessage, ModelRequest, PartFormat, merge_roles, split_results, with_tools,
};
use crate::model::{ContentBlock, Role};
use serde_json::{Map, Value, json};

/// The JSON body of a request.
pub(super) fn request_body(request: &ModelRequest<'_>) -> Value {
    let mut messages = vec![json!({ "role": "system", "content": request.system })];
    for message in merge_roles(request.messages) {
        match message.role {
            Role::User => push_user(&message, &mut messages),
            Role::Assistant => messages.push(assistant(&message)),
        }
    }
    let body = json!({
        "model": request.model,
        "max_tokens": request.max_tokens,
        "stream": true,
        "stream_options": { "include_usage": true },
        "messages": messages,
    });
    with_tools(body, request.tools, |tool| {
        let function = json!({ "name": tool.name, "description": tool.purpose, "parameters": tool.parameters });
        json!({ "type": "function", "function": function })
    })
}

const FORMAT: PartFormat = PartFormat {
    result: |call, text| json!({ "role": "tool", "tool_call_id": call, "content": text }),
    text: |text| json!({ "type": "text", "text": text }),
    image: |url| json!({ "type": "image_url", "image_url": { "url": url } }),
    file: |name, url| json!({ "type": "file", "file": { "filename": name, "file_data": url } }),
};

fn push_user(message: &MergedMessage<'_>, messages: &mut Vec<Value>) {
    let (results, parts) = split_results(message, &FORMAT);
    messages.extend(results);
    match parts.as_slice() {
        [] => {}
        [only] if only["type"] == "text" => {
            messages.push(json!({ "role": "user", "content": only["text"] }));
        }
        _ => messages.push(json!({ "role": "user", "content": parts })),
    }
}

fn assistant(merged: &MergedMessage<'_>) -> Value {
    let mut text = String::new();
    let mut calls = Vec::new();
    for block in &merged.blocks {
        match block {
            ContentBlock::Text(more) => text.push_str(more),
            ContentBlock::Call {
                id,
                tool,
                args,
                raw,
            } => {
                let arguments = raw.clone().unwrap_or_else(|| args.to_string());
                let function = json!({ "name": tool, "arguments": arguments });
                calls.push(json!({ "id": id, "type": "function", "function": function }));
            }
            _ => {}
        }
    }
    let mut message = Map::new();
    message.insert("role".into(), json!("assistant"));
    let content = (!text.is_empty() || calls.is_empty()).then_some(text);
    message.insert("content".into(), json!(content));
    if !calls.is_empty() {
        message.insert("tool_calls".into(), json!(calls));
    }
    Value::Object(message)
}
