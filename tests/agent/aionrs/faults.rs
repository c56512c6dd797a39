//! Deliberate faults of the agent.

use crate::aionrs::harness::{Agent, Setup};
use crate::faults::{Protocol, Session};
use serde_json::json;

pub(crate) const PROTOCOL: Protocol = Protocol {
    dialect: ("aionrs", "0.1"),
    session,
    three_turns,
    two_ends: "two-stream-ends",
    end_and_border: ["stream_end", "stream_start"],
};

/// A session with text, thinking, a tool, a denial, an error and a bad command.
fn session(fault: &str) -> Session {
    let write =
        |id| json!({ "id": id, "name": "Write", "args": { "file_path": id, "content": "x" } });
    let script = json!([
        { "thinking": "hm", "text": ["a", "b"], "tool_calls": [write("t1"), write("t2")] },
        { "text": "done" },
        { "error": { "status": 429 } },
    ]);
    let mut agent = Setup::new()
        .script(&script)
        .env("MOCK_AGENT_FAULT", fault)
        .start();
    let mut events = agent.until("ready");
    agent.send_raw("?\n");
    agent.message("m1", "go");
    events.extend(agent.until("tool_request"));
    events.extend(agent.until("tool_request"));
    agent.approve("t1", "once");
    events.extend(agent.until("tool_result"));
    agent.deny("t2", "no");
    events.extend(agent.until("stream_end"));
    agent.message("m2", "go on");
    events.extend(agent.until("stream_end"));
    let (rest, code) = agent.finish();
    events.extend(rest);
    (events, code)
}

#[test]
fn an_unknown_fault_is_refused() {
    for (fault, message) in [
        (
            "no-stream-en",
            "unknown fault `no-stream-en`; did you mean `no-stream-end`?",
        ),
        (
            "no-stream-end@turn=x",
            "--fault: \"x\" is not a turn's number",
        ),
    ] {
        let mut agent = Setup::new().args(&["--fault", fault]).start();
        assert_eq!(agent.next()["error"]["message"], message);
        assert_eq!(agent.wait_for_exit().code(), Some(2));
    }
}

fn three_turns(fault: &str) -> Session {
    let mut agent = start_with_fault(fault);
    let mut events = agent.until("ready");
    for id in ["m1", "m2", "m3"] {
        agent.message(id, "a");
        events.extend(agent.until("stream_start"));
        events.extend(agent.until("stream_end"));
    }
    let (rest, code) = agent.finish();
    events.extend(rest);
    (events, code)
}

fn start_with_fault(fault: &str) -> Agent {
    Setup::new().args(&["--fault", fault]).start()
}

#[test]
fn a_fault_can_end_the_process() {
    let mut dies = start_with_fault("dies-at-start");
    assert_eq!(dies.try_next(), None);
    assert_eq!(dies.wait_for_exit().code(), Some(1));

    let mut crashes = start_with_fault("crash-in-turn");
    crashes.expect("ready");
    crashes.message("m1", "a");
    crashes.expect("stream_start");
    assert_eq!(crashes.try_next(), None);
    assert_eq!(crashes.wait_for_exit().code(), Some(101));
}

#[test]
fn a_fault_can_keep_the_process_alive() {
    let mut agent = start_with_fault("deaf-to-eof");
    agent.expect("ready");
    agent.close_stdin();
    agent.signal("TERM");
    assert_eq!(agent.wait_for_exit().code(), Some(0));
}
