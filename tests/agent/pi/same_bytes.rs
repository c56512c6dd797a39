//! Determinism: the same script produces the same output.

use crate::pi::harness::Setup;
use serde_json::{Value, json};

fn session() -> Vec<Value> {
    let bash =
        |id: &str, command| json!({ "id": id, "name": "bash", "args": { "command": command } });
    let mut agent = Setup::new()
        .script(&json!([
            { "thinking": "hm", "text": ["a", "b"], "tool_calls": [bash("t1", "echo 1"), bash("t2", "echo 2")] },
            { "text": "done" },
            { "error": { "status": 400 } },
            { "text": "summary" },
        ]))
        .start();
    let mut events = agent.run("go");
    events.extend(agent.run("go on"));
    events.push(agent.bash("echo hi"));
    agent.send(&json!({ "type": "compact" }));
    events.push(agent.expect("compaction"));
    events
}

#[test]
fn the_same_script_gives_the_same_events_every_time() {
    let first = session();

    for _ in 0..3 {
        assert_eq!(session(), first);
    }
}
