//! What it refuses, in its own words.

use serde_json::Value;

use super::pairs::pairs;
use super::thinking::thinking;
use super::turns::turns;
use crate::answer::HttpError;
use crate::memory::Memory;
use crate::request::Request;

/// The error the real API would give. `whole`: for a message, and not only for a count of its tokens.
pub(in crate::wire) fn refusal(
    request: &Request,
    memory: &Memory,
    whole: bool,
) -> Option<HttpError> {
    let checked = fields(&request.body, whole)
        .and_then(|()| turns(&request.body))
        .and_then(|turns| pairs(&turns).and_then(|()| thinking(request, &turns, memory)));
    checked
        .err()
        .map(|message| HttpError::new(400, "invalid_request_error", message))
}

fn fields(body: &Value, whole: bool) -> Result<(), String> {
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
