//! The `abort` command.

use crate::pi::harness::{ended_messages, kinds, start_with_script, tool_call, wait_until_gone};
use serde_json::json;

#[test]
fn an_aborted_run_ends_with_an_aborted_message() {
    let mut agent = start_with_script(
        &json!([{ "content": [{ "text": "so" }, { "stall": true }] }, { "text": "b" }]),
    );
    agent.prompt("go");
    agent.until_match(|event| event["assistantMessageEvent"]["type"] == "text_end");

    agent.abort();

    let rest = agent.until_match(|event| event["type"] == "agent_end");
    assert_eq!(
        kinds(&rest),
        ["error", "message_end", "turn_end", "agent_end"]
    );
    assert_eq!(ended_messages(&rest)[0]["stopReason"], "aborted");
    assert_eq!(ended_messages(&rest)[0]["content"][0]["text"], "so");
    assert_eq!(agent.ask("again"), "b");
}

#[test]
fn an_abort_ends_the_tool_and_its_child_processes() {
    let command = "sleep 600 & echo $! > pid; wait";
    let mut agent = start_with_script(
        &json!([tool_call("c", "bash", json!({ "command": command })), { "text": "b" }]),
    );
    agent.prompt("go");
    let child = agent.read_pid("pid");

    agent.abort();

    let rest = agent.until_match(|event| event["type"] == "agent_end");
    let end = rest
        .iter()
        .find(|event| event["type"] == "tool_execution_end");
    assert_eq!(end.unwrap()["isError"], true);
    assert_eq!(
        ended_messages(&rest).last().unwrap()["stopReason"],
        "aborted"
    );
    wait_until_gone(&child);
    assert_eq!(agent.ask("again"), "b");
}

#[test]
fn an_abort_with_nothing_to_abort_changes_nothing() {
    let mut agent = start_with_script(&json!([{ "text": "a" }]));

    agent.abort();

    assert_eq!(agent.ask("go"), "a");
    assert_eq!(agent.finish(), (vec![], Some(0)));
}
