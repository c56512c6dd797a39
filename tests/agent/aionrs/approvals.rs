//! Approval of tool calls.

use crate::aionrs::harness::{Agent, Setup, kinds, tool_call};
use serde_json::{Value, json};

fn write(id: &str, name: &str) -> Value {
    tool_call(id, "Write", json!({ "file_path": name, "content": "x" }))
}

fn three_calls() -> Value {
    json!({ "tool_calls": [
        { "id": "t1", "name": "Write", "args": { "file_path": "1.txt", "content": "one" } },
        { "id": "t2", "name": "Bash", "args": { "command": "echo two > 2.txt" } },
        { "id": "t3", "name": "Write", "args": { "file_path": "3.txt", "content": "three" } },
    ] })
}

fn requested_calls(agent: &mut Agent, count: usize) -> Vec<String> {
    let ids = (0..count).map(|_| agent.expect("tool_request")["call_id"].clone());
    ids.map(|id| id.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_tool_runs_after_its_approval_and_returns_its_result() {
    let script = json!([write("tool-call-001", "a.txt"), { "text": "done" }]);
    let mut agent = Setup::new().script(&script).ready();

    agent.message("m2", "write");
    let before = agent.until("tool_request");
    assert_eq!(
        before[1],
        json!({
            "type": "tool_request", "msg_id": "m2", "call_id": "tool-call-001",
            "tool": {
                "name": "Write", "category": "edit",
                "args": { "file_path": "a.txt", "content": "x" },
                "description": "Write to a.txt",
            },
        })
    );
    assert_eq!(agent.read("a.txt"), None);
    agent.approve("tool-call-001", "once");

    let after = agent.until("stream_end");
    assert_eq!(
        after[..2],
        [
            json!({ "type": "tool_running", "msg_id": "m2", "call_id": "tool-call-001", "tool_name": "Write" }),
            json!({
                "type": "tool_result", "msg_id": "m2", "call_id": "tool-call-001", "tool_name": "Write",
                "status": "success", "output": "File written successfully", "output_type": "text",
            }),
        ]
    );
    assert_eq!(agent.read("a.txt").as_deref(), Some("x"));
}

#[test]
fn the_requests_of_a_reply_are_open_at_once_and_answered_in_any_order() {
    let script = json!([three_calls(), { "text": "done" }]);
    let mut agent = Setup::new().script(&script).ready();
    agent.message("m1", "go");
    assert_eq!(requested_calls(&mut agent, 3), ["t1", "t2", "t3"]);

    agent.approve("t3", "once");
    assert_eq!(agent.expect("tool_result")["call_id"], "t3");
    agent.deny("t1", "no");
    assert_eq!(agent.expect("tool_cancelled")["call_id"], "t1");
    agent.approve("t2", "once");
    assert_eq!(agent.expect("tool_result")["call_id"], "t2");

    agent.expect("stream_end");
    assert_eq!(agent.read("1.txt"), None);
    assert_eq!(agent.read("2.txt").as_deref(), Some("two\n"));
    assert_eq!(agent.read("3.txt").as_deref(), Some("three"));
}

#[test]
fn several_approvals_in_one_write_are_all_processed() {
    let script = json!([three_calls(), { "text": "done" }]);
    let mut agent = Setup::new().script(&script).ready();
    agent.message("m1", "go");
    requested_calls(&mut agent, 3);

    let approve = |id| json!({ "type": "tool_approve", "call_id": id, "scope": "once" });
    agent.send_raw(format!(
        "{}\n{}\n{}\n",
        approve("t2"),
        approve("t1"),
        approve("t3")
    ));

    let events = agent.until("stream_end");
    let results = events.iter().filter(|event| event["type"] == "tool_result");
    assert_eq!(results.count(), 3);
}

#[test]
fn a_denial_reaches_the_model_with_its_reason_and_the_turn_continues() {
    let script = json!([
        write("t1", "a.txt"),
        {
            "when": { "tool_result": { "call": "t1", "is_error": true, "contains": "not in my repo" } },
            "text": "Understood.",
        },
    ]);
    let mut agent = Setup::new().script(&script).ready();
    agent.message("m1", "write");
    agent.expect("tool_request");

    agent.deny("t1", "not in my repo");

    let events = agent.until("stream_end");
    assert_eq!(
        kinds(&events),
        ["tool_cancelled", "text_delta", "stream_end"]
    );
    assert_eq!(
        events[0],
        json!({ "type": "tool_cancelled", "msg_id": "m1", "call_id": "t1", "reason": "not in my repo" })
    );
    assert_eq!(agent.read("a.txt"), None);
}

#[test]
fn always_allows_the_category_for_the_session_and_no_other() {
    let script = json!([
        write("t1", "a.txt"),
        { "tool_calls": [
            { "id": "t2", "name": "Edit", "args": { "file_path": "a.txt", "old_string": "x", "new_string": "y" } },
            { "id": "t3", "name": "Bash", "args": { "command": "true" } },
        ] },
        { "text": "done" },
        write("t4", "b.txt"),
        { "text": "done" },
    ]);
    let mut agent = Setup::new().script(&script).ready();
    agent.message("m1", "go");
    requested_calls(&mut agent, 1);
    agent.approve("t1", "always");
    agent.expect("tool_result");

    assert_eq!(requested_calls(&mut agent, 1), ["t3"]);
    agent.approve("t3", "once");
    agent.expect("stream_end");

    agent.message("m2", "again");
    assert!(!kinds(&agent.until("stream_end")).contains(&"tool_request"));
}

#[test]
fn each_mode_requests_approval_for_its_own_categories() {
    let all = json!({ "tool_calls": [
        { "id": "i", "name": "Glob", "args": { "pattern": "*" } },
        { "id": "e", "name": "Write", "args": { "file_path": "a.txt", "content": "" } },
        { "id": "x", "name": "Bash", "args": { "command": "true" } },
        { "id": "m", "name": "mcp__demo__echo", "args": { "a": 1 } },
    ] });
    let script = json!([all, { "text": "1" }, all, { "text": "2" }, all, { "text": "3" }]);
    let mut agent = Setup::new().script(&script).ready();

    for (mode, requests) in [("default", 4), ("auto_edit", 2), ("yolo", 0)] {
        agent.mode(mode);
        agent.message(mode, "go");
        for id in requested_calls(&mut agent, requests) {
            agent.approve(&id, "once");
        }
        let rest = agent.until("stream_end");
        assert!(!kinds(&rest).contains(&"tool_request"), "{mode}");
    }
}

#[test]
fn an_answer_without_an_open_request_is_refused_and_has_no_effect() {
    let script = json!([write("t1", "a.txt"), { "text": "done" }]);
    let mut agent = Setup::new().script(&script).ready();
    agent.approve("t1", "once");
    assert_eq!(agent.next()["error"]["code"], "protocol_error");

    agent.message("m1", "go");
    agent.expect("tool_request");
    agent.approve("t9", "once");
    assert_eq!(agent.next()["error"]["code"], "protocol_error");
    agent.approve("t1", "once");
    agent.expect("stream_end");
    agent.deny("t1", "too late");

    assert_eq!(agent.next()["error"]["code"], "protocol_error");
}

#[test]
fn an_open_request_stays_open_when_the_mode_changes() {
    let script = json!([write("t1", "a.txt"), write("t2", "b.txt"), { "text": "done" }]);
    let mut agent = Setup::new().script(&script).ready();
    agent.message("m1", "go");
    agent.expect("tool_request");

    agent.mode("yolo");
    agent.deny("t1", "no");

    let events = agent.until("stream_end");
    assert_eq!(
        kinds(&events),
        [
            "tool_cancelled",
            "tool_running",
            "tool_result",
            "text_delta",
            "stream_end"
        ]
    );
    assert_eq!(agent.read("a.txt"), None);
}
