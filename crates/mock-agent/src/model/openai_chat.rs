//! OpenAI Chat Completions wire: request body and stream decoder.

use super::error::ModelError;
use super::reply_stream::{BlockStart, Chunk, StreamDecoder};
use super::request::{MergedMessage, ModelRequest, PartFormat, merge_roles, split_results};
use crate::model::message::{ContentBlock, Role, StopReason, Usage};
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
    let mut body = json!({
        "model": request.model,
        "max_tokens": request.max_tokens,
        "stream": true,
        "stream_options": { "include_usage": true },
        "messages": messages,
    });
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let function = json!({ "name": tool.name, "description": tool.purpose, "parameters": tool.parameters });
            json!({ "type": "function", "function": function })
        });
        body["tools"] = tools.collect();
    }
    body
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

/// Decodes the stream. The wire numbers only tool calls, so the decoder numbers the blocks.
#[derive(Debug, Default)]
pub(super) struct ChatDecoder {
    blocks: usize,
    /// The open text or thinking block.
    open: Option<(OpenBlock, usize)>,
    /// The block number of each call, by the wire's index.
    calls: Vec<(u64, usize)>,
    stop: Option<StopReason>,
    /// `[DONE]` has been received.
    done: bool,
    ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenBlock {
    Text,
    Thinking,
}

impl StreamDecoder for ChatDecoder {
    fn decode(&mut self, data: &str) -> Result<Vec<Chunk>, ModelError> {
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(self.finish());
        }
        let event: Value = serde_json::from_str(data)
            .map_err(|error| ModelError::malformed(format!("The stream is not JSON: {error}")))?;
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            let kind = error["type"].as_str().unwrap_or("server_error");
            let message = error["message"].as_str().unwrap_or("the stream failed");
            return Err(ModelError::in_stream(kind, message));
        }
        let mut chunks = Vec::new();
        let choice = &event["choices"][0];
        let delta = &choice["delta"];
        let thinking = delta["reasoning_content"].as_str();
        if let Some(text) = thinking.or(delta["reasoning"].as_str()) {
            self.push_text(OpenBlock::Thinking, text, &mut chunks);
        }
        if let Some(text) = delta["content"].as_str() {
            self.push_text(OpenBlock::Text, text, &mut chunks);
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.push_call(call, &mut chunks);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.stop = Some(stop_reason(reason));
        }
        chunks.extend(usage(&event["usage"]).map(Chunk::Usage));
        Ok(chunks)
    }

    fn is_complete(&self) -> bool {
        self.done || self.stop.is_some()
    }

    fn finish(&mut self) -> Vec<Chunk> {
        if std::mem::replace(&mut self.ended, true) {
            return Vec::new();
        }
        let mut chunks = Vec::new();
        self.close_block(&mut chunks);
        let calls = std::mem::take(&mut self.calls);
        chunks.extend(calls.into_iter().map(|(_, index)| Chunk::End { index }));
        chunks.push(Chunk::Stop(self.stop.unwrap_or(StopReason::End)));
        chunks
    }
}

impl ChatDecoder {
    fn close_block(&mut self, chunks: &mut Vec<Chunk>) {
        if let Some((_, index)) = self.open.take() {
            chunks.push(Chunk::End { index });
        }
    }

    fn next_block(&mut self) -> usize {
        self.blocks += 1;
        self.blocks - 1
    }

    fn push_text(&mut self, kind: OpenBlock, text: &str, chunks: &mut Vec<Chunk>) {
        if text.is_empty() {
            return;
        }
        let index = match self.open {
            Some((open, index)) if open == kind => index,
            _ => {
                self.close_block(chunks);
                let index = self.next_block();
                self.open = Some((kind, index));
                let block = match kind {
                    OpenBlock::Text => BlockStart::Text,
                    OpenBlock::Thinking => BlockStart::Thinking,
                };
                chunks.push(Chunk::Start { index, block });
                index
            }
        };
        let text = text.to_owned();
        chunks.push(match kind {
            OpenBlock::Text => Chunk::Text { index, text },
            OpenBlock::Thinking => Chunk::Thinking { index, text },
        });
    }

    fn push_call(&mut self, call: &Value, chunks: &mut Vec<Chunk>) {
        let key = call["index"].as_u64().unwrap_or_default();
        let function = &call["function"];
        let index = match self.calls.iter().find(|(known, _)| *known == key) {
            Some((_, index)) => *index,
            None => {
                self.close_block(chunks);
                let index = self.next_block();
                self.calls.push((key, index));
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let block = BlockStart::Call {
                    id: text(&call["id"]),
                    tool: text(&function["name"]),
                };
                chunks.push(Chunk::Start { index, block });
                index
            }
        };
        if let Some(fragment) = function["arguments"].as_str().filter(|f| !f.is_empty()) {
            let fragment = fragment.to_owned();
            chunks.push(Chunk::Args { index, fragment });
        }
    }
}

/// Token usage. The wire counts cached tokens as prompt tokens too.
fn usage(reported: &Value) -> Option<Usage> {
    let prompt = reported["prompt_tokens"].as_u64()?;
    let cached = reported["prompt_tokens_details"]["cached_tokens"]
        .as_u64()
        .unwrap_or_default();
    Some(Usage {
        input: prompt.saturating_sub(cached),
        output: reported["completion_tokens"].as_u64().unwrap_or_default(),
        cache_read: cached,
        cache_write: 0,
    })
}

fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "tool_calls" => StopReason::ToolUse,
        "length" => StopReason::MaxTokens,
        "content_filter" => StopReason::Refusal,
        _ => StopReason::End,
    }
}
