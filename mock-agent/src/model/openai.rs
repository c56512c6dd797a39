//! OpenAI Chat Completions: the request's body and the stream's chunks.

use super::decode::Decode;
use super::parts::{Words, split};
use super::request::{Request, Said, joined};
use super::{Chunk, ModelError, Opening};
use crate::message::{Block, Role, Stop, Usage};
use serde_json::{Map, Value, json};

/// The body to post.
pub(super) fn body(request: &Request<'_>) -> Value {
    let mut messages = vec![json!({ "role": "system", "content": request.system })];
    for said in joined(request.messages) {
        match said.role {
            Role::User => user(&said, &mut messages),
            Role::Assistant => messages.push(assistant(&said)),
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

const WORDS: Words = Words {
    result: |call, text| json!({ "role": "tool", "tool_call_id": call, "content": text }),
    text: |text| json!({ "type": "text", "text": text }),
    image: |url| json!({ "type": "image_url", "image_url": { "url": url } }),
    file: |name, url| json!({ "type": "file", "file": { "filename": name, "file_data": url } }),
};

fn user(said: &Said<'_>, messages: &mut Vec<Value>) {
    let (results, parts) = split(said, &WORDS);
    messages.extend(results);
    match parts.as_slice() {
        [] => {}
        [only] if only["type"] == "text" => {
            messages.push(json!({ "role": "user", "content": only["text"] }));
        }
        _ => messages.push(json!({ "role": "user", "content": parts })),
    }
}

fn assistant(said: &Said<'_>) -> Value {
    let mut text = String::new();
    let mut calls = Vec::new();
    for block in &said.blocks {
        match block {
            Block::Text(more) => text.push_str(more),
            Block::Call {
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

/// Understands the stream. The wire numbers only tool calls, so blocks get their numbers here.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    blocks: usize,
    /// The open text or thinking block.
    open: Option<(Kind, usize)>,
    /// The number of each call's block, by the wire's index.
    calls: Vec<(u64, usize)>,
    stop: Option<Stop>,
    /// `[DONE]` has come.
    done: bool,
    ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
}

impl Decode for Decoder {
    fn event(&mut self, data: &str) -> Result<Vec<Chunk>, ModelError> {
        if data.trim() == "[DONE]" {
            self.done = true;
            return Ok(self.finish());
        }
        let event: Value = serde_json::from_str(data)
            .map_err(|error| ModelError::garbled(format!("The stream is not JSON: {error}")))?;
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            let kind = error["type"].as_str().unwrap_or("server_error");
            let message = error["message"].as_str().unwrap_or("the stream failed");
            return Err(ModelError::in_stream(kind, message));
        }
        let mut chunks = Vec::new();
        let choice = &event["choices"][0];
        let delta = &choice["delta"];
        let thought = delta["reasoning_content"].as_str();
        if let Some(text) = thought.or(delta["reasoning"].as_str()) {
            self.say(Kind::Thinking, text, &mut chunks);
        }
        if let Some(text) = delta["content"].as_str() {
            self.say(Kind::Text, text, &mut chunks);
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.call(call, &mut chunks);
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.stop = Some(stop(reason));
        }
        chunks.extend(usage(&event["usage"]).map(Chunk::Usage));
        Ok(chunks)
    }

    fn whole(&self) -> bool {
        self.done || self.stop.is_some()
    }

    fn finish(&mut self) -> Vec<Chunk> {
        if std::mem::replace(&mut self.ended, true) {
            return Vec::new();
        }
        let mut chunks = Vec::new();
        self.close(&mut chunks);
        let calls = std::mem::take(&mut self.calls);
        chunks.extend(calls.into_iter().map(|(_, index)| Chunk::End { index }));
        chunks.push(Chunk::Stop(self.stop.unwrap_or(Stop::End)));
        chunks
    }
}

impl Decoder {
    fn close(&mut self, chunks: &mut Vec<Chunk>) {
        if let Some((_, index)) = self.open.take() {
            chunks.push(Chunk::End { index });
        }
    }

    fn next_block(&mut self) -> usize {
        self.blocks += 1;
        self.blocks - 1
    }

    fn say(&mut self, kind: Kind, text: &str, chunks: &mut Vec<Chunk>) {
        if text.is_empty() {
            return;
        }
        let index = match self.open {
            Some((open, index)) if open == kind => index,
            _ => {
                self.close(chunks);
                let index = self.next_block();
                self.open = Some((kind, index));
                let block = match kind {
                    Kind::Text => Opening::Text,
                    Kind::Thinking => Opening::Thinking,
                };
                chunks.push(Chunk::Start { index, block });
                index
            }
        };
        let text = text.to_owned();
        chunks.push(match kind {
            Kind::Text => Chunk::Text { index, text },
            Kind::Thinking => Chunk::Thinking { index, text },
        });
    }

    fn call(&mut self, call: &Value, chunks: &mut Vec<Chunk>) {
        let key = call["index"].as_u64().unwrap_or_default();
        let function = &call["function"];
        let index = match self.calls.iter().find(|(known, _)| *known == key) {
            Some((_, index)) => *index,
            None => {
                self.close(chunks);
                let index = self.next_block();
                self.calls.push((key, index));
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let block = Opening::Call {
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

/// The wire counts cached tokens among the prompt's.
fn usage(said: &Value) -> Option<Usage> {
    let prompt = said["prompt_tokens"].as_u64()?;
    let cached = said["prompt_tokens_details"]["cached_tokens"]
        .as_u64()
        .unwrap_or_default();
    Some(Usage {
        input: prompt.saturating_sub(cached),
        output: said["completion_tokens"].as_u64().unwrap_or_default(),
        cache_read: cached,
        cache_write: 0,
    })
}

fn stop(reason: &str) -> Stop {
    match reason {
        "tool_calls" => Stop::ToolUse,
        "length" => Stop::MaxTokens,
        "content_filter" => Stop::Refusal,
        _ => Stop::End,
    }
}
