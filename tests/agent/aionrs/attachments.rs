//! Files attached to a message.

use crate::aionrs::harness::{Setup, kinds, text};
use serde_json::json;

#[test]
fn attached_files_are_part_of_the_model_request() {
    let script = json!([{
        "when": { "contains": ["quokka", "look at this"], "body": { "messages": [
            { "content": [{ "type": "text" }, { "type": "image" }, { "type": "text" }] },
        ] } },
        "text": "seen",
    }]);
    let mut agent = Setup::new()
        .file("a.txt", "quokka")
        .file("a.png", b"\x89PNG\r\n\x1a\n")
        .script(&script)
        .ready();
    let image = agent.dir.path().join("a.png");

    agent.send(&json!({ "type": "message", "msg_id": "m1", "input": "look at this", "files": ["a.txt", image] }));

    assert_eq!(text(&agent.until("stream_end")), "seen");
}

#[test]
fn a_missing_file_ends_the_turn_without_a_model_request() {
    let script = json!([{ "text": "only once" }]);
    let mut agent = Setup::new().script(&script).ready();

    agent.send(
        &json!({ "type": "message", "msg_id": "m1", "input": "look", "files": ["gone.txt"] }),
    );

    let events = agent.until("stream_end");
    assert_eq!(kinds(&events), ["stream_start", "error", "stream_end"]);
    assert_eq!(events[1]["msg_id"], "m1");
    assert_eq!(
        events[1]["error"],
        json!({ "code": "protocol_error", "message": "Attachment gone.txt: no such file", "retryable": false })
    );
    agent.message("m2", "never mind");
    assert_eq!(text(&agent.until("stream_end")), "only once");
}
