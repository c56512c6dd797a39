//! Items of the OpenAI Responses API as the server holds and lists them: each with an id, and a message with its parts.
//!
//! Source: `types/responses/response_item` and `resources/conversations/items` of OpenAI's Python SDK 3.57.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use crate::answer::HttpError;
use crate::conversation::list;
use crate::failure::Rejection;
use crate::ids;
use crate::request::{Request, Wire};
use crate::wire::parameter;

/// The items of an input: a bare text is a message of the user.
pub(crate) fn items(input: &Value) -> Vec<Value> {
    match input {
        Value::String(text) => vec![json!({ "role": "user", "content": text })],
        input => list(input).to_vec(),
    }
}

/// The beginnings of ids, by the type of the item.
const PREFIXES: [(&str, &str); 5] = [
    ("message", "msg_"),
    ("function_call", "fc_"),
    ("function_call_output", "fco_"),
    ("custom_tool_call", "ctc_"),
    ("reasoning", "rs_"),
];

/// The items of an input as the API lists them. `position` makes the ids of those that have none.
pub(crate) fn listed_items(input: &Value, seed: u64, position: &str) -> Vec<Value> {
    let numbered = items(input).into_iter().enumerate();
    let listed = numbered.map(|(i, item)| listed_item(item, seed, &format!("{position}/{i}")));
    listed.collect()
}

fn listed_item(mut item: Value, seed: u64, position: &str) -> Value {
    let kind = item["type"].as_str().unwrap_or("message").to_owned();
    let prefix = PREFIXES.iter().find(|(known, _)| *known == kind);
    let prefix = prefix.map_or("item_", |(_, prefix)| prefix);
    let is_answer = item["role"] == "assistant";
    let Some(members) = item.as_object_mut() else {
        return item;
    };
    members.entry("type").or_insert_with(|| kind.into());
    members.entry("status").or_insert("completed".into());
    if let Some(Value::String(text)) = members.get("content") {
        let part = if is_answer {
            json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
        } else {
            json!({ "type": "input_text", "text": text })
        };
        members.insert("content".to_owned(), json!([part]));
    }
    if members.get("id").is_none_or(Value::is_null) {
        let id = ids::id(prefix, 48, seed, position);
        members.insert("id".to_owned(), id.into());
    }
    item
}

/// The most items of a page, if the query does not say.
const PAGE: usize = 20;

/// A page of items, the newest first: <https://platform.openai.com/docs/api-reference/responses/input-items>.
pub(crate) fn page(mut items: Vec<Value>, query: &str) -> Value {
    if parameter(query, "order") != Some("asc") {
        items.reverse();
    }
    if let Some(after) = parameter(query, "after") {
        let known = items.iter().position(|item| item["id"] == after);
        items.drain(..known.map_or(0, |at| at + 1));
    }
    let limit = parameter(query, "limit").and_then(|limit| limit.parse().ok());
    let limit = limit.unwrap_or(PAGE);
    let has_more = items.len() > limit;
    items.truncate(limit);
    let id = |item: Option<&Value>| item.map_or(Value::Null, |item| item["id"].clone());
    json!({
        "object": "list",
        "first_id": id(items.first()),
        "last_id": id(items.last()),
        "has_more": has_more,
        "data": items,
    })
}

/// Whether an item stands for one that the server holds.
fn is_reference(item: &Value) -> bool {
    let is_bare = item["type"].is_null() && item["role"].is_null() && item["id"].is_string();
    item["type"] == "item_reference" || is_bare
}

/// Whether an item of reasoning has no content of its own, and the response is not stored: it stands for what is not there.
fn is_lost_reasoning(request: &Request, item: &Value) -> bool {
    request.body["store"] == false
        && item["type"] == "reasoning"
        && item["id"].is_string()
        && item["encrypted_content"].is_null()
}

/// A request with the items that its references stand for; none if it has no reference. `held` finds items by their ids.
///
/// # Errors
/// An item is not held: <https://github.com/vercel/ai/issues/7543>.
pub(crate) fn resolved(
    request: &Request,
    held: impl Fn(&HashSet<&str>) -> HashMap<String, Value>,
) -> Result<Option<Request>, Rejection> {
    let sent = list(&request.body["input"]);
    let of_responses = request.wire == Wire::OpenAiResponses;
    let stands_for_another = |item: &Value| is_reference(item) || is_lost_reasoning(request, item);
    let ids = sent.iter().filter(|item| stands_for_another(item));
    let ids: HashSet<&str> = ids.filter_map(|item| item["id"].as_str()).collect();
    if !of_responses || ids.is_empty() {
        return Ok(None);
    }
    let held = held(&ids);
    if let Some(id) = ids.iter().find(|id| !held.contains_key(**id)) {
        return Err(missing_item(id));
    }
    let mut whole = request.clone();
    for item in whole.body["input"].as_array_mut().into_iter().flatten() {
        let found = item["id"].as_str().and_then(|id| held.get(id));
        if let (true, Some(found)) = (is_reference(item), found) {
            *item = found.clone();
        }
    }
    Ok(Some(whole))
}

fn missing_item(id: &str) -> Rejection {
    let message = format!(
        "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or \
         remove this item from your input."
    );
    let error = HttpError::new(404, "invalid_request_error", message).about(Some("input"), None);
    Rejection::NotServed(error, format!("the item {id}, which it does not hold"))
}
