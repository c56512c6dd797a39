//! The `stop` command.

use crate::aionrs::harness::{Setup, kinds, text, tool_call, wait_until_gone};
use serde_json::json;

#[test]
fn a_stop_with_nothing_to_stop_changes_nothing() {
    let mut agent = Setup::new().ready();

    agent.stop();
    agent.message("m1", "hi");

    assert_eq!(text(&agent.until("stream_end")), "You said: hi");
}

#[test]
fn a_stop_before_the_first_text_ends_the_turn() {
    // The stop may come before the request to the model.
    let script = json!([
        { "when": { "last_contains": "still there?" }, "text": "here" },
        { "content": [{ "stall": true }], "repeat": "forever" },
    ]);
    let mut agent = Setup::new().script(&script).ready();
    agent.message("m1", "hi");
    agent.expect("stream_start");

    agent.stop();

    assert_eq!(agent.next()["type"], "stream_end");
    agent.message("m2", "still there?");
    assert_eq!(text(&agent.until("stream_end")), "here");
}

#[test]
fn a_stop_in_the_same_write_as_the_message_stops_it() {
    let script = json!([{ "content": [{ "stall": true }] }]);
    let mut agent = Setup::new().script(&script).ready();
    let message = json!({ "type": "message", "msg_id": "m1", "input": "hi" });

    agent.send_raw(format!("{message}\n{}\n", json!({ "type": "stop" })));

    assert_eq!(
        kinds(&agent.until("stream_end")),
        ["stream_start", "stream_end"]
    );
}

#[test]
fn a_stop_during_the_stream_ends_the_turn_and_keeps_the_text_so_far() {
    let script = json!([
        { "content": [{ "text": "half of it" }, { "stall": true }] },
        { "when": { "contains": ["half of it", "go on"] }, "text": "here" },
    ]);
    let mut agent = Setup::new().script(&script).ready();
    agent.message("m1", "hi");
    agent.expect("text_delta");

    agent.stop();

    let end = agent.next();
    assert_eq!(
        (&end["type"], &end["msg_id"]),
        (&json!("stream_end"), &json!("m1"))
    );
    agent.message("m2", "go on");
    assert_eq!(text(&agent.until("stream_end")), "here");
}

#[test]
fn a_stop_while_requests_are_open_cancels_them() {
    let write = |id, name| json!({ "id": id, "name": "Write", "args": { "file_path": name, "content": "" } });
    let script = json!([
        { "tool_calls": [write("t1", "a.txt"), write("t2", "b.txt")] },
        {
            "when": { "tool_result": [{ "call": "t1", "is_error": true }, { "call": "t2", "is_error": true }] },
            "text": "here",
        },
    ]);
    let mut agent = Setup::new().script(&script).ready();
    agent.message("m1", "go");
    agent.until("tool_request");
    agent.until("tool_request");

    agent.stop();

    let events = agent.until("stream_end");
    assert_eq!(
        kinds(&events),
        ["tool_cancelled", "tool_cancelled", "stream_end"]
    );
    assert_eq!(
        (&events[0]["call_id"], &events[1]["call_id"]),
        (&json!("t1"), &json!("t2"))
    );
    agent.message("m2", "still there?");
    assert_eq!(text(&agent.until("stream_end")), "here");
    assert_eq!(agent.read("a.txt"), None);
}

#[test]
fn a_stop_while_a_tool_runs_kills_its_child_processes() {
    let command = "sleep 1000 & echo $! > child.pid; setsid sleep 1000 & echo $! > far.pid; echo $$ > shell.pid; wait";
    let script =
        json!([tool_call("t1", "Bash", json!({ "command": command })), { "text": "here" }]);
    let mut agent = Setup::new()
        .script(&script)
        .args(&["--auto-approve"])
        .ready();
    agent.message("m1", "go");
    agent.expect("tool_running");
    let pids: Vec<_> = ["shell.pid", "child.pid", "far.pid"]
        .map(|f| agent.read_pid(f))
        .into();

    agent.stop();

    assert_eq!(
        kinds(&agent.until("stream_end")),
        ["tool_cancelled", "stream_end"]
    );
    pids.iter().for_each(|pid| wait_until_gone(pid));
    agent.message("m2", "still there?");
    assert_eq!(text(&agent.until("stream_end")), "here");
}

#[test]
fn queued_messages_are_processed_after_a_stop() {
    let script = json!([{ "content": [{ "text": "a" }, { "stall": true }] }, { "text": "b" }]);
    let mut agent = Setup::new().script(&script).ready();
    agent.message("m1", "1");
    agent.expect("text_delta");
    agent.message("m2", "2");

    agent.stop();

    assert_eq!(agent.expect("stream_end")["msg_id"], "m1");
    assert_eq!(agent.expect("stream_end")["msg_id"], "m2");
}
