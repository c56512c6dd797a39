//! Sub-agents.

use crate::synaps::harness::{kinds, start_with_script, tool_call};
use serde_json::json;

#[test]
fn a_subagent_reports_its_start_its_progress_and_its_end() {
    let task = "look at all the herons in the reeds and count them twice";
    let mut agent = start_with_script(&json!([
        tool_call("c", "subagent", json!({ "agent": "scout", "task": task })),
        tool_call("inner", "bash", json!({ "command": "echo seven" })),
        { "text": "seven herons", "usage": { "input": 7 } },
        { "text": "Seven.", "usage": { "input": 1 } },
    ]));

    let mut events = agent.turn("go");
    events.retain(|event| event["event"]["type"] != "toolcall_input_delta");

    assert_eq!(
        kinds(&events)[2..],
        [
            "subagent_start",
            "subagent_update",
            "subagent_update",
            "subagent_update",
            "subagent_done",
            "toolcall_result",
            "text_delta",
            "agent_end",
            "response",
        ]
    );
    assert_eq!(
        events[2],
        json!({ "type": "subagent_start", "subagent_id": 1, "agent_name": "scout", "task_preview": "look at all the herons in the reeds" })
    );
    let statuses: Vec<_> = events[3..6].iter().map(|event| &event["status"]).collect();
    assert_eq!(statuses, ["running", "tool_call", "running"]);
    assert_eq!(events[6]["result_preview"], "seven herons");
    assert!(events[6]["duration_secs"].is_f64());
    assert_eq!(events[7]["event"]["result"], "seven herons");
    assert!(events[9]["usage"]["input_tokens"].as_u64().unwrap() >= 8);
}

#[test]
fn a_failed_subagent_reports_its_end() {
    let mut agent = start_with_script(&json!([
        tool_call("c", "subagent", json!({ "agent_name": "scout", "task": "look" })),
        { "error": { "status": 400, "message": "no" } },
        { "text": "So be it." },
    ]));

    let events = agent.turn("go");

    let done = events
        .iter()
        .find(|event| event["type"] == "subagent_done")
        .unwrap();
    assert!(done["result_preview"].as_str().unwrap().starts_with("no"));
    assert_eq!(events.last().unwrap()["ok"], true);
}

#[test]
fn a_subagent_has_no_subagents() {
    let mut agent = start_with_script(&json!([
        tool_call("c", "subagent", json!({ "task": "a" })),
        tool_call("d", "subagent", json!({ "task": "b" })),
        { "text": "alone" },
        { "text": "Done." },
    ]));

    let events = agent.turn("go");

    let starts = kinds(&events)
        .into_iter()
        .filter(|kind| *kind == "subagent_start");
    assert_eq!(starts.count(), 1);
}
