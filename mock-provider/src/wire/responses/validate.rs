//! Validates requests, with the error messages of the real API.

use serde_json::Value;

use crate::answer::HttpError;
use crate::conversation::list;

/// The error of the real API for a request that is not valid.
pub(in crate::wire) fn validation_error(body: &Value) -> Option<HttpError> {
    check_fields(body)
        .and_then(|()| check_tool_results(body))
        .err()
}

fn invalid(message: impl Into<String>, param: &str, code: Option<&str>) -> HttpError {
    HttpError::invalid(message).about(Some(param), code)
}

fn check_fields(body: &Value) -> Result<(), HttpError> {
    for field in ["model", "input"] {
        let stored = field == "input"
            && ["previous_response_id", "prompt", "conversation"]
                .iter()
                .any(|other| !body[*other].is_null());
        if body[field].is_null() && !stored {
            let message = format!("Missing required parameter: '{field}'.");
            return Err(invalid(message, field, Some("missing_required_parameter")));
        }
    }
    if !matches!(
        body["input"],
        Value::Null | Value::String(_) | Value::Array(_)
    ) {
        let message = "Invalid type for 'input': expected one of an array of objects or string.";
        return Err(invalid(message, "input", Some("invalid_type")));
    }
    Ok(())
}

/// Every tool call has its output and every output its call. Calls of a response that is referred to by id are not known here.
fn check_tool_results(body: &Value) -> Result<(), HttpError> {
    let items = list(&body["input"]);
    let ids = |kind: &str| {
        let of_kind = items.iter().filter(|item| item["type"] == kind);
        of_kind
            .map(|item| item["call_id"].as_str().unwrap_or_default())
            .collect::<Vec<_>>()
    };
    let (calls, outputs) = (ids("function_call"), ids("function_call_output"));
    let stored = !body["previous_response_id"].is_null() || !body["conversation"].is_null();
    if let Some(orphan) = outputs.iter().find(|id| !stored && !calls.contains(id)) {
        let message = format!("No tool call found for function call output with call_id {orphan}.");
        return Err(invalid(message, "input", None));
    }
    if let Some(open) = calls.iter().find(|id| !outputs.contains(id)) {
        let message = format!("No tool output found for function call {open}.");
        return Err(invalid(message, "input", None));
    }
    Ok(())
}
