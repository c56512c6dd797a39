//! OpenAI Responses: the request's body and the stream's events.

use super::decode::Decode;
use super::parts::{Words, split};
use super::request::{Request, Said, joined};
use super::{Chunk, ModelError, Opening};
use crate::message::{Block, Role, Stop, Usage};
use serde_json::{Value, json};

/// The body to post. Nothing is kept at the provider, so that reasoning is sent back as it came.
pub(super) fn body(request: &Request<'_>) -> Value {
    let mut input = Vec::new();
    for said in joined(request.messages) {
        match said.role {
            Role::User => user(&said, &mut input),
            Role::Assistant => input.extend(said.blocks.into_iter().filter_map(item)),
        }
    }
    let mut body = json!({
        "model": request.model,
        "max_output_tokens": request.max_tokens,
        "stream": true,
        "store": false,
        "include": ["reasoning.encrypted_content"],
        "instructions": request.system,
        "input": input,
    });
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({ "type": "function", "name": tool.name, "description": tool.purpose, "parameters": tool.parameters })
        });
        body["tools"] = tools.collect();
    }
    body
}

const WORDS: Words = Words {
    result: |call, text| json!({ "type": "function_call_output", "call_id": call, "output": text }),
    text: |text| json!({ "type": "input_text", "text": text }),
    image: |url| json!({ "type": "input_image", "detail": "auto", "image_url": url }),
    file: |name, url| json!({ "type": "input_file", "filename": name, "file_data": url }),
};

fn user(said: &Said<'_>, input: &mut Vec<Value>) {
    let (results, parts) = split(said, &WORDS);
    input.extend(results);
    if !parts.is_empty() {
        input.push(json!({ "type": "message", "role": "user", "content": parts }));
    }
}

