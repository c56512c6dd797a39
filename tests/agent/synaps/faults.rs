//! Deliberate faults of the agent.

use crate::faults::{Protocol, Session};
use crate::synaps::harness::Setup;
use serde_json::json;

pub(crate) const PROTOCOL: Protocol = Protocol {
    dialect: ("synaps", "1"),
    session,
    three_turns,
    two_ends: "two-ends",
    end_and_border: ["agent_end", "response"],
};

/// A session with reasoning, a tool, a failure, a bad line, queries and an abort with nothing to abort.
fn session(fault: &str) -> Session {
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

fn three_turns(fault: &str) -> Session {
    let mut agent = Setup::new().args(&["--fault", fault]).ready();
    let mut events: Vec<_> = ["a", "b", "c"].map(|prompt| agent.turn(prompt)).concat();
    agent.shutdown();
    let (rest, code) = agent.read_to_end();
    events.extend(rest);
    (events, code)
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
