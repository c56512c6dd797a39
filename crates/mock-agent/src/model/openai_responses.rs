//! OpenAI Responses wire: the body of a request.

use super::request::{
    MergedMessage, ModelRequest, PartFormat, merge_roles, split_results, with_tools,
};
use crate::model::{ContentBlock, Role};
use serde_json::{Value, json};

/// The JSON body of a request. The provider stores nothing, so reasoning items are sent back as they were received.
pub(super) fn request_body(request: &ModelRequest<'_>) -> Value {
    let mut input = Vec::new();
    for message in merge_roles(request.messages) {
        match message.role {
            Role::User => push_user(&message, &mut input),
            Role::Assistant => input.extend(message.blocks.into_iter().filter_map(output_item)),
        }
    }
    let body = json!({
        "model": request.model,
        "max_output_tokens": request.max_tokens,
        "stream": true,
        "store": false,
        "include": ["reasoning.encrypted_content"],
        "instructions": request.system,
        "input": input,
    });
    with_tools(
        body,
        request.tools,
        |tool| json!({ "type": "function", "name": tool.name, "description": tool.purpose, "parameters": tool.parameters }),
    )
}

const FORMAT: PartFormat = PartFormat {
    result: |call, text| json!({ "type": "function_call_output", "call_id": call, "output": text }),
    text: |text| json!({ "type": "input_text", "text": text }),
    image: |url| json!({ "type": "input_image", "detail": "auto", "image_url": url }),
    file: |name, url| json!({ "type": "input_file", "filename": name, "file_data": url }),
};

fn push_user(message: &MergedMessage<'_>, input: &mut Vec<Value>) {
    let (results, parts) = split_results(message, &FORMAT);
    input.extend(results);
    if !parts.is_empty() {
        input.push(json!({ "type": "message", "role": "user", "content": parts }));
    }
}

/// A block of the model's reply as an item of the conversation. The signature of a thinking block is the reasoning item itself.
fn output_item(block: &ContentBlock) -> Option<Value> {
    match block {
        ContentBlock::Text(text) => {
            let part = json!({ "type": "output_text", "text": text, "annotations": [] });
            Some(json!({ "type": "message", "role": "assistant", "content": [part] }))
        }
        ContentBlock::Thinking { signature, .. } => serde_json::from_str(signature).ok(),
        ContentBlock::Call {
            id,
            tool,
            args,
            raw,
        } => {
            let arguments = raw.clone().unwrap_or_else(|| args.to_string());
            Some(
                json!({ "type": "function_call", "call_id": id, "name": tool, "arguments": arguments }),
            )
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::message::Message;

    #[test]
    fn a_reasoning_item_is_sent_back_unchanged() {
        let reasoning = json!({ "type": "reasoning", "id": "rs_1", "encrypted_content": "x" });
        let messages = [Message {
            role: Role::Assistant,
            content: vec![ContentBlock::Thinking {
                text: "hm".to_owned(),
                signature: reasoning.to_string(),
            }],
        }];

        let asked = request_body(&ModelRequest {
            model: "m",
            max_tokens: 1,
            system: "s",
            messages: &messages,
            tools: &[],
        });

        assert_eq!(asked["input"], json!([reasoning]));
    }
}
