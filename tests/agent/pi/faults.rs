//! Deliberate faults of the agent.

use crate::pi::harness::Setup;
use crate::some_behaviors;
use serde_json::{Value, json};

/// A session with reasoning, tools, a failure, a bad line, a shell command and a compaction.
fn session(fault: &str) -> (Vec<Value>, Option<i32>) {
    let bash =
        |id: &str, command| json!({ "id": id, "name": "bash", "args": { "command": command } });
    let script = json!([
        { "thinking": "hm", "text": ["a", "b"], "tool_calls": [bash("t1", "echo 1"), bash("t2", "exit 3")] },
        { "text": "done" },
        { "error": { "status": 429 } },
        { "text": "summary" },
    ]);
    let mut agent = Setup::new()
        .script(&script)
        .env("MOCK_AGENT_FAULT", fault)
        .start();
    agent.send_raw("?\n");
    let mut events = vec![agent.next()];
    events.push(agent.bash("echo hi"));
    events.extend(agent.run("go"));
    events.extend(agent.run("go on"));
    agent.send(&json!({ "type": "compact" }));
    events.push(agent.expect("compaction"));
    let (rest, code) = agent.finish();
    events.extend(rest);
    (events, code)
}

#[test]
fn a_behavior_has_no_effect_before_its_turn() {
    let good = session("");
    assert_eq!(good.1, Some(0));

    for fault in some_behaviors("pi", "0.14") {
        let later = session(&format!("{}@turn=3", fault.id));
        assert_eq!(later, good, "{}", fault.id);
    }
}

#[test]
fn a_fault_is_played_in_its_turn_and_once() {
    let mut agent = Setup::new()
        .args(&["--fault", "two-agent-ends@turn=2"])
        .start();
    agent.run("a");
    agent.run("b");

    assert_eq!(agent.next()["type"], "agent_end");

    assert_eq!(agent.run("c")[0]["type"], "agent_start");
    assert_eq!(agent.finish(), (vec![], Some(0)));
}
