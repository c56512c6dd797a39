//! Validates requests, with the error messages of the real API.

use serde_json::Value;

use crate::answer::HttpError;
use crate::conversation::list;
use crate::request::Wire;
use crate::wire::function_schema::{check_function, check_output_format, mentions_json};
use crate::wire::request_schema::{Leniency, check_body};

/// The error of the real API for a request that is not valid.
pub(in crate::wire) fn validation_error(body: &Value) -> Option<HttpError> {
    let messages = list(&body["messages"]);
    check_body(Wire::OpenAiChat, body, Leniency::default())
        .and_then(|()| check_contents(messages))
        .and_then(|()| check_tool_results(messages))
        .and_then(|()| check_tool_choice(body))
        .and_then(|()| check_functions(body))
        .and_then(|()| check_json_mode(body))
        .err()
}

fn invalid(message: impl Into<String>, param: Option<&str>, code: Option<&str>) -> HttpError {
    HttpError::invalid(message).about(param, code)
}

/// An assistant message without calls or a refusal has content.
fn check_contents(messages: &[Value]) -> Result<(), HttpError> {
    let members = ["content", "tool_calls", "refusal", "function_call", "audio"];
    let is_empty = |message: &Value| {
        message["role"] == "assistant" && members.iter().all(|member| message[*member].is_null())
    };
    match messages.iter().position(is_empty) {
        Some(i) => {
            let text = "Invalid value for 'content': expected a string, got null.";
            Err(invalid(
                text,
                Some(&format!("messages.[{i}].content")),
                None,
            ))
        }
        None => Ok(()),
    }
}

/// A forced function is one of the tools:
/// <https://platform.openai.com/docs/guides/function-calling#tool-choice>.
fn check_tool_choice(body: &Value) -> Result<(), HttpError> {
    let Some(name) = body["tool_choice"]["function"]["name"].as_str() else {
        return Ok(());
    };
    let mut tools = list(&body["tools"]).iter();
    if tools.any(|tool| tool["function"]["name"] == name) {
        return Ok(());
    }
    let text = format!("Tool choice '{name}' not found in 'tools' parameter.");
    Err(invalid(text, Some("tool_choice"), None))
}

fn check_functions(body: &Value) -> Result<(), HttpError> {
    let tools = list(&body["tools"]).iter();
    for (i, tool) in tools.enumerate() {
        let param = format!("tools[{i}].function.parameters");
        check_function(&tool["function"], &param)?;
    }
    check_output_format(&body["response_format"]["json_schema"], "response_format")
}

/// Source: <https://platform.openai.com/docs/guides/structured-outputs#json-mode>.
fn check_json_mode(body: &Value) -> Result<(), HttpError> {
    if body["response_format"]["type"] == "json_object" && !mentions_json(&body["messages"]) {
        let text = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
        return Err(invalid(text, Some("messages"), None));
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
