//! Runs: events, tool calls, usage.

use crate::pi::harness::{Setup, ended_messages, kinds, start_with_script, tool_call};
use serde_json::{Value, json};

#[test]
fn a_run_of_one_turn_has_its_events_in_order() {
    let mut agent = start_with_script(&json!([{ "thinking": "hm", "text": ["a", "b"] }]));

    let run = agent.run("hello");

    assert_eq!(
        kinds(&run),
        [
            "agent_start",
            "turn_start",
            "message_start",
            "message_end",
            "message_start",
            "start",
            "thinking_start",
            "thinking_delta",
            "thinking_end",
            "text_start",
            "text_delta",
            "text_delta",
            "text_end",
            "done",
            "message_end",
            "turn_end",
            "agent_end"
        ]
    );
    let messages: Vec<_> = ended_messages(&run).into_iter().cloned().collect();
    assert_eq!(run.last().unwrap()["messages"], json!(messages));
    assert_eq!(
        messages[0]["content"],
        json!([{ "type": "text", "text": "hello" }])
    );
    assert_eq!(messages[1]["stopReason"], "stop");
}

#[test]
fn a_tool_call_is_streamed_run_and_answered_in_its_turn() {
    let mut agent = start_with_script(&json!([
        { "text": "Look.", "tool_calls": [{ "id": "t", "name": "bash", "args": { "command": "echo out" }, "chunks": 2 }] },
        { "text": "Done." },
    ]));

    let run = agent.run("go");

    let events_of =
        |kind: &str| -> Vec<&Value> { run.iter().filter(|event| event["type"] == kind).collect() };
    let args = json!({ "command": "echo out" });
    assert_eq!(events_of("tool_execution_start")[0]["args"], args);
    let end = events_of("tool_execution_end")[0];
    assert_eq!(end["isError"], false);
    assert_eq!(end["result"]["content"][0]["text"], "out\n");
    let turns = events_of("turn_end");
    assert_eq!(turns.len(), 2);
    assert_eq!(turns[0]["message"]["stopReason"], "toolUse");
    assert_eq!(turns[0]["message"]["content"][1]["arguments"], args);
    assert_eq!(turns[0]["toolResults"][0]["toolCallId"], "t");
    assert_eq!(turns[1]["toolResults"], json!([]));
    let deltas = run.iter().filter_map(|event| {
        let event = &event["assistantMessageEvent"];
        (event["type"] == "toolcall_delta").then(|| event["delta"].as_str().unwrap())
    });
    let joined: String = deltas.collect();
    assert_eq!(serde_json::from_str::<Value>(&joined).unwrap(), args);
}

#[test]
fn tools_of_one_reply_run_sequentially() {
    let bash =
        |id: &str, command| json!({ "id": id, "name": "bash", "args": { "command": command } });
    let mut agent = start_with_script(&json!([
        { "tool_calls": [bash("a", "sleep 0.1; echo 1 >> order"), bash("b", "echo 2 >> order")] },
        { "text": "Done." },
    ]));

    let run = agent.run("go");

    let order = std::fs::read_to_string(agent.dir.path().join("order"));
    assert_eq!(order.unwrap(), "1\n2\n");
    let tools = run.iter().filter(|event| event["toolCallId"].is_string());
    let tools: Vec<_> = tools
        .map(|event| (event["type"].as_str().unwrap(), &event["toolCallId"]))
        .collect();
    assert_eq!(
        tools,
        [
            ("tool_execution_start", &json!("a")),
            ("tool_execution_end", &json!("a")),
            ("tool_execution_start", &json!("b")),
            ("tool_execution_end", &json!("b"))
        ]
    );
}

#[test]
fn the_tools_read_write_and_edit() {
    let setup = Setup::new().script(&json!([
        tool_call("w", "write", json!({ "path": "a.txt", "content": "one two" })),
        tool_call("e", "edit", json!({ "path": "a.txt", "oldText": "two", "newText": "three" })),
        tool_call("r", "read", json!({ "path": "a.txt" })),
        tool_call("x", "levitate", json!({})),
        { "text": "Done." },
    ]));
    let mut agent = setup.start();

    let run = agent.run("go");

    let ends: Vec<_> = run
        .iter()
        .filter(|event| event["type"] == "tool_execution_end")
        .map(|event| event["isError"].as_bool().unwrap())
        .collect();
    assert_eq!(ends, [false, false, false, true]);
    let text = std::fs::read_to_string(agent.dir.path().join("a.txt"));
    assert_eq!(text.unwrap(), "one three");
}

#[test]
fn usage_has_its_cost() {
    let mut agent =
        start_with_script(&json!([{ "text": "a", "usage": { "input": 1000, "output": 10 } }]));

    let run = agent.run("go");

    let usage = &ended_messages(&run)[1]["usage"];
    assert_eq!(
        (&usage["input"], &usage["output"]),
        (&json!(1000), &json!(10))
    );
    let cost = |part: &str| usage["cost"][part].as_f64().unwrap();
    assert!((cost("total") - cost("input") - cost("output")).abs() < 1e-9);
}

#[test]
fn a_failure_of_the_model_ends_its_message_with_an_error() {
    let mut agent = start_with_script(
        &json!([{ "error": { "status": 400, "message": "no" } }, { "text": "a" }]),
    );

    let run = agent.run("go");

    assert_eq!(ended_messages(&run)[1]["stopReason"], "error");
    assert!(ended_messages(&run)[1]["errorMessage"].is_string());
    assert!(kinds(&run).contains(&"error"), "the form of the stream");
    assert_eq!(agent.ask("again"), "a");
}
