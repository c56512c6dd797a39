//! What goes through the client: files, terminals, forms, plans and sub-agents, where it has declared them.

use super::harness::{Setup, kinds, tool_call, updates};
use serde_json::{Value, json};

#[test]
fn files_go_through_the_client_where_it_has_declared_them() {
    let replies = json!([
        tool_call("a", "Write", json!({ "file_path": "a.txt", "content": "one\n" })),
        tool_call("b", "Edit", json!({ "file_path": "a.txt", "old_string": "one", "new_string": "two" })),
        { "when": { "last_contains": "failed" }, "text": "failed" },
        { "text": "done" },
    ]);
    for through_client in [false, true] {
        let setup = Setup::new().args(&["--mode", "bypass"]).script(&replies);
        let mut client = setup.session(
            json!({ "fs": { "readTextFile": through_client, "writeTextFile": through_client } }),
        );
        client.answer = |message| {
            Some(match message["method"].as_str() {
                Some("fs/read_text_file") => json!({ "result": { "content": "one\n" } }),
                _ => json!({ "result": {} }),
            })
        };
        let turn = client.turn("go");
        let requests: Vec<_> = turn
            .iter()
            .filter(|one| one.get("id").is_some() && one.get("method").is_some())
            .collect();
        let path = client.agent.dir.path().join("a.txt");
        let diffs: Vec<Value> = updates(&turn, "tool_call_update")
            .iter()
            .filter_map(|update| update.pointer("/content/0").cloned())
            .collect();
        assert_eq!(
            diffs[0],
            json!({ "type": "diff", "path": path, "oldText": null, "newText": "one\n" })
        );
        assert_eq!(
            diffs[1],
            json!({ "type": "diff", "path": path, "oldText": "one\n", "newText": "two\n" })
        );
        if through_client {
            let methods: Vec<_> = requests
                .iter()
                .map(|one| one["method"].as_str().unwrap())
                .collect();
            assert_eq!(
                methods,
                [
                    "fs/write_text_file",
                    "fs/read_text_file",
                    "fs/write_text_file"
                ]
            );
            assert_eq!(requests[2]["params"]["content"], "two\n");
            assert!(!path.exists());
        } else {
            assert!(requests.is_empty());
            assert_eq!(std::fs::read_to_string(path).unwrap(), "two\n");
        }
    }
}

#[test]
fn a_command_runs_in_a_terminal_of_the_client() {
    let replies = json!([tool_call("a", "Bash", json!({ "command": "make" })), { "when": { "last_contains": "[exit status 2]" }, "text": "as expected" }]);
    let mut client = Setup::new()
        .args(&["--mode", "bypass"])
        .script(&replies)
        .session(json!({ "terminal": true }));
    client.answer = |message| {
        Some(json!({ "result": match message["method"].as_str() {
        Some("terminal/create") => json!({ "terminalId": "t" }),
        Some("terminal/output") => json!({ "output": "out", "truncated": false }),
        Some("terminal/wait_for_exit") => json!({ "exitCode": 2 }),
        _ => json!({}),
    } }))
    };
    let turn = client.turn("go");
    let expected = [
        "tool_call pending",
        "tool_call_update in_progress",
        "terminal/create",
        "tool_call_update",
        "terminal/wait_for_exit",
        "terminal/output",
        "terminal/release",
        "tool_call_update failed",
        "agent_message_chunk",
        "end_turn",
    ];
    assert_eq!(kinds(&turn), expected);
    assert_eq!(
        updates(&turn, "tool_call_update")[1]["content"],
        json!([{ "type": "terminal", "terminalId": "t" }])
    );
}

#[test]
fn forms_plans_notices_and_sub_agents_are_shown_to_clients_that_take_them() {
    let tool = |name: &str, args: Value| tool_call(name, name, args);
    let replies = json!([
        { "when": { "last_contains": "the task" }, "text": "the answer" },
        tool("AskUser", json!({ "message": "Which?", "schema": { "type": "object", "properties": { "x": { "type": "string" } } } })),
        tool("Plan", json!({ "plan_id": "p", "markdown": "# Plan" })),
        tool("Notify", json!({ "severity": "info", "title": "Look" })),
        tool("Spawn", json!({ "prompt": "the task" })),
        { "text": "done" },
    ]);
    let capabilities = json!({ "elicitation": { "form": {} }, "plan": {}, "subagents": {}, "session": { "notices": {} } });
    for (capabilities, expected) in [
        (
            capabilities,
            &[
                "elicitation/create",
                "plan_update",
                "notice",
                "subagent_update",
                "session_message",
                "agent_message_chunk",
                "session_message",
                "subagent_update",
                "agent_message_chunk",
                "end_turn",
            ][..],
        ),
        (
            json!({}),
            &["agent_message_chunk", "agent_message_chunk", "end_turn"],
        ),
    ] {
        let mut client = Setup::new().script(&replies).session(capabilities);
        client.answer =
            |_| Some(json!({ "result": { "action": "accept", "content": { "x": "y" } } }));
        let mut course = kinds(&client.turn("go"));
        course.retain(|kind| !kind.starts_with("tool_call"));
        assert_eq!(course, expected);
    }
}
