//! Validates requests, with the error messages of the real API.

use serde_json::Value;

use super::thinking::check_thinking;
use super::turns::{RequestBlock, RoleTurn, blocks_of_type, turns};
use crate::answer::HttpError;
use crate::request::Request;
use crate::signatures::SignatureStore;

/// The error of the real API for a request that is not valid. `whole`: a request for a message, not for a token count.
pub(in crate::wire) fn validation_error(
    request: &Request,
    signatures: &SignatureStore,
    whole: bool,
) -> Option<HttpError> {
    let checked = check_fields(&request.body, whole)
        .and_then(|()| turns(&request.body))
        .and_then(|turns| {
            check_tool_results(&turns).and_then(|()| check_thinking(request, &turns, signatures))
        });
    checked.err().map(HttpError::invalid)
}

fn check_fields(body: &Value, whole: bool) -> Result<(), String> {
    if !body.is_object() {
        return Err("Input should be a valid dictionary or object to extract fields from".into());
    }
    let required: &[&str] = if whole {
        &["model", "max_tokens", "messages"]
    } else {
        &["model", "messages"]
    };
    if let Some(missing) = required.iter().find(|field| body[**field].is_null()) {
        return Err(format!("{missing}: Field required"));
    }
    if !body["model"].is_string() {
        return Err("model: Input should be a valid string".into());
    }
    if whole && body["max_tokens"].as_i64().is_none() {
        return Err("max_tokens: Input should be a valid integer".into());
    }
    if whole && body["max_tokens"].as_i64() < Some(0) {
        return Err("max_tokens: Input should be greater than or equal to 0".into());
    }
    match body["messages"].as_array() {
        None => Err("messages: Input should be a valid list".into()),
        Some(list) if list.is_empty() => Err("messages: at least one message is required".into()),
        Some(_) => Ok(()),
    }
}

/// Every tool call has exactly one result, at the start of the next turn, and every result has its call.
fn check_tool_results(turns: &[RoleTurn]) -> Result<(), String> {
    let mut calls: Vec<&str> = Vec::new();
    let mut every: Vec<&str> = Vec::new();
    for (i, turn) in turns.iter().enumerate() {
        let mut answered = Vec::new();
        for RequestBlock { path, block } in blocks_of_type(turn, "tool_result") {
            let id = block["tool_use_id"].as_str().unwrap_or_default();
            if !calls.contains(&id) {
                return Err(format!(
                    "{path}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a \
                     corresponding `tool_use` block in the previous message."
                ));
            }
            if answered.contains(&id) {
                return Err(format!(
                    "{path}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
                ));
            }
            answered.push(id);
        }
        let first = turn
            .blocks
            .iter()
            .take_while(|placed| placed.block["type"] == "tool_result")
            .count();
        let missing = calls
            .iter()
            .filter(|call| !answered.iter().take(first).any(|id| id == *call))
            .copied()
            .collect::<Vec<_>>();
        if i > 0 && !missing.is_empty() {
            return Err(missing_results(&turns[i - 1], &missing));
        }
        calls.clear();
        for RequestBlock { path, block } in blocks_of_type(turn, "tool_use") {
            let id = block["id"].as_str().unwrap_or_default();
            if every.contains(&id) {
                return Err(format!("{path}: `tool_use` ids must be unique"));
            }
            calls.push(id);
            every.push(id);
        }
    }
    match turns.last() {
        Some(turn) if !calls.is_empty() => Err(missing_results(turn, &calls)),
        _ => Ok(()),
    }
}

fn missing_results(turn: &RoleTurn, ids: &[&str]) -> String {
    format!(
        "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block must have a \
         corresponding `tool_result` block in the next message.",
        turn.first,
        ids.join(", ")
    )
}
