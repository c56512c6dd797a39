//! Every key of a model script has the same effect in the process as over HTTP. The keys come from the format's schema, so that none
//! can be forgotten.

use crate::scripts::process::{Agent, Workspace, command};
use mock_provider::Script;
use mock_provider::server::{Observer, Server, ServerOptions};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

/// A script, and what is known of a session with it.
struct Sample {
    /// Its replies.
    script: Value,
    prompts: usize,
    /// The waits in it take at least this long.
    at_least: Duration,
}

fn sample(script: Value) -> Sample {
    Sample {
        script,
        prompts: 1,
        at_least: Duration::ZERO,
    }
}

fn slow(script: Value, at_least: u64) -> Sample {
    Sample {
        at_least: Duration::from_millis(at_least),
        ..sample(script)
    }
}

fn samples() -> Vec<Sample> {
    let expect = json!({
        "contains": "go", "not_contains": "stop", "last_contains": "go", "body": { "messages": "$any" },
    });
    let glob =
        |id: &str| json!({ "id": id, "name": "Glob", "args": { "pattern": "*" }, "chunks": 3 });
    let raw = json!({ "name": "Glob", "args_raw": "{\"pattern\": \"*\"}" });
    let fragments = json!({ "name": "Glob", "args_raw": ["{\"pattern\": ", "\"*\"}"] });
    let args = json!({ "chunk": "{\"pattern\": \"*\"}", "times": 1 });
    let repeated = json!({ "name": "Glob", "args_raw": args });
    let result = json!({ "call": "c1", "is_error": false, "contains": "a", "not_contains": "b" });
    vec![
        sample(json!([
            { "when": { "contains": "no such text" }, "text": "never" },
            { "when": expect, "expect_request": expect, "thinking": { "text": ["a", "b"], "signature": "s" },
              "tool_calls": [glob("c1"), glob("c2")], "interleave": true,
              "usage": { "input": 1, "output": 2, "cache_read": 3, "cache_write": 4, "reasoning": 1 } },
            { "when": { "tool_result": result }, "expect_request": { "tool_result": result },
              "tool_calls": [raw, fragments, repeated] },
            { "text": ["a", "b"], "stop": "end_turn" },
        ])),
        sample(json!([
            { "text": { "chunk": "ab", "times": 3 }, "thinking": { "text": { "chunk": "t", "times": 2 } },
              "stop": "max_tokens" },
        ])),
        sample(json!([
            { "content": [
                { "thinking": { "chunk": "t", "times": 2 } },
                { "thinking": { "text": { "chunk": "t", "times": 2 }, "signature": "s" } },
                { "redacted_thinking": "opaque" },
                { "text": { "chunk": "x", "times": 2 } },
                { "tool_call": glob("c1") }, { "tool_call": raw }, { "tool_call": repeated },
            ], "stop": "tool_use" },
            { "thinking": { "chunk": "t", "times": 2 }, "text": "x", "stop": "stop_sequence" },
        ])),
        Sample {
            prompts: 4,
            ..sample(json!([
                { "text": "again", "repeat": 2, "stop": "refusal", "stop_details": { "category": "cyber", "explanation": "why" } },
                { "text": "full", "stop": "model_context_window_exceeded" },
                { "text": "pause", "repeat": "forever", "stop": "pause_turn" },
            ]))
        },
        Sample {
            prompts: 4,
            ..sample(json!([
                { "error": { "status": 429, "type": "rate_limit_error", "message": "Slow down", "code": "slow", "headers": { "retry-after": 2 } } },
                { "error": { "status": 502, "body": "<html>" } },
                { "error": { "status": 529 } },
                { "content": [{ "text": "half" }, { "error": { "type": "overloaded_error", "message": "Overloaded" } }] },
            ]))
        },
        Sample {
            prompts: 3,
            ..sample(json!([{ "cut": "close" }, { "cut": "reset" }, { "cut": "end" }]))
        },
        sample(json!([
            { "content": [{ "text": "a" }, { "cut": "close" }] },
            { "content": [{ "text": "b" }, { "cut": "end" }] },
            { "content": [{ "text": "c" }, { "cut": "reset" }] },
        ])),
        slow(
            json!([
                { "gate": "before", "delay": "20ms", "content": [
                    { "gate": "first" }, { "delay": "20ms" }, { "ping": true }, { "raw": ": a comment\n\n" }, { "text": "a" },
                    { "stall": { "for": "20ms", "pings": "5ms" } }, { "stall": { "for": "20ms" } }, { "text": "b" },
                ] },
            ]),
            80,
        ),
        sample(json!([{ "content": [{ "text": "a" }, { "stall": true }] }, { "text": "unused" }])),
        sample(
            json!([{ "content": [{ "text": "a" }, { "raw": "data: no JSON\n\n" }, { "text": "b" }] }]),
        ),
        slow(
            json!([{ "text": ["a", "b", "c"], "delivery": { "pause": "10ms", "crlf": true } }]),
            50,
        ),
        slow(
            json!([{ "text": ["a", "ä", "c"], "delivery": { "every": 40, "pause": "5ms" } }]),
            50,
        ),
        slow(
            json!([{ "text": ["a", "b"], "delivery": { "at": [3, 100], "pause": "20ms" } }]),
            40,
        ),
        sample(json!([{ "text": ["a", "b"], "delivery": { "whole": true } }])),
    ]
}

