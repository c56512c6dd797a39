//! A reply that is served over a wire is read back as the same reply.

use super::{ExchangeEnd, RecordedAnswer, recorded_losses, recorded_reply};
use crate::script::{Script, ScriptReply};
use crate::{Answer, Model, Pace, Request, ResponseStep, Wire, error_response, stream_steps};
use serde_json::{Value, json};

const WIRES: [(Wire, &str); 4] = [
    (Wire::AnthropicMessages, "/v1/messages"),
    (Wire::OpenAiChat, "/v1/chat/completions"),
    (Wire::OpenAiResponses, "/v1/responses"),
    (Wire::Gemini, "/v1beta/models/m:streamGenerateContent"),
];

/// The reply that is read from the answer of a scripted reply.
fn again(reply: &Value, wire: Wire, path: &str) -> Value {
    let script = Script::from_value(json!([reply])).unwrap();
    let mut body = json!({ "model": "m", "stream": true });
    let members = match wire {
        Wire::OpenAiResponses => {
            json!({ "input": "x", "include": ["reasoning.encrypted_content"] })
        }
        Wire::Gemini => json!({ "contents": [{ "parts": [{ "text": "x" }] }] }),
        Wire::AnthropicMessages | Wire::OpenAiChat => json!({
            "max_tokens": 99, "messages": [{ "role": "user", "content": "x" }], "stream_options": { "include_usage": true },
        }),
    };
    body.as_object_mut()
        .unwrap()
        .extend(members.as_object().unwrap().clone());
    let request = Request::in_process(0, wire, body);
    let served = Model::new(script, 0).next(&request);
    let mut end = ExchangeEnd::Complete;
    let (status, body) = match served.answer {
        Answer::Message(message) => {
            let mut bytes = Vec::new();
            for step in stream_steps(&request, &message, 0, Pace::default()) {
                match step {
                    ResponseStep::Write(written) => bytes.extend(written),
                    ResponseStep::Cut(crate::script::Cut::End) => {}
                    ResponseStep::Cut(_) => end = ExchangeEnd::Cut,
                    ResponseStep::Forever => end = ExchangeEnd::ClientClosed,
                    _ => {}
                }
            }
            (200, String::from_utf8(bytes).unwrap())
        }
        Answer::Error(error) => {
            let response = error_response(wire, &error, 0, 0);
            (response.status, response.body)
        }
        Answer::Cut(_) => panic!("no answer"),
    };
    let body = &body;
    let read = recorded_reply(&RecordedAnswer {
        path,
        status,
        body,
        end,
    })
    .unwrap();
    serde_json::to_value(read).unwrap()
}

fn normal(reply: &Value) -> Value {
    let reply: ScriptReply = serde_json::from_value(reply.clone()).unwrap();
    serde_json::to_value(reply).unwrap()
}

#[test]
fn an_answer_over_each_wire_becomes_the_reply_that_it_came_from() {
    let usage = json!({ "input": 7, "output": 3, "cache_read": 2, "cache_write": 1 });
    let replies = [
        json!({ "text": ["a", "b\nc"], "usage": usage }),
        json!({ "text": ["cut"], "usage": usage, "stop": "max_tokens" }),
        json!({ "text": ["I"], "tool_calls": [{ "id": "t1", "name": "A", "args": { "x": 1 }, "chunks": 3 }, { "id": "t2", "name": "B", "args": { "y": [] } }], "usage": usage }),
        json!({ "tool_calls": [{ "id": "t1", "name": "A", "args_raw": ["{\"x", "\":1", "}"] }], "usage": usage }),
        json!({ "error": { "status": 429, "type": "rate_limit_error", "message": "slow down", "code": "c" } }),
    ];
    for (wire, path) in WIRES {
        for reply in &replies {
            let mut expected = normal(reply);
            if wire == Wire::Gemini {
                as_gemini_has_it(&mut expected);
            }
            if matches!(wire, Wire::AnthropicMessages | Wire::Gemini)
                && expected["error"].is_object()
            {
                // These APIs have no codes.
                expected["error"]
                    .as_object_mut()
                    .unwrap()
                    .shift_remove("code");
            }
            assert_eq!(again(reply, wire, path), expected, "{path}");
        }
    }
}

