//! Compaction: the messages of the user, and one item for all the rest.
//!
//! Source: `types/responses/compacted_response` of OpenAI's Python SDK 3.57.

use serde_json::{Value, json};

use crate::conversation::{list, strings};
use crate::ids;
use crate::request::Request;
use crate::wire::dispatch::count_tokens;

/// The answer to a request for a shorter input, which has the whole conversation.
pub(crate) fn compacted(request: &Request, seed: u64) -> Value {
    let input = &request.body["input"];
    let items = list(input).iter().filter(|item| item["role"] == "user");
    let texts: Vec<Vec<&str>> = match input {
        Value::String(text) => vec![vec![text]],
        _ => items.map(|item| strings(&item["content"])).collect(),
    };
    let id = |prefix, place: usize| {
        let position = format!("compact.{}/{place}", request.n);
        ids::id(prefix, 48, seed, &position)
    };
    let messages = texts.into_iter().enumerate().map(|(place, texts)| {
        let parts = texts.iter().map(|text| json!({ "type": "input_text", "text": text }));
        let content = parts.collect::<Vec<_>>();
        json!({ "id": id("msg_", place), "type": "message", "status": "completed", "role": "user", "content": content })
    });
    let compaction = json!({
        "id": id("cmp_", 0),
        "type": "compaction",
        "encrypted_content": ids::signature(&input.to_string()),
    });
    let (input_tokens, output_tokens) = (count_tokens(&request.body), 1);
    json!({
        "id": id("resp_", 0),
        "object": "response.compaction",
        "created_at": ids::EPOCH + request.n,
        "output": messages.chain([compaction]).collect::<Vec<_>>(),
        "usage": {
            "input_tokens": input_tokens,
            "input_tokens_details": { "cached_tokens": 0, "cache_write_tokens": 0 },
            "output_tokens": output_tokens,
            "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": input_tokens + output_tokens,
        },
    })
}
