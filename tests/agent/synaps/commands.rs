//! Invalid and unusual command lines.

use crate::synaps::harness::start_with_script;
use serde_json::{Value, json};

fn refusal_of(line: &str) -> Value {
    let mut agent = start_with_script(&json!([]));
    agent.send_raw(format!("{line}\n"));
    let refusal = agent.next();
    assert_eq!(refusal["type"], "error", "{line}");
    assert!(refusal["message"].is_string(), "{line}");
    assert_eq!(agent.ask("get_state")["type"], "response", "{line}");
    refusal
}

#[test]
fn an_invalid_command_is_an_error_and_the_agent_continues() {
    for line in [
        "{oops",
        "[1]",
        "7",
        "{\"type\":\"get_state\"}",
        "{\"type\":\"get_state\",\"id\":7}",
    ] {
        assert_eq!(refusal_of(line).get("id"), None, "{line}");
    }
}

#[test]
fn the_error_has_the_id_of_the_frame() {
    for line in [
        r#"{"type":"levitate","id":"x"}"#,
        r#"{"type":"prompt","id":"x"}"#,
        r#"{"type":"prompt","id":"x","message":{}}"#,
        r#"{"id":"x"}"#,
    ] {
        assert_eq!(refusal_of(line)["id"], "x", "{line}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_an_error() {
    let mut agent = start_with_script(&json!([]));

    agent.send_raw(b"{\"type\":\"get_state\",\"id\":\"\xff\"}\n\n\r\n");

    assert_eq!(agent.next().get("id"), None);
    assert_eq!(agent.ask("get_state")["type"], "response");
}

#[test]
fn ids_are_returned_unchanged() {
    let mut agent = start_with_script(&json!([]));
    for id in ["", "42", "null", " 日本 \"q\" \\ \t ", "\u{2028}"] {
        agent.send(&json!({ "type": "get_state", "id": id }));

        assert_eq!(agent.next()["id"], id);
    }
}

#[test]
fn keys_in_any_order_and_carriage_returns_are_accepted() {
    let mut agent = start_with_script(&json!([]));

    agent.send_raw("{ \"id\" : \"k\" , \"pad\": [1], \"type\" : \"get_state\" }\r\n");

    assert_eq!(agent.next()["id"], "k");
}
