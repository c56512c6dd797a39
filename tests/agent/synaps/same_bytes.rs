//! Determinism: the same script produces the same output.

use crate::synaps::harness::{Setup, tool_call};
use serde_json::json;

fn session() -> Vec<String> {
    let bash =
        |id: &str, command| json!({ "id": id, "name": "bash", "args": { "command": command } });
    let mut agent = Setup::new()
        .script(&json!([
            { "thinking": "hm", "text": ["a", "b"], "tool_calls": [bash("t1", "echo 1"), bash("t2", "echo 2")] },
            tool_call("t3", "subagent", json!({ "task": "look" })),
            { "text": "looked" },
            { "text": "done" },
            { "error": { "status": 400 } },
        ]))
        .start();
    let mut lines = vec![agent.next_line().unwrap()];
    for (id, last) in [
        ("p1", "prompt"),
        ("p2", "prompt"),
        ("s", "get_session_stats"),
        ("n", "new_session"),
    ] {
        agent.send(&json!({ "type": last, "id": id, "message": "go" }));
        while !lines
            .last()
            .unwrap()
            .contains(&format!("\"response\",\"id\":\"{id}\""))
        {
            lines.push(agent.next_line().unwrap());
        }
    }
    lines
}

#[test]
fn the_same_script_gives_the_same_bytes_every_time() {
    let first = session();

    for _ in 0..3 {
        assert_eq!(session(), first);
    }
}
