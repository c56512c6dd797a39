//! OpenAI Responses wire: request body and stream decoder.

use super::error::ModelError;
use super::reply_stream::{BlockStart, Chunk, StreamDecoder};
use super::request::{MergedMessage, ModelRequest, PartFormat, merge_roles, split_results};
use crate::model::message::{ContentBlock, Role, StopReason, Usage};
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

/// Decodes the stream. Each output item is a block.
#[derive(Debug, Default)]
pub(super) struct ResponsesDecoder {
    has_calls: bool,
    complete: bool,
}

impl StreamDecoder for ResponsesDecoder {
    fn decode(&mut self, data: &str) -> Result<Vec<Chunk>, ModelError> {
        let event: Value = serde_json::from_str(data)
            .map_err(|error| ModelError::malformed(format!("The stream is not JSON: {error}")))?;
        let index = event["output_index"].as_u64().unwrap_or_default() as usize;
        let delta = || event["delta"].as_str().unwrap_or_default().to_owned();
        Ok(match event["type"].as_str().unwrap_or_default() {
            "response.output_item.added" => {
                let block = self.block_start(&event["item"]);
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
                self.complete = true;
                let response = &event["response"];
                let usage = usage(&response["usage"]).map(Chunk::Usage);
                usage
                    .into_iter()
                    .chain([Chunk::Stop(self.stop_reason(response))])
                    .collect()
            }
            "response.failed" => return Err(failure(&event["response"]["error"])),
            "error" => return Err(failure(&event)),
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

impl ResponsesDecoder {
    fn block_start(&mut self, item: &Value) -> Option<BlockStart> {
        let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        match item["type"].as_str()? {
            "message" => Some(BlockStart::Text),
            "reasoning" => Some(BlockStart::Thinking),
            "function_call" => {
                self.has_calls = true;
                Some(BlockStart::Call {
                    id: text("call_id"),
                    tool: text("name"),
                })
            }
            _ => None,
        }
    }

    fn stop_reason(&self, response: &Value) -> StopReason {
        match response["incomplete_details"]["reason"].as_str() {
            Some("content_filter") => StopReason::Refusal,
            Some(_) => StopReason::MaxTokens,
            None if self.has_calls => StopReason::ToolUse,
            None => StopReason::End,
        }
    }
}

fn failure(error: &Value) -> ModelError {
    let kind = error["code"].as_str().unwrap_or("server_error");
    let message = error["message"].as_str().unwrap_or("the stream failed");
    ModelError::in_stream(kind, message)
}

/// Token usage. The wire counts cached tokens as input tokens too.
fn usage(reported: &Value) -> Option<Usage> {
    let details = &reported["input_tokens_details"];
    let cached = |name: &str| details[name].as_u64().unwrap_or_default();
    let (read, written) = (cached("cached_tokens"), cached("cache_write_tokens"));
    Some(Usage {
        input: reported["input_tokens"]
            .as_u64()?
            .saturating_sub(read + written),
        output: reported["output_tokens"].as_u64().unwrap_or_default(),
        cache_read: read,
        cache_write: written,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::message::Message;

    fn chunks(events: &[Value]) -> Vec<Chunk> {
        let mut decoder = ResponsesDecoder::default();
        let chunks = events
            .iter()
            .flat_map(|event| decoder.decode(&event.to_string()).unwrap())
            .collect();
        assert!(decoder.is_complete());
        chunks
    }

    #[test]
    fn a_tool_call_streams_in_and_ends_the_reply() {
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
                    block: BlockStart::Call {
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
                Chunk::Stop(StopReason::ToolUse),
            ]
        );
    }

    #[test]
    fn a_reasoning_item_is_sent_back_unchanged() {
        let reasoning = json!({ "type": "reasoning", "id": "rs_1", "encrypted_content": "x" });
        let events = [
            json!({ "type": "response.output_item.done", "output_index": 0, "item": reasoning }),
            json!({ "type": "response.incomplete", "response": { "incomplete_details": { "reason": "max_output_tokens" } } }),
        ];
        let chunks = chunks(&events);
        let Chunk::Signature { signature, .. } = &chunks[0] else {
            panic!("{chunks:?}");
        };
        let block = ContentBlock::Thinking {
            text: "hm".to_owned(),
            signature: signature.clone(),
        };

        let messages = [Message {
            role: Role::Assistant,
            content: vec![block],
        }];
        let asked = request_body(&ModelRequest {
            model: "m",
            max_tokens: 1,
            system: "s",
            messages: &messages,
            tools: &[],
        });

        assert_eq!(asked["input"], json!([reasoning]));
        assert_eq!(chunks.last(), Some(&Chunk::Stop(StopReason::MaxTokens)));
    }
}
