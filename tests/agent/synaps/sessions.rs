//! Sessions: saving, resuming, statistics.

use crate::synaps::harness::{Setup, kinds, start_with_script, tool_call};
use serde_json::json;

#[test]
fn get_messages_returns_the_conversation() {
    let mut agent = start_with_script(&json!([
        tool_call("c", "bash", json!({ "command": "echo hi" })),
        { "text": "done" },
    ]));
    agent.turn("go");

    assert_eq!(
        agent.ask("get_messages")["messages"],
        json!([
            { "role": "user", "content": "go" },
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "c", "name": "bash", "input": { "command": "echo hi" } }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": "hi\n" }] },
            { "role": "assistant", "content": [{ "type": "text", "text": "done" }] },
        ])
    );
}

#[test]
fn a_new_session_has_a_new_id_and_is_empty() {
    for sessions in ["", "off"] {
        let mut agent = Setup::new()
            .script(&json!([{ "text": "a", "usage": { "input": 5 } }]))
            .env("MOCK_AGENT_SESSIONS", sessions)
            .ready();
        agent.turn("hi");
        let first = agent.ask("get_state")["session_id"].clone();

        let second = agent.ask("new_session")["session_id"].clone();

        assert_ne!(first, second);
        let state = agent.ask("get_state");
        assert_eq!(
            (&state["session_id"], &state["message_count"]),
            (&second, &json!(0))
        );
        assert_eq!(agent.ask("get_session_stats")["input_tokens"], 0);
    }
}

#[test]
fn statistics_add_up_over_turns() {
    let mut agent = start_with_script(&json!([
        { "text": "a", "usage": { "input": 100, "output": 11 } },
        { "text": "b", "usage": { "input": 1000, "output": 22 } },
    ]));
    agent.turn("a");
    agent.turn("b");

    let stats = agent.ask("get_session_stats");

    assert_eq!(
        (&stats["input_tokens"], &stats["output_tokens"]),
        (&json!(1100), &json!(33))
    );
}

#[test]
fn compact_replaces_the_conversation_with_a_summary() {
    let mut agent = start_with_script(&json!([{ "text": "long" }, { "text": "SUMMARY" }]));
    agent.turn("a story");

    assert_eq!(agent.ask("compact")["summary"], "SUMMARY");

    let messages = agent.ask("get_messages")["messages"].to_string();
    assert!(
        messages.contains("SUMMARY") && !messages.contains("long"),
        "{messages}"
    );
}

#[test]
fn a_compaction_that_fails_or_is_aborted_changes_nothing() {
    let mut agent = start_with_script(&json!([
        { "text": "one" },
        { "error": { "status": 400 } },
        { "content": [{ "stall": true }] },
    ]));
    assert_eq!(agent.ask("compact")["type"], "error");
    agent.turn("hi");
    assert_eq!(agent.ask("compact")["type"], "error");

    agent.send(&json!({ "type": "compact", "id": "c" }));
    agent.send(&json!({ "type": "abort", "id": "a" }));

    let ends = agent.until_answer("a");
    assert_eq!(kinds(&ends), ["error", "response"]);
    assert_eq!(ends[0]["id"], "c");
    assert_eq!(agent.ask("get_state")["message_count"], 2);
}

#[test]
fn models_are_listed_and_set() {
    let settings = "provider.one.models = a, b\nprovider.two.models = c\nmodel = one/a\n";
    let mut agent = Setup::new().settings(settings).ready();

    let models = agent.ask("get_available_models")["models"].clone();
    assert_eq!(models.as_array().unwrap().len(), 3);
    assert_eq!(
        models[2],
        json!({ "provider": "two", "model_id": "c", "model_name": "c" })
    );
    for (requested, expected) in [("two/d", "two/d"), ("b", "one/b")] {
        agent.send(&json!({ "type": "set_model", "id": "m", "model": requested }));
        assert_eq!(agent.next()["model"], expected);
        assert_eq!(agent.ask("get_state")["model"], expected);
    }
    for unknown in ["three/x", "x", "one/", ""] {
        agent.send(&json!({ "type": "set_model", "id": "m", "model": unknown }));
        let refusal = agent.next();
        assert_eq!(
            (&refusal["type"], &refusal["id"]),
            (&json!("error"), &json!("m"))
        );
    }
    assert_eq!(agent.ask("get_state")["model"], "one/b");
    assert_eq!(agent.turn("hi").last().unwrap()["ok"], true);
}

#[test]
fn the_settings_of_the_page_add_the_model_of_the_specification() {
    let page = include_str!("../../../docs/mock-agent.md");
    let (_, rest) = page.split_once("```\nprovider.local.models").unwrap();
    let (rest, _) = rest.split_once("```").unwrap();
    let settings = format!("provider.local.models{rest}");
    let mut agent = Setup::new().settings(&settings).ready();
    let model = "claude-opus-4-5";
    agent.send(&json!({ "type": "set_model", "id": "m", "model": model }));
    assert_eq!(agent.next()["model"], format!("anthropic/{model}"));
    assert_eq!(agent.turn("hi").last().unwrap()["ok"], true);
}
