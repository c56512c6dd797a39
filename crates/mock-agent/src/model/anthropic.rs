//! Anthropic Messages wire: request body, content blocks and stream decoder.

use super::error::ModelError;
use super::reply_stream::{BlockStart, Chunk, StreamDecoder};
use super::request::{ModelRequest, merge_roles};
use crate::model::message::{ContentBlock, ResultContent, Role, StopReason, Usage};
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
    let mut body = json!({
        "model": request.model,
        "max_tokens": request.max_tokens,
        "stream": true,
        "system": request.system,
        "messages": messages.collect::<Vec<_>>(),
    });
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({ "name": tool.name, "description": tool.purpose, "input_schema": tool.parameters })
        });
        body["tools"] = tools.collect();
    }
    body
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
            let input = if args.is_object() {
                args.clone()
            } else {
                json!({})
            };
            json!({ "type": "tool_use", "id": id, "name": tool, "input": input })
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

/// Decodes the stream.
#[derive(Debug, Default)]
pub(super) struct AnthropicDecoder {
    usage: Usage,
    stop: Option<StopReason>,
    complete: bool,
}

impl StreamDecoder for AnthropicDecoder {
    fn decode(&mut self, data: &str) -> Result<Vec<Chunk>, ModelError> {
        let event: Value = serde_json::from_str(data)
            .map_err(|error| ModelError::malformed(format!("The stream is not JSON: {error}")))?;
        let index = event["index"].as_u64().unwrap_or_default() as usize;
        Ok(match event["type"].as_str().unwrap_or_default() {
            "message_start" => self.usage(&event["message"]["usage"]),
            "content_block_start" => block_start(&event["content_block"])
                .into_iter()
                .map(|block| Chunk::Start { index, block })
                .chain(initial_text(index, &event["content_block"]))
                .collect(),
            "content_block_delta" => delta(index, &event["delta"]).into_iter().collect(),
            "content_block_stop" => vec![Chunk::End { index }],
            "message_delta" => {
                if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                    self.stop = Some(stop_reason(reason));
                }
                self.usage(&event["usage"])
            }
            "message_stop" => {
                self.complete = true;
                vec![Chunk::Stop(self.stop.unwrap_or(StopReason::End))]
            }
            "error" => {
                let error = &event["error"];
                return Err(ModelError::in_stream(
                    error["type"].as_str().unwrap_or("api_error"),
                    error["message"].as_str().unwrap_or("the stream failed"),
                ));
            }
            _ => Vec::new(),
        })
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn finish(&mut self) -> Vec<Chunk> {
        Vec::new()
    }
}

impl AnthropicDecoder {
    /// Usage is cumulative: each field replaces the earlier count.
    fn usage(&mut self, reported: &Value) -> Vec<Chunk> {
        for (field, slot) in [
            ("input_tokens", &mut self.usage.input),
            ("output_tokens", &mut self.usage.output),
            ("cache_read_input_tokens", &mut self.usage.cache_read),
            ("cache_creation_input_tokens", &mut self.usage.cache_write),
        ] {
            if let Some(count) = reported[field].as_u64() {
                *slot = count;
            }
        }
        vec![Chunk::Usage(self.usage)]
    }
}

fn block_start(block: &Value) -> Option<BlockStart> {
    let text = |field: &str| block[field].as_str().unwrap_or_default().to_owned();
    match block["type"].as_str()? {
        "text" => Some(BlockStart::Text),
        "thinking" => Some(BlockStart::Thinking),
        "redacted_thinking" => Some(BlockStart::Redacted(text("data"))),
        "tool_use" => Some(BlockStart::Call {
            id: text("id"),
            tool: text("name"),
        }),
        _ => None,
    }
}

/// The text that a block already has when it begins.
fn initial_text(index: usize, block: &Value) -> Option<Chunk> {
    let text = block["text"].as_str().filter(|text| !text.is_empty())?;
    Some(Chunk::Text {
        index,
        text: text.to_owned(),
    })
}

fn delta(index: usize, delta: &Value) -> Option<Chunk> {
    let text = |field: &str| delta[field].as_str().unwrap_or_default().to_owned();
    match delta["type"].as_str()? {
        "text_delta" => Some(Chunk::Text {
            index,
            text: text("text"),
        }),
        "thinking_delta" => Some(Chunk::Thinking {
            index,
            text: text("thinking"),
        }),
        "signature_delta" => Some(Chunk::Signature {
            index,
            signature: text("signature"),
        }),
        "input_json_delta" => Some(Chunk::Args {
            index,
            fragment: text("partial_json"),
        }),
        _ => None,
    }
}

fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::MaxTokens,
        "refusal" => StopReason::Refusal,
        _ => StopReason::End,
    }
}
