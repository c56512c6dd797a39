//! Deliberate faults of the agent.

use crate::some_behaviors;
use crate::synaps::harness::Setup;
use serde_json::{Value, json};

/// A session with reasoning, a tool, a failure, a bad line, queries and an abort with nothing to abort.
fn session(fault: &str) -> (Vec<Value>, Option<i32>) {
    let bash = json!({ "id": "t1", "name": "bash", "args": { "command": "echo 1" } });
    let script = json!([
        { "thinking": "hm", "text": ["a", "b"], "tool_calls": [bash] },
        { "text": "done" },
        { "error": { "status": 400 } },
    ]);
    let mut agent = Setup::new()
        .script(&script)
        .env("MOCK_AGENT_FAULT", fault)
        .start();
    agent.send_raw("?\n");
    let mut events = agent.until_match(|event| event["type"] == "error");
    for command in ["get_state", "get_available_models", "abort"] {
        events.push(agent.ask(command));
    }
    events.extend(agent.turn("go"));
    events.extend(agent.turn("go on"));
    for command in ["get_session_stats", "get_messages"] {
        events.push(agent.ask(command));
    }
    agent.shutdown();
    let (rest, code) = agent.read_to_end();
    events.extend(rest);
    (events, code)
}

#[test]
fn a_behavior_has_no_effect_before_its_turn() {
    let good = session("");
    assert_eq!(good.1, Some(0));

    for fault in some_behaviors("synaps", "1") {
        let later = session(&format!("{}@turn=3", fault.id));
        assert_eq!(later, good, "{}", fault.id);
    }
}

#[test]
fn a_fault_is_played_in_its_turn_and_once() {
    let mut agent = Setup::new().args(&["--fault", "two-ends@turn=2"]).ready();
    let ends = |events: &[Value]| {
        let ends = events.iter().filter(|event| event["type"] == "agent_end");
        ends.count()
    };

    assert_eq!(ends(&agent.turn("a")), 1);
    assert_eq!(ends(&agent.turn("b")), 2);
    assert_eq!(ends(&agent.turn("c")), 1);
}

#[test]
fn a_fault_can_accept_an_invalid_command() {
    let relative = json!({ "type": "prompt", "id": "p1", "message": "m", "attachments": [{ "path": "notes.txt" }] });
    let answer = |setup: Setup| {
        setup.write("notes.txt", "hi");
        let mut agent = setup.ready();
        agent.send(&relative);
        agent.until_answer("p1").pop().unwrap()["type"].clone()
    };

    assert_eq!(answer(Setup::new()), "error");
    let accepted = answer(Setup::new().args(&["--fault", "takes-relative-paths"]));
    assert_eq!(accepted, "response");
}
