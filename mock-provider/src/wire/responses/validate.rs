//! Validates requests, with the error messages of the real API.

use std::collections::HashSet;

use serde_json::Value;

use crate::answer::HttpError;
use crate::conversation::list;
use crate::request::Wire;
use crate::wire::function_schema::{check_function, check_output_format, mentions_json};
use crate::wire::request_schema::{Leniency, check_body};

/// The error of the real API for a request that is not valid.
pub(in crate::wire) fn validation_error(body: &Value) -> Option<HttpError> {
    check_required(body)
        .and_then(|()| check_body(Wire::OpenAiResponses, body, Leniency::default()))
        .and_then(|()| check_tool_results(body))
        .and_then(|()| check_items(body))
        .and_then(|()| check_tool_choice(body))
        .and_then(|()| check_functions(body))
        .and_then(|()| check_json_mode(body))
        .err()
}

fn invalid(message: impl Into<String>, param: &str, code: Option<&str>) -> HttpError {
    HttpError::invalid(message).about(Some(param), code)
}

fn check_required(body: &Value) -> Result<(), HttpError> {
    for field in ["model", "input"] {
        let others: &[&str] = match field {
            "input" => &["previous_response_id", "prompt", "conversation"],
            _ => &["prompt"],
        };
        if body[field].is_null() && others.iter().all(|other| body[*other].is_null()) {
            let message = format!("Missing required parameter: '{field}'.");
            return Err(invalid(message, field, Some("missing_required_parameter")));
        }
    }
    Ok(())
}

/// No item comes twice, and an item of the model follows each reasoning item:
/// <https://github.com/earendil-works/pi/issues/5151>, <https://github.com/vercel/ai/issues/7099>.
fn check_items(body: &Value) -> Result<(), HttpError> {
    let items = list(&body["input"]);
    let mut ids = HashSet::new();
    for (i, item) in items.iter().enumerate() {
        let id = item["id"].as_str().unwrap_or_default();
        let is_reference = item["type"] == "item_reference";
        if !id.is_empty() && !is_reference && !ids.insert(id) {
            let message = format!(
                "Duplicate item found with id {id}. Remove duplicate items from your input and try again."
            );
            return Err(invalid(message, "input", None));
        }
        let is_followed = || items.get(i + 1).is_some_and(is_of_model);
        if item["type"] == "reasoning" && !id.is_empty() && !is_followed() {
            let message = format!(
                "Item '{id}' of type 'reasoning' was provided without its required following item."
            );
            return Err(invalid(message, "input", None));
        }
    }
    Ok(())
}

/// Whether an item comes from the model: not a message of another role, nor the output of a tool.
fn is_of_model(item: &Value) -> bool {
    let role = item["role"].as_str();
    let kind = item["type"].as_str().unwrap_or("message");
    role.is_none_or(|role| role == "assistant") && !kind.ends_with("_output")
}

/// A forced tool is one of the tools: <https://platform.openai.com/docs/guides/function-calling#tool-choice>.
fn check_tool_choice(body: &Value) -> Result<(), HttpError> {
    let (choice, tools) = (&body["tool_choice"], list(&body["tools"]));
    let brings_tools = |item: &Value| item["type"] == "additional_tools";
    let has_others = || !body["prompt"].is_null() || list(&body["input"]).iter().any(brings_tools);
    if choice == "required" && tools.is_empty() && !has_others() {
        let message = "Tool choice 'required' must be specified with 'tools' parameter.";
        return Err(invalid(message, "tool_choice", None));
    }
    let Some(name) = choice["name"].as_str() else {
        return Ok(());
    };
    let is_plain = matches!(choice["type"].as_str(), Some("function" | "custom"));
    let is_nested =
        |tool: &Value| matches!(tool["type"].as_str(), Some("namespace" | "tool_search"));
    if !is_plain
        || tools
            .iter()
            .any(|tool| tool["name"] == name || is_nested(tool))
    {
        return Ok(());
    }
    let message = format!("Tool choice '{name}' not found in 'tools' parameter.");
    Err(invalid(message, "tool_choice", None))
}

fn check_functions(body: &Value) -> Result<(), HttpError> {
    let tools = list(&body["tools"]).iter().enumerate();
    for (i, tool) in tools.filter(|(_, tool)| tool["type"] == "function") {
        check_function(tool, &format!("tools[{i}].parameters"))?;
    }
    check_output_format(&body["text"]["format"], "text.format.schema")
}

/// Source: <https://platform.openai.com/docs/guides/structured-outputs#json-mode>.
fn check_json_mode(body: &Value) -> Result<(), HttpError> {
    let stored = ["previous_response_id", "conversation", "prompt"];
    let is_whole = stored.iter().all(|member| body[*member].is_null());
    let mentions = || mentions_json(&body["input"]) || mentions_json(&body["instructions"]);
    if body["text"]["format"]["type"] == "json_object" && is_whole && !mentions() {
        let message = "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
        return Err(invalid(message, "input", None));
    }
    Ok(())
}

/// The calls that the client answers: the type of the item, and its name in messages. The output of each has the same type with `_output`.
const CALLS: [(&str, &str); 5] = [
    ("function_call", "function call"),
    ("custom_tool_call", "custom tool call"),
    ("computer_call", "computer call"),
    ("shell_call", "shell call"),
    ("apply_patch_call", "apply patch call"),
];

/// Every tool call has its output and every output its call. Calls of a response that is referred to by id are not known here.
fn check_tool_results(body: &Value) -> Result<(), HttpError> {
    let items = list(&body["input"]);
    let ids = |kind: &str| {
        let of_kind = items.iter().filter(|item| item["type"] == kind);
        of_kind
            .map(|item| item["call_id"].as_str().unwrap_or_default())
            .collect::<Vec<_>>()
    };
    let stored = !body["previous_response_id"].is_null() || !body["conversation"].is_null();
    for (kind, name) in CALLS {
        let (calls, outputs) = (ids(kind), ids(&format!("{kind}_output")));
        if let Some(orphan) = outputs.iter().find(|id| !stored && !calls.contains(id)) {
            let message = format!("No tool call found for {name} output with call_id {orphan}.");
            return Err(invalid(message, "input", None));
        }
        if let Some(open) = calls.iter().find(|id| !outputs.contains(id)) {
            let message = format!("No tool output found for {name} {open}.");
            return Err(invalid(message, "input", None));
        }
    }
    Ok(())
}
