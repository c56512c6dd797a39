//! Validates requests, with the error messages of the real API.

use std::collections::HashSet;

use serde_json::Value;

use super::schema::find_mistakes;
use crate::answer::HttpError;
use crate::conversation::list;
use crate::request::{Request, Wire};
use crate::wire::request_schema::{Leniency, check_body};

/// The error of the real API for a request that is not valid.
pub(in crate::wire) fn validation_error(request: &Request) -> Option<HttpError> {
    let body = &request.body;
    let checks = || {
        check_functions(body)?;
        check_json_mode(body, request.model())?;
        let turns = turns(body);
        check_calls(&turns)?;
        check_signatures(&turns, request.model())
    };
    let invalid = |message| HttpError::new(400, "INVALID_ARGUMENT", message);
    check_body(Wire::Gemini, body, Leniency::default())
        .and_then(|()| checks().map_err(invalid))
        .err()
}

/// Consecutive contents of one role: a client may send each response of a stream as a content of its own.
struct Turn<'b> {
    is_from_model: bool,
    /// Each part with the number of its content.
    parts: Vec<(usize, &'b Value)>,
}

impl<'b> Turn<'b> {
    fn count(&self, member: &str) -> usize {
        let parts = self.parts.iter();
        parts.filter(|(_, part)| part[member].is_object()).count()
    }

    fn first_call(&self) -> Option<(usize, &'b Value)> {
        let mut parts = self.parts.iter();
        let call = parts.find(|(_, part)| part["functionCall"].is_object());
        call.copied()
    }
}

fn turns(body: &Value) -> Vec<Turn<'_>> {
    let mut turns: Vec<Turn> = Vec::new();
    for (i, content) in list(&body["contents"]).iter().enumerate() {
        let is_from_model = content["role"] == "model";
        let parts = list(&content["parts"]).iter().map(|part| (i, part));
        match turns.last_mut() {
            Some(turn) if turn.is_from_model == is_from_model => turn.parts.extend(parts),
            _ => turns.push(Turn {
                is_from_model,
                parts: parts.collect(),
            }),
        }
    }
    turns
}

/// Every call has one result, in the next turn: <https://github.com/google-gemini/gemini-cli/issues/11814>,
/// <https://github.com/BerriAI/litellm/issues/26755>, <https://github.com/google-gemini/gemini-cli/issues/5443>.
fn check_calls(turns: &[Turn<'_>]) -> Result<(), String> {
    let mut calls = 0;
    for (i, turn) in turns.iter().enumerate() {
        let results = turn.count("functionResponse");
        if turn.is_from_model {
            calls = turn.count("functionCall");
            if i == 0 && calls > 0 {
                return Err("Please ensure that function call turn comes immediately after a user turn or after a function response turn.".into());
            }
        } else if calls == 0 && results > 0 {
            return Err("Please ensure that function response turn comes immediately after a function call turn.".into());
        } else if calls != results {
            return Err("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.".into());
        } else {
            calls = 0;
        }
    }
    Ok(())
}

/// The models that require the signatures of the current turn.
const WITH_SIGNATURES: &str = "gemini-3";

/// The first call of each step has its signature: <https://ai.google.dev/gemini-api/docs/thought-signatures>,
/// <https://github.com/askimo-ai/askimo/issues/543>.
fn check_signatures(turns: &[Turn<'_>], model: &str) -> Result<(), String> {
    let begins =
        |turn: &Turn| !turn.is_from_model && turn.count("functionResponse") < turn.parts.len();
    let start = turns.iter().rposition(begins).unwrap_or_default();
    let calls = turns[start..].iter().filter_map(Turn::first_call);
    let mut unsigned = calls.filter(|(_, part)| part["thoughtSignature"].is_null());
    match unsigned.next() {
        Some((content, part)) if model.starts_with(WITH_SIGNATURES) => Err(format!(
            "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing \
             thought_signature may lead to degraded model performance. Additional data, function call `default_api:{}` , position {}. Please \
             refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
            part["functionCall"]["name"].as_str().unwrap_or_default(),
            content + 1
        )),
        _ => Ok(()),
    }
}

/// Each function with the number of its tool and its own.
fn functions(body: &Value) -> impl Iterator<Item = (usize, usize, &Value)> {
    let tools = list(&body["tools"]).iter().enumerate();
    tools.flat_map(|(i, tool)| {
        let declared = list(&tool["functionDeclarations"]).iter().enumerate();
        declared.map(move |(j, function)| (i, j, function))
    })
}

/// Sources: <https://github.com/owndev/Open-WebUI-Functions/issues/135>, <https://github.com/tailcallhq/forgecode/issues/1404>.
fn check_functions(body: &Value) -> Result<(), String> {
    let (mut names, mut mistakes) = (HashSet::new(), Vec::new());
    for (i, j, function) in functions(body) {
        let path =
            format!("GenerateContentRequest.tools[{i}].function_declarations[{j}].parameters");
        find_mistakes(&function["parameters"], &path, &mut mistakes);
        let name = function["name"].as_str().unwrap_or_default();
        if !names.insert(name) {
            return Err(format!("Duplicate function declaration found: {name}"));
        }
    }
    if !mistakes.is_empty() {
        let lines = mistakes.iter().map(|mistake| format!("* {mistake}\n"));
        return Err(lines.collect());
    }
    let config = &body["toolConfig"]["functionCallingConfig"];
    if names.is_empty() && config["mode"].is_string() {
        return Err("Function calling config is set without function_declarations.".into());
    }
    Ok(())
}

/// The models that call no functions in an answer of JSON: <https://github.com/googleapis/python-genai/issues/867>,
/// <https://github.com/symfony/ai/issues/1777>.
const WITHOUT_JSON_AND_CALLS: [&str; 2] = ["gemini-1", "gemini-2"];

fn check_json_mode(body: &Value, model: &str) -> Result<(), String> {
    let is_json = body["generationConfig"]["responseMimeType"] == "application/json";
    let mut models = WITHOUT_JSON_AND_CALLS.iter();
    if is_json && functions(body).next().is_some() && models.any(|one| model.starts_with(one)) {
        return Err(
            "Function calling with a response mime type: 'application/json' is unsupported".into(),
        );
    }
    Ok(())
}
