//! Turns: what is streamed, why they end, and what fails.

use super::harness::{Setup, kinds, start_with_script, tool_call, updates};
use serde_json::{Value, json};

#[test]
fn a_turn_streams_thoughts_and_texts_with_message_ids_and_usage() {
    let mut client = start_with_script(&json!([
        { "thinking": "hm", "text": ["a", "b"], "usage": { "input": 10, "output": 5 } },
    ]));
    let turn = client.turn("hello there");

    let expected = [
        "agent_thought_chunk",
        "agent_message_chunk",
        "agent_message_chunk",
        "end_turn",
    ];
    assert_eq!(kinds(&turn), expected);
    let chunks = updates(&turn, "agent_message_chunk");
    assert_eq!(chunks[0]["messageId"], chunks[1]["messageId"]);
    assert_ne!(
        chunks[0]["messageId"],
        updates(&turn, "agent_thought_chunk")[0]["messageId"]
    );
    let usage = &updates(&turn, "usage_update")[0];
    assert_eq!(
        (&usage["used"], &usage["size"]),
        (&json!(15), &json!(200_000))
    );
    assert_eq!(
        updates(&turn, "session_info_update")[0]["title"],
        "hello there"
    );
}

#[test]
fn the_stop_reason_says_why_the_turn_has_ended() {
    for (reply, expected) in [
        (json!({ "text": "a", "stop": "max_tokens" }), "max_tokens"),
        (json!({ "text": "a", "stop": "refusal" }), "refusal"),
        (json!({ "text": "a" }), "end_turn"),
        (
            tool_call("c", "Glob", json!({ "pattern": "*" })),
            "max_turn_requests",
        ),
    ] {
        let setup = Setup::new()
            .script(&json!([reply]))
            .args(&["--max-turns", "1"]);
        let turn = setup.session(json!({})).turn("go");
        assert_eq!(kinds(&turn).pop().unwrap(), expected);
    }
}

#[test]
fn a_failure_of_the_model_is_an_error_and_the_next_prompt_is_answered() {
    let failure = json!({ "status": 400, "message": "It is broken" });
    let mut client = start_with_script(&json!([{ "error": failure }, { "text": "again" }]));

    let error = client.turn("go").pop().unwrap()["error"].clone();
    assert_eq!(error["code"], -32603);
    assert!(
        error["message"].as_str().unwrap().contains("It is broken"),
        "{error}"
    );
    assert_eq!(
        kinds(&client.turn("go")),
        ["agent_message_chunk", "end_turn"]
    );
}

#[test]
fn a_failed_turn_is_retried_after_a_delay_that_can_be_cancelled() {
    let overloaded = json!({ "error": { "status": 529 } });
    let setup = Setup::new().script(&json!([overloaded, overloaded, { "text": "done" }]));
    let setup = setup
        .env("MOCK_AGENT_RETRIES", "3")
        .env("MOCK_AGENT_CLOCK", "4");
    let mut client = setup.session(json!({ "session": { "notices": {} } }));

    let id = client.send_prompt("go");
    client.wait_for("notice");
    client.cancel();
    assert_eq!(kinds(&client.until_answered(id)), ["cancelled"]);
    let expected = ["notice", "agent_message_chunk", "end_turn"];
    assert_eq!(kinds(&client.turn("again")), expected);
}

#[test]
fn the_model_gets_every_kind_of_content_in_its_order() {
    let blocks = json!([
        { "type": "text", "text": "one" },
        { "type": "resource_link", "name": "n", "uri": "file:///n" },
        { "type": "image", "mimeType": "image/png", "data": "iVBORw0K" },
        { "type": "resource", "resource": { "uri": "file:///r", "text": "inside" } },
        { "type": "audio", "mimeType": "audio/wav", "data": "UklGRg==" },
    ]);
    let expects = json!({ "contains": "one", "body": { "messages": [{ "role": "user", "content": [
        { "text": "one" }, { "text": "[n](file:///n)" }, { "type": "image" },
        { "text": "<context uri=\"file:///r\">\ninside\n</context>" }, { "text": "<data name=\"audio\" type=\"audio/wav\">\nUklGRg==\n</data>" },
    ] }] } });
    let replies = json!([{ "when": expects, "text": "as expected" }, { "text": "otherwise" }]);
    let mut client = start_with_script(&replies);

    let id = client.request("session/prompt", json!({ "prompt": blocks }));
    let said = updates(&client.until_answered(id), "agent_message_chunk");
    assert_eq!(said[0]["content"]["text"], "as expected");
}

#[test]
fn slash_commands_are_answered_without_a_turn() {
    let mut client = start_with_script(
        &json!([{ "text": "hi" }, { "text": "the summary" }, { "text": "later" }]),
    );
    client.turn("hello");
    assert_eq!(
        kinds(&client.turn("/help")),
        ["agent_message_chunk", "end_turn"]
    );
    assert_eq!(
        kinds(&client.turn("/plan Tea")),
        ["plan", "agent_message_chunk", "end_turn"]
    );
    let mode = client.turn("/mode bypass");
    assert_eq!(
        updates(&mode, "current_mode_update")[0]["currentModeId"],
        "bypass"
    );
}

#[test]
fn a_compaction_is_reported_where_the_client_takes_it() {
    let replies = json!([{ "text": "hi" }, { "text": "the summary" }, { "when": { "contains": "the summary" }, "text": "later" }]);
    for (capabilities, expected) in [
        (json!({}), &["agent_message_chunk", "end_turn"][..]),
        (
            json!({ "session": { "compaction": {} } }),
            &[
                "compaction_update in_progress",
                "compaction_summary_chunk",
                "compaction_update completed",
                "end_turn",
            ],
        ),
    ] {
        let mut client = Setup::new().script(&replies).session(capabilities);
        client.turn("hello");
        assert_eq!(kinds(&client.turn("/compact")), expected);
        assert_eq!(
            kinds(&client.turn("and now")),
            ["agent_message_chunk", "end_turn"]
        );
    }
}

#[test]
fn two_sessions_work_side_by_side() {
    let slow = tool_call(
        "c",
        "Bash",
        json!({ "command": "until test -e go; do sleep 0.01; done" }),
    );
    let setup = Setup::new().args(&["--mode", "bypass"]);
    let mut client = setup
        .script(&json!([slow, { "text": "fast" }, { "text": "slow" }]))
        .session(json!({}));
    let first = client.send_prompt("slow");
    client.wait_for("tool_call_update in_progress");
    assert_eq!(client.turn("busy").pop().unwrap()["error"]["code"], -32600);

    let folder = client.folder();
    let second = client.result("session/new", folder)["sessionId"].clone();
    let prompt = json!([{ "type": "text", "text": "fast" }]);
    let id = client.request(
        "session/prompt",
        json!({ "sessionId": second, "prompt": prompt }),
    );
    let fast = client.until_answered(id);
    let of_second = |message: &Value| message["params"]["sessionId"] == second;
    assert!(
        fast.iter()
            .filter(|message| message.get("method").is_some())
            .all(of_second),
        "{fast:?}"
    );

    std::fs::write(client.agent.dir.path().join("go"), "").unwrap();
    let slow = client.until_answered(first);
    assert_eq!(
        kinds(&slow),
        [
            "tool_call_update completed",
            "agent_message_chunk",
            "end_turn"
        ]
    );
}
