use crate::harness::{call, ended, gone, kinds, playing};
use serde_json::json;

#[test]
fn an_aborted_run_ends_with_a_message_that_says_so() {
    let mut agent =
        playing(&json!([{ "content": [{ "text": "so" }, { "stall": true }] }, { "text": "b" }]));
    agent.prompt("go");
    agent.until_one(|event| event["assistantMessageEvent"]["type"] == "text_end");

    agent.abort();

    let rest = agent.until_one(|event| event["type"] == "agent_end");
    assert_eq!(
        kinds(&rest),
        ["error", "message_end", "turn_end", "agent_end"]
    );
    assert_eq!(ended(&rest)[0]["stopReason"], "aborted");
    assert_eq!(ended(&rest)[0]["content"][0]["text"], "so");
    assert_eq!(agent.ask("again"), "b");
}

#[test]
fn an_abort_ends_the_tool_and_what_it_started() {
    let command = "sleep 600 & echo $! > pid; wait";
    let mut agent =
        playing(&json!([call("c", "bash", json!({ "command": command })), { "text": "b" }]));
    agent.prompt("go");
    let child = agent.pid("pid");

    agent.abort();

    let rest = agent.until_one(|event| event["type"] == "agent_end");
    let end = rest
        .iter()
        .find(|event| event["type"] == "tool_execution_end");
    assert_eq!(end.unwrap()["isError"], true);
    assert_eq!(ended(&rest).last().unwrap()["stopReason"], "aborted");
    gone(&child);
    assert_eq!(agent.ask("again"), "b");
}

#[test]
fn an_abort_with_nothing_to_abort_changes_nothing() {
    let mut agent = playing(&json!([{ "text": "a" }]));

    agent.abort();

    assert_eq!(agent.ask("go"), "a");
    assert_eq!(agent.finish(), (vec![], Some(0)));
}
