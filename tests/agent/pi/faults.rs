//! Deliberate faults of the agent.

use crate::faults::{Protocol, Session};
use crate::pi::harness::Setup;
use serde_json::json;

pub(crate) const PROTOCOL: Protocol = Protocol {
    dialect: ("pi", "0.14"),
    session,
    three_turns,
    two_ends: "two-agent-ends",
    end_and_border: ["agent_end", "agent_start"],
};

/// A session with reasoning, tools, a failure, a bad line, a shell command and a compaction.
fn session(fault: &str) -> Session {
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

fn three_turns(fault: &str) -> Session {
    let mut agent = Setup::new().args(&["--fault", fault]).start();
    let mut events = Vec::new();
    for prompt in ["a", "b", "c"] {
        agent.prompt(prompt);
        events.extend(agent.until_match(|event| event["type"] == "agent_start"));
        events.extend(agent.until_match(|event| event["type"] == "agent_end"));
    }
    let (rest, code) = agent.finish();
    events.extend(rest);
    (events, code)
}
