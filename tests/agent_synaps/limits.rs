use crate::harness::playing;
use serde_json::json;

/// The longest frame, without its newline.
const LIMIT: usize = 1 << 20;

fn padded(id: &str, length: usize) -> String {
    let head = format!("{{\"type\":\"get_state\",\"id\":\"{id}\",\"pad\":\"");
    let pad = "x".repeat(length - head.len() - 2);
    format!("{head}{pad}\"}}\n")
}

#[test]
fn a_frame_of_exactly_the_limit_is_taken_and_one_byte_more_is_not() {
    let mut agent = playing(&json!([]));

    agent.raw(padded("fits", LIMIT));
    assert_eq!(agent.next()["id"], "fits");
    agent.raw(padded("big", LIMIT + 1));
    let refusal = agent.next();
    assert_eq!(
        (&refusal["type"], refusal.get("id")),
        (&json!("error"), None)
    );
    assert_eq!(agent.ask("get_state")["id"], "get_state");
}

#[test]
fn an_endless_line_is_refused_once_and_before_it_ends() {
    let mut agent = playing(&json!([]));

    agent.raw("x".repeat(LIMIT + 1));
    assert_eq!(agent.next()["type"], "error");
    for _ in 0..8 {
        agent.raw("x".repeat(LIMIT));
    }
    agent.raw("\n");

    assert_eq!(agent.ask("get_state")["id"], "get_state");
}

#[test]
fn no_frame_is_longer_than_the_limit() {
    let long = "\"ä".repeat(LIMIT / 4);
    let args = json!({ "command": "true", "note": long });
    let mut agent = playing(&json!([
        { "text": long, "tool_calls": [{ "id": "c", "name": "bash", "args": args }] },
        { "text": "done" },
    ]));
    agent.prompt("p", "go");

    let mut said = String::new();
    loop {
        let line = agent.line().unwrap();
        assert!(line.len() < LIMIT);
        let event: serde_json::Value = serde_json::from_str(&line).unwrap();
        if event["event"]["type"] == "text_delta" {
            said.push_str(event["event"]["delta"].as_str().unwrap());
        }
        if event["type"] == "response" {
            break;
        }
    }

    assert_eq!(said, format!("{long}done"));
    let messages = agent.ask("get_messages");
    assert_eq!(
        (&messages["type"], &messages["id"]),
        (&json!("error"), &json!("get_messages"))
    );
}

#[test]
fn an_id_that_leaves_no_room_for_an_answer_is_not_echoed() {
    let mut agent = playing(&json!([]));
    let id = "i".repeat(LIMIT - 40);

    agent.send(&json!({ "type": "get_state", "id": id }));

    let refusal = agent.next();
    assert_eq!(
        (&refusal["type"], refusal.get("id")),
        (&json!("error"), None)
    );
}