/// Gemini sends each call as a whole, and does not count what is written to a cache apart.
fn as_gemini_has_it(reply: &mut Value) {
    if let Some(usage) = reply.get_mut("usage").and_then(Value::as_object_mut) {
        usage.shift_remove("cache_write");
        usage["input"] = 8.into();
    }
    let calls = reply.get_mut("tool_calls").and_then(Value::as_array_mut);
    for call in calls.into_iter().flatten() {
        let call = call.as_object_mut().unwrap();
        call.insert("chunks".into(), 1.into());
        if let Some(raw) = call.shift_remove("args_raw") {
            let pieces = raw.as_array().unwrap().iter();
            let joined: String = pieces.filter_map(Value::as_str).collect();
            call.insert("args".into(), serde_json::from_str(&joined).unwrap());
        }
    }
}

#[test]
fn blocks_signatures_and_breaks_are_read_where_the_api_has_them() {
    let usage = json!({ "input": 7, "output": 3 });
    let started = json!({ "input": 7, "output": 1 });
    let (wire, path) = WIRES[0];
    for (reply, read) in [
        (
            json!({ "content": [{ "thinking": { "text": ["h", "m"], "signature": "s" } }, { "text": ["a"] }, { "text": ["b"] }], "usage": usage }),
            None,
        ),
        (
            json!({ "content": [{ "redacted_thinking": "x" }, { "text": ["a"] }], "usage": usage }),
            None,
        ),
        (
            json!({ "content": [{ "text": ["a"] }, { "stall": true }], "usage": usage }),
            Some(json!({ "stall": {} })),
        ),
        (
            json!({ "content": [{ "text": ["a"] }, { "cut": "close" }], "usage": usage }),
            Some(json!({ "cut": "close" })),
        ),
        (
            json!({ "content": [{ "text": ["a"] }, { "cut": "end" }], "usage": usage }),
            Some(json!({ "cut": "end" })),
        ),
        (
            json!({ "content": [{ "text": ["a"] }, { "error": { "type": "overloaded_error", "message": "m" } }], "usage": usage }),
            Some(json!({ "error": { "type": "overloaded_error", "message": "m" } })),
        ),
    ] {
        let found = again(&reply, wire, path);
        match read {
            None => assert_eq!(found, normal(&reply)),
            Some(last) => {
                assert_eq!(found["content"][1], last);
                assert_eq!(found["usage"], started);
            }
        }
    }
}

#[test]
fn a_message_in_one_document_is_read_too() {
    let body = json!({
        "content": [{ "type": "text", "text": "hi" }, { "type": "tool_use", "id": "t", "name": "A", "input": { "x": 1 } }],
        "stop_reason": "tool_use", "usage": { "input_tokens": 1, "output_tokens": 2 }
    });
    let answer = RecordedAnswer {
        path: "/v1/messages",
        status: 200,
        body: &body.to_string(),
        end: ExchangeEnd::Complete,
    };
    let read = serde_json::to_value(recorded_reply(&answer)).unwrap();
    let calls = json!([{ "id": "t", "name": "A", "args": { "x": 1 }, "chunks": 1 }]);
    assert_eq!(
        read,
        json!({ "text": ["hi"], "tool_calls": calls, "usage": { "input": 1, "output": 2 } })
    );
    let page = RecordedAnswer {
        path: "/v1/models",
        ..answer
    };
    assert_eq!(recorded_reply(&page), None);
    let html = RecordedAnswer {
        status: 502,
        body: "<html>",
        ..answer
    };
    let read = serde_json::to_value(recorded_reply(&html)).unwrap();
    assert_eq!(
        read,
        json!({ "error": { "status": 502, "body": "<html>" } })
    );
}

#[test]
fn an_array_that_breaks_off_has_its_complete_elements() {
    let whole = r#"[{"candidates":[{"content":{"parts":[{"text":"a"}]},"logprobs":[{}]}]}
,
{"candidates":[{"content":{"parts":[{"text":"b"}]}}]}"#;
    for end in whole.find('\n').unwrap()..whole.len() {
        let answer = RecordedAnswer {
            path: WIRES[3].1,
            status: 200,
            body: &whole[..end],
            end: ExchangeEnd::Cut,
        };
        let read = serde_json::to_value(recorded_reply(&answer)).unwrap();
        let content = json!([{ "text": ["a"] }, { "cut": "close" }]);
        assert_eq!(read["content"], content, "{end}");
        let lost = recorded_losses(&answer);
        assert_eq!(lost.len(), 1, "{lost:?}");
    }
}
