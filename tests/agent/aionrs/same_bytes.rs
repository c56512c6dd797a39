//! Determinism: the same script produces the same output.

use crate::aionrs::harness::{Setup, kinds};
use serde_json::{Value, json};

fn session() -> Vec<Value> {
    let bash = |id: Option<&str>, command| json!({ "id": id, "name": "Bash", "args": { "command": command } });
    let script = json!([
        { "thinking": "hm", "text": ["a", "b"], "tool_calls": [bash(None, "echo 1"), bash(Some("t2"), "echo 2"), bash(None, "echo 3")] },
        { "text": "done" },
        { "content": [{ "text": "half" }, { "error": { "type": "overloaded_error", "message": "Overloaded" } }] },
    ]);
    let mut agent = Setup::new()
        .script(&script)
        .args(&["--auto-approve"])
        .start();
    agent.message("m1", "go");
    agent.message("m2", "go on");
    let events = [agent.until("stream_end"), agent.until("stream_end")].concat();
    agent.finish();
    events
}

#[test]
fn the_same_script_gives_the_same_session_every_time() {
    let first = session();
    assert!(kinds(&first).contains(&"error"));

    for _ in 0..3 {
        assert_eq!(session(), first);
    }
}
