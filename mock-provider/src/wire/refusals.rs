//! What each API refuses: the cases of `refusals.yaml`.

use serde_json::{Value, json};

use super::validation_error;
use crate::request::{Request, Wire};
use crate::signatures::SignatureStore;

/// How the error of a request begins: the parameter that it names, and its message. Empty if it is accepted.
fn refusal(wire: Wire, case: &Value) -> String {
    let messages = &case["messages"];
    let user = json!([{ "role": "user", "content": "x" }]);
    let body = match (wire, case.get("body")) {
        (_, Some(body)) => body.clone(),
        _ if case.get("with").is_some() => {
            let mut body = match wire {
                Wire::AnthropicMessages => {
                    json!({ "model": "claude-sonnet-4-5", "max_tokens": 2000, "messages": user })
                }
                Wire::OpenAiChat => json!({ "model": "gpt-4o", "messages": user }),
                Wire::OpenAiResponses => json!({ "model": "gpt-4o", "input": "x" }),
                Wire::Gemini => {
                    let user = json!([{ "role": "user", "parts": [{ "text": "x" }] }]);
                    json!({ "model": "gemini-3-pro", "contents": user })
                }
            };
            for (name, member) in case["with"].as_object().expect("members") {
                body[name] = member.clone();
            }
            body
        }
        (Wire::Gemini, None) => json!({ "model": "gemini-3-pro", "contents": messages }),
        (Wire::OpenAiResponses, None) => json!({ "model": "m", "input": messages }),
        (_, None) => json!({ "model": "m", "max_tokens": 1, "messages": messages }),
    };
    let request = Request::in_process(0, wire, body);
    let error = validation_error(&request, &SignatureStore::default());
    error.map_or(String::new(), |error| match error.details.param {
        Some(param) => format!("{param} {}", error.message),
        None => error.message,
    })
}

#[test]
fn each_api_refuses_what_it_says() {
    let cases = spanned_yaml::load_yaml("refusals.yaml", include_str!("refusals.yaml"));
    let cases = cases.expect("good YAML").to_value();
    for (name, wire) in ["anthropic", "chat", "responses", "gemini"]
        .into_iter()
        .zip(Wire::ALL)
    {
        for case in cases[name].as_array().expect("a list") {
            let (found, says) = (refusal(*wire, case), case["says"].as_str());
            let is_right = says.map_or(found.is_empty(), |says| found.starts_with(says));
            assert!(is_right, "{name}: {case}: {found}");
            if let Some(members) = case.get("but_not") {
                let found = refusal(*wire, &json!({ "with": members }));
                assert_eq!(found, "", "{name}: {members}");
            }
        }
    }
}
