//! Turns: events, usage, ids.

use crate::synaps::harness::{Setup, kinds, start_with_script, tool_call};
use serde_json::{Value, json};

#[test]
fn a_text_turn_has_deltas_an_end_and_a_response() {
    let mut agent = start_with_script(&json!([
        { "thinking": "hm", "text": ["a", "b"], "usage": { "input": 10, "output": 2, "cache_read": 3, "cache_write": 4 } },
    ]));

    let events = agent.turn("hi");

    assert_eq!(
        events,
        [
            json!({ "type": "message_update", "event": { "type": "thinking_delta", "delta": "hm" } }),
            json!({ "type": "message_update", "event": { "type": "text_delta", "delta": "a" } }),
            json!({ "type": "message_update", "event": { "type": "text_delta", "delta": "b" } }),
            json!({ "type": "agent_end", "usage": {
                "input_tokens": 10, "output_tokens": 2, "cache_read_input_tokens": 3,
                "cache_creation_input_tokens": 4, "model": "local/mock-model",
            } }),
            json!({ "type": "response", "id": "p", "command": "prompt", "ok": true }),
        ]
    );
}

#[test]
fn a_tool_call_is_streamed_and_its_result_reported() {
    let mut agent = start_with_script(&json!([
        { "tool_calls": [{ "id": "c", "name": "bash", "args": { "command": "echo hi" }, "chunks": 3 }] },
        { "text": "ok" },
    ]));

    let events = agent.turn("go");

    assert_eq!(
        kinds(&events),
        [
            "toolcall_start",
            "toolcall_input_delta",
            "toolcall_input_delta",
            "toolcall_input_delta",
            "toolcall_input",
            "toolcall_result",
            "text_delta",
            "agent_end",
            "response",
        ]
    );
    let deltas = events[1..4]
        .iter()
        .map(|event| event["event"]["delta"].as_str());
    let joined: Value =
        serde_json::from_str(&deltas.map(Option::unwrap).collect::<String>()).unwrap();
    assert_eq!(joined, events[4]["event"]["input"]);
    assert_eq!(events[5]["event"]["result"], "hi\n");
}

#[test]
fn an_invalid_call_has_a_result_too() {
    let bad = json!({ "id": "b", "name": "bash", "args_raw": "{bad" });
    let mut agent = start_with_script(&json!([
        { "tool_calls": [{ "id": "a", "name": "fly", "args": {} }, bad] },
        { "text": "ok" },
    ]));

    let events = agent.turn("go");

    let results = events
        .iter()
        .filter(|event| event["event"]["type"] == "toolcall_result");
    let ids: Vec<_> = results.map(|event| &event["event"]["tool_id"]).collect();
    assert_eq!(ids, ["a", "b"]);
    let inputs = kinds(&events);
    assert_eq!(
        inputs
            .iter()
            .filter(|kind| **kind == "toolcall_input")
            .count(),
        1
    );
    assert_eq!(events.last().unwrap()["ok"], true);
}

#[test]
fn repeated_call_ids_of_the_model_are_made_unique() {
    let reply = tool_call("c", "bash", json!({ "command": "true" }));
    let mut agent = start_with_script(&json!([reply, reply, { "text": "ok" }]));

    let events = agent.turn("go");

    let starts = events
        .iter()
        .filter(|event| event["event"]["type"] == "toolcall_start");
    let ids: Vec<_> = starts.map(|event| &event["event"]["tool_id"]).collect();
    assert_eq!(ids, ["c", "c-2"]);
}

#[test]
fn a_failed_turn_has_an_error_an_end_without_a_model_and_a_response() {
    let mut agent = start_with_script(&json!([
        { "error": { "status": 400, "type": "invalid_request_error", "message": "no" } },
        { "text": "again" },
    ]));

    let events = agent.turn("hi");

    assert_eq!(kinds(&events), ["error", "agent_end", "response"]);
    assert_eq!(events[0]["id"], "p");
    assert_eq!(events[1]["usage"].get("model"), None);
    assert_eq!(events[2]["ok"], false);
    assert_eq!(events[2]["error"], events[0]["message"]);
    assert_eq!(agent.turn("hi").last().unwrap()["ok"], true);
}

#[test]
fn a_reply_that_was_cut_off_is_not_repeated() {
    let broken = json!({ "content": [{ "text": "so far" }, { "cut": "close" }] });
    let mut agent = Setup::new()
        .script(&json!([broken, { "text": "whole" }]))
        .env("MOCK_AGENT_RETRIES", "3")
        .ready();

    let events = agent.turn("hi");

    assert_eq!(
        kinds(&events),
        ["text_delta", "error", "agent_end", "response"]
    );
}

#[test]
fn an_abort_is_answered_after_the_end_of_the_turn() {
    let mut agent = start_with_script(
        &json!([{ "content": [{ "text": "once" }, { "stall": true }] }, { "text": "two" }]),
    );
    agent.prompt("p", "tell");
    agent.next();

    agent.send(&json!({ "type": "abort", "id": "a" }));

    let events = agent.until_answer("a");
    assert_eq!(kinds(&events), ["agent_end", "response", "response"]);
    assert_eq!(
        events[1],
        json!({ "type": "response", "id": "p", "command": "prompt", "ok": true, "cancelled": true })
    );
    assert_eq!(
        events[2],
        json!({ "type": "response", "id": "a", "command": "abort", "ok": true })
    );
    assert_eq!(agent.turn("go on").last().unwrap()["ok"], true);
}

#[test]
fn an_abort_with_nothing_to_abort_is_answered() {
    let mut agent = start_with_script(&json!([]));

    assert_eq!(agent.ask("abort")["ok"], true);
}

#[test]
fn commands_that_start_a_turn_are_refused_during_a_turn() {
    let mut agent =
        start_with_script(&json!([{ "content": [{ "text": "a" }, { "stall": true }] }]));
    agent.prompt("p", "hi");
    agent.next();

    for command in ["compact", "new_session"] {
        assert_eq!(agent.ask(command)["type"], "error", "{command}");
    }
    agent.prompt("q", "me too");
    agent.send(&json!({ "type": "follow_up", "id": "f", "message": "me too" }));
    agent.send(&json!({ "type": "set_model", "id": "m", "model": "local/x" }));
    for id in ["q", "f", "m"] {
        let refusal = agent.next();
        assert_eq!(
            (&refusal["type"], &refusal["id"]),
            (&json!("error"), &json!(id))
        );
    }
    for query in [
        "get_state",
        "get_messages",
        "get_session_stats",
        "get_available_models",
    ] {
        assert_eq!(agent.ask(query)["type"], "response", "{query}");
    }
    assert_eq!(agent.ask("get_state")["streaming"], true);
}

#[test]
fn an_id_can_be_used_again() {
    let mut agent = start_with_script(&json!([{ "text": "one" }, { "text": "two" }]));

    assert_eq!(agent.turn("a").last().unwrap()["ok"], true);
    assert_eq!(agent.turn("b").last().unwrap()["ok"], true);
}

#[test]
fn the_response_to_a_follow_up_names_the_command() {
    let mut agent = start_with_script(&json!([{ "text": "one" }]));

    agent.send(&json!({ "type": "follow_up", "id": "f", "message": "go" }));

    assert_eq!(agent.expect("response")["command"], "follow_up");
}