/// What the model said, as an item of the conversation. The signature of reasoning is the item that it came as.
fn item(block: &Block) -> Option<Value> {
    match block {
        Block::Text(text) => {
            let part = json!({ "type": "output_text", "text": text, "annotations": [] });
            Some(json!({ "type": "message", "role": "assistant", "content": [part] }))
        }
        Block::Thinking { signature, .. } => serde_json::from_str(signature).ok(),
        Block::Call {
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

/// Understands the stream. An item of the output is a block.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    calls: bool,
    whole: bool,
}

impl Decode for Decoder {
    fn event(&mut self, data: &str) -> Result<Vec<Chunk>, ModelError> {
        let event: Value = serde_json::from_str(data)
            .map_err(|error| ModelError::garbled(format!("The stream is not JSON: {error}")))?;
        let index = event["output_index"].as_u64().unwrap_or_default() as usize;
        let delta = || event["delta"].as_str().unwrap_or_default().to_owned();
        Ok(match event["type"].as_str().unwrap_or_default() {
            "response.output_item.added" => {
                let block = self.opening(&event["item"]);
                let start = block.map(|block| Chunk::Start { index, block });
                start.into_iter().collect()
            }
            "response.output_text.delta" => vec![Chunk::Text {
                index,
                text: delta(),
            }],
            "response.reasoning_summary_part.added" if event["summary_index"] != 0 => {
                vec![Chunk::Thinking {
                    index,
                    text: "\n\n".to_owned(),
                }]
            }
            "response.reasoning_summary_text.delta" => vec![Chunk::Thinking {
                index,
                text: delta(),
            }],
            "response.function_call_arguments.delta" => vec![Chunk::Args {
                index,
                fragment: delta(),
            }],
            "response.output_item.done" => {
                let item = &event["item"];
                let signed = (item["type"] == "reasoning").then(|| Chunk::Signature {
                    index,
                    signature: item.to_string(),
                });
                signed.into_iter().chain([Chunk::End { index }]).collect()
            }
            "response.completed" | "response.incomplete" => {
                self.whole = true;
                let response = &event["response"];
                let used = usage(&response["usage"]).map(Chunk::Usage);
                used.into_iter()
                    .chain([Chunk::Stop(self.stop(response))])
                    .collect()
            }
            "response.failed" => return Err(failure(&event["response"]["error"])),
            "error" => return Err(failure(&event)),
            _ => Vec::new(),
        })
    }

    fn whole(&self) -> bool {
        self.whole
    }

    fn finish(&mut self) -> Vec<Chunk> {
        Vec::new()
    }
}

impl Decoder {
    fn opening(&mut self, item: &Value) -> Option<Opening> {
        let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        match item["type"].as_str()? {
            "message" => Some(Opening::Text),
            "reasoning" => Some(Opening::Thinking),
            "function_call" => {
                self.calls = true;
                Some(Opening::Call {
                    id: text("call_id"),
                    tool: text("name"),
                })
            }
            _ => None,
        }
    }

    fn stop(&self, response: &Value) -> Stop {
        match response["incomplete_details"]["reason"].as_str() {
            Some("content_filter") => Stop::Refusal,
            Some(_) => Stop::MaxTokens,
            None if self.calls => Stop::ToolUse,
            None => Stop::End,
        }
    }
}

fn failure(error: &Value) -> ModelError {
    let kind = error["code"].as_str().unwrap_or("server_error");
    let message = error["message"].as_str().unwrap_or("the stream failed");
    ModelError::in_stream(kind, message)
}

/// The wire counts cached tokens among the input's.
fn usage(said: &Value) -> Option<Usage> {
    let details = &said["input_tokens_details"];
    let cached = |name: &str| details[name].as_u64().unwrap_or_default();
    let (read, written) = (cached("cached_tokens"), cached("cache_write_tokens"));
    Some(Usage {
        input: said["input_tokens"]
            .as_u64()?
            .saturating_sub(read + written),
        output: said["output_tokens"].as_u64().unwrap_or_default(),
        cache_read: read,
        cache_write: written,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;

    fn chunks(events: &[Value]) -> Vec<Chunk> {
        let mut decoder = Decoder::default();
        let chunks = events
            .iter()
            .flat_map(|event| decoder.event(&event.to_string()).unwrap())
            .collect();
        assert!(decoder.whole());
        chunks
    }

    #[test]
    fn a_call_streams_in_and_ends_the_reply() {
        let call = json!({ "type": "function_call", "call_id": "c1", "name": "bash" });
        let used = json!({ "input_tokens": 10, "output_tokens": 3, "input_tokens_details": { "cached_tokens": 4 } });

        let chunks = chunks(&[
            json!({ "type": "response.output_item.added", "output_index": 0, "item": call }),
            json!({ "type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{}" }),
            json!({ "type": "response.output_item.done", "output_index": 0, "item": call }),
            json!({ "type": "response.completed", "response": { "usage": used } }),
        ]);

        let usage = Usage {
            input: 6,
            output: 3,
            cache_read: 4,
            cache_write: 0,
        };
        assert_eq!(
            chunks,
            [
                Chunk::Start {
                    index: 0,
                    block: Opening::Call {
                        id: "c1".to_owned(),
                        tool: "bash".to_owned()
                    }
                },
                Chunk::Args {
                    index: 0,
                    fragment: "{}".to_owned()
                },
                Chunk::End { index: 0 },
                Chunk::Usage(usage),
                Chunk::Stop(Stop::ToolUse),
            ]
        );
    }

    #[test]
    fn reasoning_goes_back_as_the_item_that_it_came_as() {
        let reasoning = json!({ "type": "reasoning", "id": "rs_1", "encrypted_content": "x" });
        let events = [
            json!({ "type": "response.output_item.done", "output_index": 0, "item": reasoning }),
            json!({ "type": "response.incomplete", "response": { "incomplete_details": { "reason": "max_output_tokens" } } }),
        ];
        let chunks = chunks(&events);
        let Chunk::Signature { signature, .. } = &chunks[0] else {
            panic!("{chunks:?}");
        };
        let block = Block::Thinking {
            text: "hm".to_owned(),
            signature: signature.clone(),
        };

        let messages = [Message {
            role: Role::Assistant,
            content: vec![block],
        }];
        let asked = body(&Request {
            model: "m",
            max_tokens: 1,
            system: "s",
            messages: &messages,
            tools: &[],
        });

        assert_eq!(asked["input"], json!([reasoning]));
        assert_eq!(chunks.last(), Some(&Chunk::Stop(Stop::MaxTokens)));
    }
}
