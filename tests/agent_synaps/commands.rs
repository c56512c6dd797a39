use crate::harness::playing;
use serde_json::{Value, json};

fn refused(line: &str) -> Value {
    let mut agent = playing(&json!([]));
    agent.raw(format!("{line}\n"));
    let refusal = agent.next();
    assert_eq!(refusal["type"], "error", "{line}");
    assert!(refusal["message"].is_string(), "{line}");
    assert_eq!(agent.ask("get_state")["type"], "response", "{line}");
    refusal
}

#[test]
fn what_is_no_command_gets_an_error_and_the_agent_lives_on() {
    for line in [
        "{oops",
        "[1]",
        "7",
        "{\"type\":\"get_state\"}",
        "{\"type\":\"get_state\",\"id\":7}",
    ] {
        assert_eq!(refused(line).get("id"), None, "{line}");
    }
}

#[test]
fn the_error_has_the_id_that_the_frame_has() {
    for line in [
        r#"{"type":"levitate","id":"x"}"#,
        r#"{"type":"prompt","id":"x"}"#,
        r#"{"type":"prompt","id":"x","message":{}}"#,
        r#"{"id":"x"}"#,
    ] {
        assert_eq!(refused(line)["id"], "x", "{line}");
    }
}

#[test]
fn bytes_that_are_not_utf8_get_an_error() {
    let mut agent = playing(&json!([]));

    agent.raw(b"{\"type\":\"get_state\",\"id\":\"\xff\"}\n\n\r\n");

    assert_eq!(agent.next().get("id"), None);
    assert_eq!(agent.ask("get_state")["type"], "response");
}

#[test]
fn ids_come_back_as_they_are() {
    let mut agent = playing(&json!([]));
    for id in ["", "42", "null", " 日本 \"q\" \\ \t ", "\u{2028}"] {
        agent.send(&json!({ "type": "get_state", "id": id }));

        assert_eq!(agent.next()["id"], id);
    }
}

#[test]
fn keys_in_any_order_and_lines_with_carriage_returns_are_taken() {
    let mut agent = playing(&json!([]));

    agent.raw("{ \"id\" : \"k\" , \"pad\": [1], \"type\" : \"get_state\" }\r\n");

    assert_eq!(agent.next()["id"], "k");
}
