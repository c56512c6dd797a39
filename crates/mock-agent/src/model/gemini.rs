//! Gemini wire: the body of a request.

use super::request::{MergedMessage, ModelRequest, merge_roles};
use crate::model::{ContentBlock, ResultContent, Role, arguments};
use serde_json::{Value, json};
use std::collections::HashMap;

/// What the API takes for the signature of a call that has none: <https://ai.google.dev/gemini-api/docs/thought-signatures>.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// The JSON body of a request. Over HTTP its path has the model.
pub(super) fn request_body(request: &ModelRequest<'_>) -> Value {
    let messages = merge_roles(request.messages);
    let blocks = messages.iter().flat_map(|message| &message.blocks);
    let names = blocks.filter_map(|block| match block {
        ContentBlock::Call { id, tool, .. } => Some((id.as_str(), tool.as_str())),
        _ => None,
    });
    let names: HashMap<&str, &str> = names.collect();
    let contents = messages.iter().map(|message| {
        let (role, parts) = match message.role {
            Role::User => ("user", user_parts(message, &names)),
            Role::Assistant => ("model", model_parts(message)),
        };
        json!({ "role": role, "parts": parts })
    });
    let contents: Vec<Value> = contents.collect();
    let mut body = json!({
        "model": request.model,
        "systemInstruction": { "parts": [{ "text": request.system }] },
        "contents": contents,
        "generationConfig": { "maxOutputTokens": request.max_tokens },
    });
    if !request.tools.is_empty() {
        let functions = request.tools.iter().map(|tool| {
            json!({ "name": tool.name, "description": tool.purpose, "parametersJsonSchema": tool.parameters })
        });
        body["tools"] = json!([{ "functionDeclarations": functions.collect::<Vec<_>>() }]);
    }
    body
}

fn user_parts(message: &MergedMessage<'_>, names: &HashMap<&str, &str>) -> Vec<Value> {
    let (mut parts, mut files) = (Vec::new(), Vec::new());
    for block in &message.blocks {
        match block {
            ContentBlock::Text(text) => files.push(json!({ "text": text })),
            ContentBlock::Image { media_type, data }
            | ContentBlock::Document {
                media_type, data, ..
            } => files.push(inline(media_type, data)),
            ContentBlock::Result {
                call,
                output,
                is_error,
            } => {
                let text = match output {
                    ResultContent::Text(text) => text.as_str(),
                    ResultContent::Image { media_type, data } => {
                        files.push(inline(media_type, data));
                        "The image follows."
                    }
                };
                let member = if *is_error { "error" } else { "output" };
                let name = names.get(call.as_str());
                parts.push(json!({ "functionResponse": { "id": call, "name": name, "response": { member: text } } }));
            }
            ContentBlock::Thinking { .. }
            | ContentBlock::Redacted(_)
            | ContentBlock::Call { .. } => {}
        }
    }
    parts.extend(files);
    parts
}

/// The parts of the model's message. The signature of its thinking is on the next part that is no thought.
fn model_parts(message: &MergedMessage<'_>) -> Vec<Value> {
    let (mut parts, mut signature, mut is_called) = (Vec::new(), None, false);
    for block in &message.blocks {
        let mut part = match block {
            ContentBlock::Thinking {
                text,
                signature: own,
            } => {
                signature = Some(own.as_str()).filter(|own| !own.is_empty());
                if !text.is_empty() {
                    parts.push(json!({ "text": text, "thought": true }));
                }
                continue;
            }
            ContentBlock::Text(text) => json!({ "text": text }),
            ContentBlock::Call { id, tool, args, .. } => {
                let is_first = !std::mem::replace(&mut is_called, true);
                signature = signature.or(is_first.then_some(NO_SIGNATURE));
                json!({ "functionCall": { "id": id, "name": tool, "args": arguments(args) } })
            }
            _ => continue,
        };
        if let Some(signature) = signature.take_if(|_| part["functionCall"].is_object()) {
            part["thoughtSignature"] = signature.into();
        }
        parts.push(part);
    }
    parts
}

fn inline(media_type: &str, data: &str) -> Value {
    json!({ "inlineData": { "mimeType": media_type, "data": data } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::message::Message;

    #[test]
    fn the_signature_of_thinking_is_on_the_first_call_and_a_result_has_the_name_of_its_call() {
        let call = |id: &str| ContentBlock::Call {
            id: id.to_owned(),
            tool: "Read".to_owned(),
            args: json!({ "path": id }),
            raw: None,
        };
        let thinking = ContentBlock::Thinking {
            text: "hm".to_owned(),
            signature: "c2ln".to_owned(),
        };
        let result = ContentBlock::Result {
            call: "a".to_owned(),
            output: ResultContent::Text("gone".to_owned()),
            is_error: true,
        };
        let message = |role, content| Message { role, content };
        let messages = [
            message(Role::User, vec![ContentBlock::Text("hi".to_owned())]),
            message(Role::Assistant, vec![thinking, call("a"), call("b")]),
            message(Role::User, vec![result]),
        ];
        let body = request_body(&ModelRequest {
            model: "m",
            max_tokens: 9,
            system: "",
            messages: &messages,
            tools: &[],
        });
        let called = |id: &str| json!({ "id": id, "name": "Read", "args": { "path": id } });
        let parts = json!([
            { "text": "hm", "thought": true },
            { "functionCall": called("a"), "thoughtSignature": "c2ln" },
            { "functionCall": called("b") },
        ]);
        assert_eq!(body["contents"][1]["parts"], parts);
        let response = json!({ "id": "a", "name": "Read", "response": { "error": "gone" } });
        assert_eq!(
            body["contents"][2]["parts"],
            json!([{ "functionResponse": response }])
        );
    }
}
