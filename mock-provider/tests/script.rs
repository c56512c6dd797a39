//! The script grammar and the messages of its mistakes.

use mock_provider::Script;
use mock_provider::script::ScriptReply;
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn the_script_of_the_page_is_one() {
    let page = include_str!("../README.md");
    let (_, block) = page.split_once("```yaml\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let node = spanned_yaml::load_yaml("README.md", block).unwrap();
    let script = Script::load(&node, Path::new(".")).unwrap();
    assert!(script.replies.len() > 5);
}

#[test]
fn every_form_of_the_script_survives_a_round_trip() {
    let script = json!([
        { "text": "Hi" },
        { "text": ["Hi", " there"], "usage": { "input": 10, "output": 5, "cache_read": 1, "cache_write": 2, "reasoning": 3 }, "stop": "max_tokens" },
        { "thinking": "hmm", "tool_calls": [{ "id": "t1", "name": "Write", "args": { "a": 1 }, "chunks": 3 }, { "name": "X", "args_raw": "{bad" }], "interleave": true },
        { "thinking": { "text": ["a", "b"], "signature": "s" }, "text": "x", "repeat": 3 },
        { "content": [
            { "thinking": ["a"] }, { "redacted_thinking": "d" }, { "text": "x" }, { "tool_call": { "name": "A" } }, { "gate": "g1" },
            { "delay": "20ms" }, { "ping": true }, { "raw": "x" }, { "stall": { "for": "1s", "pings": "10ms" } },
            { "error": { "type": "overloaded_error", "message": "o" } }
        ]},
        { "content": [{ "text": "x" }, { "cut": "reset" }] },
        { "content": [{ "stall": true }] },
        { "error": { "status": 429, "type": "rate_limit_error", "message": "m", "code": "c", "headers": { "retry-after": "1", "x-n": 2 } } },
        { "error": { "status": 502, "body": "<html>" }, "gate": "g2", "delay": "1.5s" },
        { "cut": "close" },
        { "text": "x", "stop": "refusal", "stop_details": { "category": "bio", "explanation": null } },
        { "text": "x", "stop": "model_context_window_exceeded" },
        { "text": "x", "delivery": { "whole": true } },
        { "text": "x", "delivery": { "every": 1, "pause": "1ms", "crlf": true } },
        { "text": "x", "delivery": { "at": [1, 5] } },
        { "when": { "contains": "a" }, "text": "x", "repeat": "forever" },
        { "expect_request": {
            "contains": ["a", "b"], "not_contains": "c", "last_contains": "d",
            "tool_result": { "call": "t", "is_error": true, "contains": "x", "not_contains": ["y"] }, "body": { "model": { "$regex": "^m" } }
        }, "text": "x" },
    ]);
    let read = Script::from_value(script).expect("a script");

    assert_eq!(read.check(), []);
    assert_eq!(read.gates().collect::<Vec<_>>(), ["g1", "g2"]);
    let written = serde_json::to_value(&read).expect("JSON");
    assert_eq!(Script::from_value(written).expect("the same script"), read);
}

#[test]
fn a_value_that_does_not_decode_is_reported_with_its_reply() {
    let cases = [
        (
            json!([{ "text": "a" }, { "txt": "a" }]),
            "/1: unknown field `txt`",
        ),
        (
            json!([{ "text": 5 }]),
            "/0: expected a text, a list of texts, or",
        ),
        (
            json!([{ "text": "x", "repeat": 0 }]),
            "/0: expected a number of times, at least 1, or `forever`",
        ),
        (
            json!([{ "text": "x", "repeat": "always" }]),
            "expected a number of times",
        ),
        (
            json!([{ "text": "x", "delay": 5 }]),
            "expected a duration with its unit",
        ),
        (
            json!([{ "text": "x", "delay": "5 parsecs" }]),
            "expected a duration with its unit",
        ),
        (
            json!([{ "text": "x", "delay": "-5s" }]),
            "expected a duration with its unit",
        ),
        (
            json!([{ "content": [{ "stall": false }] }]),
            "expected `true` (silent until",
        ),
        (
            json!([{ "content": [{ "cut": "off" }] }]),
            "unknown variant `off`, expected one of `close`, `reset`, `end`",
        ),
        (
            json!([{ "content": [{ "pong": true }] }]),
            "unknown variant `pong`",
        ),
        (
            json!([{ "text": "x", "delivery": { "every": 0 } }]),
            "expected a nonzero usize",
        ),
        (
            json!([{ "text": "x", "expect_request": { "contain": "x" } }]),
            "unknown field `contain`",
        ),
        (
            json!([{ "thinking": { "signature": "s" } }]),
            "expected a text, a list of texts, or `{ text, signature }`",
        ),
        (json!("x"), "/: a model script is a list of replies"),
    ];
    for (script, words) in cases {
        let problem = Script::from_value(script.clone())
            .expect_err("a mistake")
            .to_string();
        assert!(problem.contains(words), "{script}: {problem}");
    }
}

#[test]
fn every_other_mistake_is_reported_with_its_pointer() {
    let cases: Vec<(Value, &str, &str)> = vec![
        (json!([{}]), "/0", "says nothing"),
        (
            json!([{ "when": { "contains": "x" } }]),
            "/0",
            "says nothing",
        ),
        (
            json!([{ "text": "x", "content": [] }]),
            "/0",
            "exclude each other",
        ),
        (
            json!([{ "text": "x", "stop_details": {} }]),
            "/0",
            "`stop_details` belongs to `stop: refusal`",
        ),
        (
            json!([{ "text": "x", "error": { "status": 500 } }]),
            "/0",
            "exclude each other",
        ),
        (
            json!([{ "error": { "status": 500 }, "stop": "end_turn" }]),
            "/0",
            "belong to an answer",
        ),
        (json!([{ "text": [] }]), "/0/text", "empty list"),
        (
            json!([{ "tool_calls": [{ "id": "a" }] }]),
            "/0/tool_calls/0/name",
            "must not be empty",
        ),
        (
            json!([{ "content": [{ "thinking": { "text": [] } }] }]),
            "/0/content/0/thinking",
            "empty list",
        ),
        (
            json!([{ "tool_calls": [{ "name": "A", "args": {}, "args_raw": "x" }] }]),
            "/0/tool_calls/0",
            "exclude each other",
        ),
        (
            json!([{ "tool_calls": [{ "name": "" }] }]),
            "/0/tool_calls/0/name",
            "must not be empty",
        ),
        (
            json!([{ "tool_calls": [{ "name": "A", "args": [1] }] }]),
            "/0/tool_calls/0/args",
            "must be a mapping",
        ),
        (
            json!([{ "tool_calls": [{ "name": "A", "chunks": 0 }] }]),
            "/0/tool_calls/0/chunks",
            "at least 1",
        ),
        (
            json!([{ "tool_calls": [{ "name": "A", "id": "x" }, { "name": "B", "id": "x" }] }]),
            "/0",
            "two tool calls have the id `x`",
        ),
        (
            json!([{ "tool_calls": [{ "name": "A" }], "interleave": true }]),
            "/0",
            "at least two",
        ),
        (
            json!([{ "content": [{ "cut": "close" }, { "text": "x" }] }]),
            "/0/content/1",
            "never reached",
        ),
        (
            json!([{ "text": "x", "gate": "g" }, { "content": [{ "gate": "g" }] }]),
            "/1",
            "the gate `g` is named twice",
        ),
        (
            json!([{ "text": "x", "repeat": "forever" }, { "text": "y" }]),
            "/1",
            "never served",
        ),
        (
            json!([{ "error": { "status": 200 } }]),
            "/0/error/status",
            "300 to 599",
        ),
        (
            json!([{ "error": { "status": 500, "body": "x", "message": "y" } }]),
            "/0/error",
            "`body` replaces",
        ),
        (
            json!([{ "error": { "status": 500, "headers": { "a b": "c" } } }]),
            "/0/error/headers/a b",
            "not a header name",
        ),
        (
            json!([{ "error": { "status": 500, "headers": { "content-length": 3 } } }]),
            "/0/error/headers/content-length",
            "sets this header itself",
        ),
        (
            json!([{ "text": "x", "expect_request": {} }]),
            "/0/expect_request",
            "the expectation is empty",
        ),
        (
            json!([{ "text": "x", "delivery": { "every": 1, "at": [1] } }]),
            "/0/delivery",
            "at most one of",
        ),
        (
            json!([{ "text": "x", "delivery": { "at": [5, 1] } }]),
            "/0/delivery",
            "must ascend",
        ),
        (
            json!([{ "text": "x", "when": { "body": { "a": { "$regex": "(" } } } }]),
            "/0/when/body/a/$regex",
            "not a regular expression",
        ),
    ];
    for (script, pointer, words) in cases {
        let problems = Script::from_value(script.clone())
            .expect("it decodes")
            .check();
        assert_eq!(problems.len(), 1, "{script}: {problems:?}");
        assert_eq!(problems[0].pointer, pointer, "{script}");
        assert!(
            problems[0].message.contains(words),
            "{script}: {problems:?}"
        );
    }
}

#[test]
fn the_schema_for_editors_has_a_description_for_every_field_of_a_reply() {
    let schema = schemars::schema_for!(ScriptReply).to_value();

    let properties = schema["properties"].as_object().expect("properties");
    assert!(properties.len() > 12);
    for (name, property) in properties {
        assert!(property["description"].is_string(), "{name}");
    }
    assert_eq!(schema["additionalProperties"], false);
}
