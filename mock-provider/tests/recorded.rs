//! Recorded answers as replies of a script: the cases of `recorded.yaml`.

use mock_provider::script::ScriptReply;
use mock_provider::server::ExchangeEnd;
use mock_provider::{RecordedAnswer, recorded_losses, recorded_reply};
use serde_json::{Value, json};

/// The body of the answer of a case: its document, or its events as a stream with the last line of OpenAI Chat.
fn body(case: &Value) -> String {
    let Some(events) = case["events"].as_array() else {
        return case["body"].to_string();
    };
    let has_end = case["path"] == "/v1/chat/completions" && case["unended"].is_null();
    let end = if has_end { "data: [DONE]\n\n" } else { "" };
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    events.collect::<String>() + end
}

fn normal(reply: &Value) -> Value {
    let reply: ScriptReply = serde_json::from_value(reply.clone()).expect("a reply");
    json!(reply)
}

#[test]
fn a_script_has_what_was_recorded_or_says_what_it_lacks() {
    let cases = spanned_yaml::load_yaml("recorded.yaml", include_str!("recorded.yaml"));
    for case in cases
        .expect("good YAML")
        .to_value()
        .as_array()
        .expect("a list")
    {
        let (about, body) = (&case["about"], body(case));
        let answer = RecordedAnswer {
            path: case["path"].as_str().expect("a path"),
            status: 200,
            body: &body,
            end: ExchangeEnd::Complete,
        };
        if case.get("reply").is_some() {
            let reply = json!(recorded_reply(&answer).expect("a reply"));
            similar_asserts::assert_eq!(reply, normal(&case["reply"]), "{about}");
        }
        let lost = recorded_losses(&answer).into_iter().map(|part| part.path);
        let expected = case["lost"].as_array().cloned().unwrap_or_default();
        similar_asserts::assert_eq!(json!(lost.collect::<Vec<_>>()), json!(expected), "{about}");
    }
}

#[test]
fn the_first_value_that_is_lost_is_shown() {
    let body = json!({ "choices": [{ "message": { "images": [{ "url": "data:x" }] } }] });
    let answer = RecordedAnswer {
        path: "/v1/chat/completions",
        status: 200,
        body: &body.to_string(),
        end: ExchangeEnd::Complete,
    };
    let [lost] = recorded_losses(&answer).try_into().expect("one part");
    assert_eq!(lost.excerpt, r#"[{"url":"data:x"}]"#);
}
