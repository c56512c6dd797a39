//! Validates the JSON Schemas of functions and of structured outputs, as the APIs of OpenAI do.
//!
//! Sources: <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>,
//! <https://github.com/sigoden/aichat/pull/1049>, <https://github.com/nspady/google-calendar-mcp/issues/39>,
//! <https://github.com/tailcallhq/forgecode/issues/1359>, <https://github.com/kevinwatt/mysql-mcp/issues/5>.

use serde_json::Value;

use crate::answer::HttpError;
use crate::conversation::{list, strings};

/// Validates the parameters of a function; `param` is where they stand.
///
/// # Errors
/// The error of the real API.
pub(super) fn check_function(function: &Value, param: &str) -> Result<(), HttpError> {
    let (schema, strict) = (&function["parameters"], function["strict"] == true);
    let name = function["name"].as_str().unwrap_or_default();
    check_root(schema)
        .and_then(|()| check_node(schema, strict, &mut Vec::new()))
        .map_err(|reason| {
            HttpError::invalid(format!("Invalid schema for function '{name}': {reason}"))
                .about(Some(param), Some("invalid_function_parameters"))
        })
}

/// Validates the schema of a structured output.
///
/// # Errors
/// The error of the real API.
pub(super) fn check_output_format(format: &Value, param: &str) -> Result<(), HttpError> {
    let name = format["name"].as_str().unwrap_or_default();
    let checked = check_node(&format["schema"], format["strict"] == true, &mut Vec::new());
    checked.map_err(|reason| {
        HttpError::invalid(format!(
            "Invalid schema for response_format '{name}': {reason}"
        ))
        .about(Some(param), None)
    })
}

/// Whether the word JSON, in any case, is in a text.
pub(super) fn mentions_json(value: &Value) -> bool {
    let mut texts = strings(value).into_iter();
    texts.any(|text| text.to_ascii_lowercase().contains("json"))
}

/// What the top of the parameters may not have.
const NOT_AT_TOP: [&str; 5] = ["oneOf", "anyOf", "allOf", "enum", "not"];

fn check_root(schema: &Value) -> Result<(), String> {
    if schema.as_object().is_none_or(serde_json::Map::is_empty) {
        return Ok(());
    }
    if NOT_AT_TOP
        .iter()
        .any(|keyword| schema.get(keyword).is_some())
    {
        return Err("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.".into());
    }
    if schema["type"] != "object" {
        let found = match &schema["type"] {
            Value::Null => "\"None\"".to_owned(),
            found => found.to_string(),
        };
        return Err(format!(
            "schema must be a JSON Schema of 'type: \"object\"', got 'type: {found}'."
        ));
    }
    if schema["properties"].is_null() {
        return Err("In context=(), object schema missing properties.".into());
    }
    Ok(())
}

/// Validates a schema and those in it; `context` is the path to it.
fn check_node(schema: &Value, strict: bool, context: &mut Vec<String>) -> Result<(), String> {
    let is_of =
        |kind: &str| schema["type"] == kind || list(&schema["type"]).iter().any(|one| one == kind);
    if is_of("array") && schema["items"].is_null() && schema["prefixItems"].is_null() {
        return Err(format!(
            "In context={}, array schema missing items.",
            shown(context)
        ));
    }
    if strict && is_of("object") {
        check_strict(schema)
            .map_err(|reason| format!("In context={}, {reason}", shown(context)))?;
    }
    for keyword in ["properties", "$defs", "definitions"] {
        for (name, inner) in schema[keyword].as_object().into_iter().flatten() {
            descend(inner, strict, context, &[keyword, name])?;
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for (i, inner) in list(&schema[keyword]).iter().enumerate() {
            descend(inner, strict, context, &[keyword, &i.to_string()])?;
        }
    }
    match schema.get("items") {
        Some(inner) => descend(inner, strict, context, &["items"]),
        None => Ok(()),
    }
}

fn descend(
    inner: &Value,
    strict: bool,
    context: &mut Vec<String>,
    steps: &[&str],
) -> Result<(), String> {
    context.extend(steps.iter().map(|step| (*step).to_owned()));
    let checked = check_node(inner, strict, context);
    context.truncate(context.len() - steps.len());
    checked
}

/// Validates an object of a strict schema.
fn check_strict(schema: &Value) -> Result<(), String> {
    if schema["additionalProperties"] != false {
        return Err("'additionalProperties' is required to be supplied and to be false.".into());
    }
    let required = list(&schema["required"]);
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut names = properties.map(|(name, _)| name);
    match names.find(|name| !required.iter().any(|one| one == *name)) {
        Some(name) => Err(format!(
            "'required' is required to be supplied and to be an array including every key in properties. Missing '{name}'."
        )),
        None => Ok(()),
    }
}

/// A path as the API shows it: a tuple of Python.
fn shown(context: &[String]) -> String {
    let steps: Vec<String> = context.iter().map(|step| format!("'{step}'")).collect();
    match &steps[..] {
        [one] => format!("({one},)"),
        steps => format!("({})", steps.join(", ")),
    }
}
