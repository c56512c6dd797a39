//! Validates requests, with the error messages of the real API.

use serde_json::Value;

use crate::answer::HttpError;
use crate::conversation::list;

/// The known roles.
const ROLES: [&str; 6] = [
    "system",
    "assistant",
    "user",
    "function",
    "tool",
    "developer",
];

/// The error of the real API for a request that is not valid.
pub(in crate::wire) fn validation_error(body: &Value) -> Option<HttpError> {
    check_fields(body)
        .and_then(|messages| check_roles(messages).and_then(|()| check_tool_results(messages)))
        .err()
}

fn invalid(message: impl Into<String>, param: Option<&str>, code: Option<&str>) -> HttpError {
    HttpError::invalid(message).about(param, code)
}

fn check_fields(body: &Value) -> Result<&[Value], HttpError> {
    if !body["model"].is_string() {
        return Err(invalid("you must provide a model parameter", None, None));
    }
    if body["stream_options"].is_object() && body["stream"] != true {
        let message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
        return Err(invalid(message, Some("stream_options"), None));
    }
    match &body["messages"] {
        Value::Null => Err(invalid(
            "Missing required parameter: 'messages'.",
            Some("messages"),
            Some("missing_required_parameter"),
        )),
        Value::Array(list) if list.is_empty() => {
            let message = "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
            Err(invalid(message, Some("messages"), Some("empty_array")))
        }
        Value::Array(list) => Ok(list),
        _ => Err(invalid(
            "Invalid type for 'messages': expected an array of objects.",
            Some("messages"),
            Some("invalid_type"),
        )),
    }
}

fn check_roles(messages: &[Value]) -> Result<(), HttpError> {
    for (i, message) in messages.iter().enumerate() {
        let param = format!("messages[{i}].role");
        match message["role"].as_str() {
            None => {
                let text = format!("Missing required parameter: '{param}'.");
                return Err(invalid(
                    text,
                    Some(&param),
                    Some("missing_required_parameter"),
                ));
            }
            Some(role) if !ROLES.contains(&role) => {
                let known = ROLES.map(|role| format!("'{role}'")).join(", ");
                let text = format!("Invalid value: '{role}'. Supported values are: {known}.");
                return Err(invalid(text, Some(&param), Some("invalid_value")));
            }
            Some("assistant")
                if message["content"].is_null()
                    && calls(message).is_empty()
                    && message["refusal"].is_null() =>
            {
                let text = "Invalid value for 'content': expected a string, got null.";
                return Err(invalid(
                    text,
                    Some(&format!("messages.[{i}].content")),
                    None,
                ));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Tool messages answer the tool calls directly before them, every one of them.
fn check_tool_results(messages: &[Value]) -> Result<(), HttpError> {
    let mut open: Vec<&str> = Vec::new();
    let mut answerable: Vec<&str> = Vec::new();
    for (i, message) in messages.iter().enumerate() {
        let param = format!("messages.[{i}].role");
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            if !answerable.contains(&id) {
                let text = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
                return Err(invalid(text, Some(&param), None));
            }
            open.retain(|call| *call != id);
        } else {
            missing_results(&open, &param)?;
            answerable = calls(message);
            open.clone_from(&answerable);
        }
    }
    missing_results(&open, &format!("messages.[{}].role", messages.len()))
}

fn missing_results(open: &[&str], param: &str) -> Result<(), HttpError> {
    if open.is_empty() {
        return Ok(());
    }
    let text = format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following \
         tool_call_ids did not have response messages: {}",
        open.join(", ")
    );
    Err(invalid(text, Some(param), None))
}

fn calls(message: &Value) -> Vec<&str> {
    let calls = list(&message["tool_calls"]).iter();
    let ids = calls.map(|call| call["id"].as_str().unwrap_or_default());
    ids.collect()
}
