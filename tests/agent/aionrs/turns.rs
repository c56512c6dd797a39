//! Turns: events, usage, ids.

use crate::aionrs::harness::{Setup, kinds, text, tool_call};
use serde_json::json;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_message_is_answered_by_a_turn() {
    let script = json!([{
        "thinking": ["Let me", " think."],
        "text": ["Hi! ", "How can I help?"],
        "usage": { "input": 1500, "output": 320, "cache_read": 800, "cache_write": 200 },
    }]);
    let mut agent = Setup::new().script(&script).ready();

    agent.message("abc-123", "Hello");

    let expected = [
        json!({ "type": "stream_start", "msg_id": "abc-123" }),
        json!({ "type": "thinking", "text": "Let me", "msg_id": "abc-123" }),
        json!({ "type": "thinking", "text": " think.", "msg_id": "abc-123" }),
        json!({ "type": "text_delta", "text": "Hi! ", "msg_id": "abc-123" }),
        json!({ "type": "text_delta", "text": "How can I help?", "msg_id": "abc-123" }),
        json!({ "type": "stream_end", "msg_id": "abc-123", "usage": {
            "input_tokens": 1500, "output_tokens": 320, "cache_read_tokens": 800, "cache_write_tokens": 200,
        } }),
    ];
    assert_eq!(agent.until("stream_end"), expected);
    assert_eq!(agent.finish(), (vec![], Some(0)));
}

#[test]
fn without_a_script_the_built_in_model_answers() {
    let mut agent = Setup::new().ready();

    agent.message("m1", "hello there");
    assert_eq!(text(&agent.until("stream_end")), "You said: hello there");

    agent.message("m2", "tool Glob {\"pattern\":\"*\"}");
    let call = agent.expect("tool_request")["call_id"].clone();
    agent.approve(call.as_str().unwrap(), "once");
    let rest = agent.until("stream_end");
    assert_eq!(text(&rest), "Done. No files found");
}

#[test]
fn usage_is_the_sum_over_the_requests_of_a_turn_and_is_reset_for_the_next() {
    let mut first = tool_call("t1", "Bash", json!({ "command": "true" }));
    first["usage"] = json!({ "input": 100, "output": 10 });
    let script = json!([
        first,
        { "text": "done", "usage": { "input": 200, "output": 20, "cache_read": 5 } },
        { "text": "again", "usage": { "input": 1, "output": 2 } },
    ]);
    let mut agent = Setup::new()
        .script(&script)
        .args(&["--auto-approve"])
        .ready();

    agent.message("m1", "a");
    let usage = agent.expect("stream_end")["usage"].clone();
    assert_eq!(
        usage,
        json!({ "input_tokens": 300, "output_tokens": 30, "cache_read_tokens": 5, "cache_write_tokens": 0 })
    );
    agent.message("m2", "b");
    assert_eq!(agent.expect("stream_end")["usage"]["input_tokens"], 1);
}

#[test]
fn a_message_during_a_turn_is_queued() {
    let script = json!([
        { "content": [{ "text": "one" }, { "delay": "150ms" }, { "text": "two" }] },
        { "text": "three" },
    ]);
    let mut agent = Setup::new().script(&script).ready();

    agent.message("m1", "a");
    agent.expect("text_delta");
    agent.message("m2", "b");

    let events = [agent.until("stream_end"), agent.until("stream_end")].concat();
    let ids: Vec<_> = events.iter().map(|event| &event["msg_id"]).collect();
    assert_eq!(ids, ["m1", "m1", "m2", "m2", "m2"]);
}

#[test]
fn a_used_message_id_is_refused() {
    let mut agent = Setup::new().ready();
    agent.message("m1", "a");
    agent.expect("stream_end");

    agent.message("m1", "b");

    let error = agent.next();
    assert_eq!(error["error"]["code"], "protocol_error");
    assert_eq!(error["msg_id"], json!(null));
}

#[test]
fn the_limit_of_model_turns_ends_a_turn_with_an_info() {
    let mut forever = tool_call("t", "Bash", json!({ "command": "true" }));
    forever["repeat"] = json!("forever");
    let mut agent = Setup::new()
        .script(&json!([forever]))
        .args(&["--max-turns", "2", "--auto-approve"])
        .ready();

    agent.message("m1", "go");

    let events = agent.until("stream_end");
    let one = ["tool_running", "tool_result"];
    let expected = [&["stream_start"], &one[..], &one, &["info", "stream_end"]].concat();
    assert_eq!(kinds(&events), expected);
    let ids: Vec<_> = events
        .iter()
        .filter_map(|e| e["call_id"].as_str())
        .collect();
    assert_eq!(
        ids,
        ["t", "t", "t-2", "t-2"],
        "every call has an id of its own"
    );
}

#[test]
fn a_truncated_reply_is_followed_by_an_info() {
    let mut agent = Setup::new()
        .script(&json!([{ "text": "This has no", "stop": "max_tokens" }]))
        .ready();

    agent.message("m1", "talk");

    assert_eq!(
        kinds(&agent.until("stream_end")),
        ["stream_start", "text_delta", "info", "stream_end"]
    );
}

#[test]
fn a_turn_continues_while_the_host_does_not_read() {
    let longer_than_a_pipe = "word ".repeat(40_000);
    let touch = |id, name| json!({ "id": id, "name": "Bash", "args": { "command": format!("touch {name}") } });
    let setup = Setup::new().args(&["--auto-approve"]).script(&json!([
        { "text": longer_than_a_pipe, "tool_calls": [touch("t1", "first")] },
        { "tool_calls": [touch("t2", "second")] },
        { "text": "done" },
    ]));
    let mut child = Command::new(env!("CARGO_BIN_EXE_mock-agent"))
        .args(&setup.args)
        .current_dir(setup.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let message = json!({ "type": "message", "msg_id": "m1", "input": "go" });
    writeln!(child.stdin.as_ref().unwrap(), "{message}").unwrap();

    let deadline = Instant::now() + Duration::from_secs(60);
    while !setup.path().join("second").exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        setup.path().join("second").exists(),
        "the turn stands still"
    );
}
