//! Cancellation, whatever the agent is doing.

use super::harness::{Client, Setup, kinds, tool_call, wait_until_gone};
use serde_json::{Value, json};

/// Cancels a turn once this message has come; checks that the next turn is as usual.
fn cancelled(
    setup: Setup,
    replies: &Value,
    capabilities: Value,
    at: &str,
) -> (Client, Vec<String>) {
    let mut client = setup.script(replies).session(capabilities);
    client.answer = |message| match message["method"].as_str() {
        Some("terminal/create") => Some(json!({ "result": { "terminalId": "t" } })),
        _ => None,
    };
    let id = client.send_prompt("go");
    let mut seen = client.agent.until_match(|message| {
        super::harness::kind(message) == at || message["method"] == "terminal/create"
    });
    if at.starts_with("terminal/") {
        let create = seen.pop().unwrap()["id"].clone();
        client
            .agent
            .send(&json!({ "jsonrpc": "2.0", "id": create, "result": { "terminalId": "t" } }));
        client.wait_for(at);
    }
    client.cancel();
    client.cancel();
    let rest = kinds(&client.until_answered(id));
    assert_eq!(kinds(&client.turn("next")).pop().unwrap(), "end_turn");
    (client, rest)
}

#[test]
fn a_stream_is_cancelled() {
    let replies =
        json!([{ "content": [{ "text": "half" }, { "stall": true }] }, { "text": "next" }]);
    let (_, rest) = cancelled(Setup::new(), &replies, json!({}), "agent_message_chunk");
    assert_eq!(rest, ["cancelled"]);
}

#[test]
fn an_open_permission_is_cancelled() {
    let replies =
        json!([tool_call("a", "Bash", json!({ "command": "touch ran" })), { "text": "next" }]);
    let (client, rest) = cancelled(
        Setup::new(),
        &replies,
        json!({}),
        "session/request_permission",
    );
    assert_eq!(
        rest,
        ["$/cancel_request", "tool_call_update failed", "cancelled"]
    );
    assert!(!client.agent.dir.path().join("ran").exists());
}

#[test]
fn a_running_tool_is_killed() {
    let command = json!({ "command": "echo $$ > pid; sleep 60" });
    let replies = json!([tool_call("a", "Bash", command), { "text": "next" }]);
    let setup = Setup::new().args(&["--mode", "bypass"]);
    let (client, rest) = cancelled(setup, &replies, json!({}), "tool_call_update in_progress");
    assert_eq!(rest, ["tool_call_update failed", "cancelled"]);
    if client.agent.dir.path().join("pid").exists() {
        wait_until_gone(&client.agent.read_pid("pid"));
    }
}

#[test]
fn a_terminal_is_killed_and_released() {
    let replies =
        json!([tool_call("a", "Bash", json!({ "command": "sleep 60" })), { "text": "next" }]);
    let setup = Setup::new().args(&["--mode", "bypass"]);
    let (_, rest) = cancelled(
        setup,
        &replies,
        json!({ "terminal": true }),
        "terminal/wait_for_exit",
    );
    assert_eq!(
        rest,
        [
            "$/cancel_request",
            "terminal/kill",
            "terminal/release",
            "tool_call_update failed",
            "cancelled"
        ]
    );
}

#[test]
fn a_request_that_is_cancelled_is_answered_with_its_error() {
    let replies =
        json!([{ "content": [{ "text": "half" }, { "stall": true }] }, { "text": "next" }]);
    let mut client = Setup::new().script(&replies).session(json!({}));
    let id = client.send_prompt("go");
    client.wait_for("agent_message_chunk");
    client.notify("$/cancel_request", json!({ "requestId": id }));
    assert_eq!(
        client.until_answered(id).pop().unwrap()["error"]["code"],
        -32800
    );
    assert_eq!(
        kinds(&client.turn("next")),
        ["agent_message_chunk", "end_turn"]
    );
}
