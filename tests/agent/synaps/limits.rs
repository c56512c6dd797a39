//! The maximum length of a frame.

use crate::synaps::harness::start_with_script;
use serde_json::json;

/// The longest frame, without its newline.
const LIMIT: usize = 1 << 20;

fn padded_command(id: &str, length: usize) -> String {
    let head = format!("{{\"type\":\"get_state\",\"id\":\"{id}\",\"pad\":\"");
    let pad = "x".repeat(length - head.len() - 2);
    format!("{head}{pad}\"}}\n")
}

#[test]
fn a_frame_of_the_maximum_length_is_accepted_and_one_byte_more_is_not() {
    let mut agent = start_with_script(&json!([]));

    agent.send_raw(padded_command("fits", LIMIT));
    assert_eq!(agent.next()["id"], "fits");
    agent.send_raw(padded_command("big", LIMIT + 1));
    let refusal = agent.next();
    assert_eq!(
        (&refusal["type"], refusal.get("id")),
        (&json!("error"), None)
    );
    assert_eq!(agent.ask("get_state")["id"], "get_state");
}

#[test]
fn an_endless_line_is_refused_once_and_before_it_ends() {
    let mut agent = start_with_script(&json!([]));

    agent.send_raw("x".repeat(LIMIT + 1));
    assert_eq!(agent.next()["type"], "error");
    for _ in 0..8 {
        agent.send_raw("x".repeat(LIMIT));
    }
    agent.send_raw("\n");

    assert_eq!(agent.ask("get_state")["id"], "get_state");
}

#[test]
fn no_frame_is_longer_than_the_limit() {
    let long = "\"ä".repeat(LIMIT / 4);
    let args = json!({ "command": "true", "note": long });
    let mut agent = start_with_script(&json!([
        { "text": long, "tool_calls": [{ "id": "c", "name": "bash", "args": args }] },
        { "text": "done" },
    ]));
    agent.prompt("p", "go");

    let mut text = String::new();
    loop {
        let line = agent.next_line().unwrap();
        assert!(line.len() < LIMIT);
        let event: serde_json::Value = serde_json::from_str(&line).unwrap();
        if event["event"]["type"] == "text_delta" {
            text.push_str(event["event"]["delta"].as_str().unwrap());
        }
        if event["type"] == "response" {
            break;
        }
    }

    assert_eq!(text, format!("{long}done"));
    let messages = agent.ask("get_messages");
    assert_eq!(
        (&messages["type"], &messages["id"]),
        (&json!("error"), &json!("get_messages"))
    );
}

#[test]
fn an_id_that_is_too_long_for_a_response_is_not_echoed() {
    let mut agent = start_with_script(&json!([]));
    let id = "i".repeat(LIMIT - 40);

    agent.send(&json!({ "type": "get_state", "id": id }));

    let refusal = agent.next();
    assert_eq!(
        (&refusal["type"], refusal.get("id")),
        (&json!("error"), None)
    );
}