/// The keys of a schema, each with those that lead to it, and the values of words, such as `content.stall.for` and `stop=refusal`.
fn keys_of_schema(root: &Value, schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.trim_start_matches('#')).unwrap();
        return keys_of_schema(root, target, path, found);
    }
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{key}");
        found.insert(path.clone());
        keys_of_schema(root, inner, &path, found);
    }
    for word in schema["enum"]
        .as_array()
        .into_iter()
        .flatten()
        .chain(schema.get("const"))
    {
        found.extend(word.as_str().map(|word| format!("{path}={word}")));
    }
    for several in ["anyOf", "oneOf"] {
        for inner in schema[several].as_array().into_iter().flatten() {
            keys_of_schema(root, inner, path, found);
        }
    }
    if schema.get("items").is_some() {
        keys_of_schema(root, &schema["items"], path, found);
    }
}

/// The keys of a value, in the same notation.
fn keys_of(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| keys_of(item, path, found)),
        Value::Object(members) => {
            for (key, inner) in members {
                let path = format!("{path}.{key}");
                found.insert(path.clone());
                keys_of(inner, &path, found);
            }
        }
        Value::String(word) => {
            found.insert(format!("{path}={word}"));
        }
        _ => {}
    }
}

#[test]
fn the_samples_have_every_key_of_the_format() {
    let format = conform::editor_schemas::FORMATS;
    let format = format
        .iter()
        .find(|format| format.name == "script")
        .unwrap();
    let schema = format.schema();
    let (mut keys, mut covered) = (BTreeSet::new(), BTreeSet::new());
    keys_of_schema(&schema, &schema, "", &mut keys);
    // A text with `repeat` is like any other once its file is read, `use` is a name then, and an expected text can have chunks like any other.
    // Which tool `offered` is depends on the agent.
    keys.retain(|key| {
        let is_read = key.ends_with(".repeat") || key.ends_with(".use");
        !is_read && !key.contains("contains.") && !key.contains(".offered")
    });
    for sample in samples() {
        keys_of(&sample.script, "", &mut covered);
    }
    assert!(keys.len() > 60, "{keys:?}");
    let missing: Vec<_> = keys.difference(&covered).collect();
    assert_eq!(missing, Vec::<&String>::new());
}

/// The lines of a session with the model of these arguments.
fn session(sample: &Sample, provider: &str, model: &[&str], workspace: &Workspace) -> Vec<String> {
    let flags = ["--json-stream", "--auto-approve", "--provider", provider];
    let mut command = command(workspace, &[&flags, model].concat());
    command
        .env("ANTHROPIC_API_KEY", "k")
        .env("OPENAI_API_KEY", "k");
    command.env("MOCK_AGENT_GATE_MS", "1");
    if sample.script.to_string().contains("{\"stall\":true}") {
        command.env("MOCK_AGENT_PATIENCE_MS", "1500");
    }
    let mut agent = Agent::spawn(&mut command);
    let mut lines = Vec::from_iter(agent.read());
    let start = Instant::now();
    for prompt in 0..sample.prompts {
        agent.send(&json!({ "type": "message", "msg_id": format!("m{prompt}"), "input": "go" }));
        while !lines.last().unwrap().contains("\"stream_end\"") {
            lines.extend(agent.read());
        }
        lines.push("(next)".into());
    }
    assert!(start.elapsed() >= sample.at_least, "{}", sample.script);
    lines
}

fn over_http(sample: &Sample, provider: &str) -> Vec<String> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let script = Script::from_value(sample.script.clone()).unwrap();
    assert_eq!(script.check(), []);
    let options = ServerOptions {
        open_gates: true,
        ..ServerOptions::default()
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = runtime.block_on(async {
        Server::observed(address, script, options, Observer::new(drop)).unwrap()
    });
    let url = server.url();
    let lines = session(sample, provider, &["--base-url", &url], &Workspace::new());
    runtime.block_on(server.shutdown());
    lines
}

fn in_process(sample: &Sample, provider: &str) -> Vec<String> {
    let workspace = Workspace::new();
    // The model must not see the file in the workspace.
    let folder = Workspace::new();
    let path = folder.write("script.json", &sample.script.to_string());
    session(sample, provider, &["--script", &path], &workspace)
}

fn check(provider: &str) {
    for sample in samples() {
        let (http, here) = (over_http(&sample, provider), in_process(&sample, provider));
        similar_asserts::assert_eq!(http, here, "{}", sample.script);
    }
}

#[test]
fn they_have_the_same_effect_over_anthropic_messages() {
    check("anthropic");
}

#[test]
fn they_have_the_same_effect_over_openai_chat() {
    check("openai");
}
