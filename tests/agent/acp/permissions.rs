//! Permissions: what each answer of the client does.

use super::harness::{Answer, Client, Setup, kinds, selected, tool_call, updates};
use serde_json::json;

/// A client whose model runs a command in each turn and repeats what the tool has said.
fn start(answer: Answer) -> Client {
    let run = |id: &str| tool_call(id, "Bash", json!({ "command": "echo x >> ran" }));
    let replies = json!([run("a"), { "text": "one" }, run("b"), { "text": "two" }]);
    let mut client = Setup::new().script(&replies).session(json!({}));
    client.answer = answer;
    client
}

fn runs(client: &Client) -> usize {
    let ran = std::fs::read_to_string(client.agent.dir.path().join("ran"));
    ran.map_or(0, |text| text.lines().count())
}

const ASKED: [&str; 2] = ["tool_call pending", "session/request_permission"];
const RAN: [&str; 4] = [
    "tool_call_update in_progress",
    "tool_call_update completed",
    "agent_message_chunk",
    "end_turn",
];
const DENIED: [&str; 3] = ["tool_call_update failed", "agent_message_chunk", "end_turn"];

#[test]
fn a_call_runs_when_it_is_allowed_and_only_then() {
    for (answer, ran, again) in [
        ((|_| selected("allow-once")) as Answer, true, true),
        (|_| selected("allow-always"), true, false),
        (|_| selected("reject-once"), false, true),
        (|_| selected("reject-always"), false, false),
        (|_| selected("no-such-option"), false, true),
        (
            |_| Some(json!({ "error": { "code": -32603, "message": "broken" } })),
            false,
            true,
        ),
    ] {
        let mut client = start(answer);
        let end = if ran { &RAN[..] } else { &DENIED };
        assert_eq!(kinds(&client.turn("go")), [&ASKED[..], end].concat());
        let asked = if again { 2 } else { 1 };
        assert_eq!(
            kinds(&client.turn("again")),
            [&ASKED[..asked], end].concat()
        );
        assert_eq!(runs(&client), if ran { 2 } else { 0 });
    }
}

#[test]
fn the_outcome_cancelled_ends_the_turn() {
    let mut client =
        start(|_| Some(json!({ "result": { "outcome": { "outcome": "cancelled" } } })));
    let expected = [&ASKED[..], &["tool_call_update failed", "cancelled"]].concat();
    assert_eq!(kinds(&client.turn("go")), expected);
    assert_eq!(runs(&client), 0);
}

#[test]
fn the_request_has_the_call_and_an_option_of_each_kind() {
    let mut client = start(|_| selected("allow-once"));
    let turn = client.turn("go");
    let request = &turn
        .iter()
        .find(|message| message["method"] == "session/request_permission")
        .unwrap()["params"];
    assert_eq!(request["toolCall"]["toolCallId"], "a");
    assert_eq!(request["toolCall"]["kind"], "execute");
    let kinds: Vec<_> = request["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| option["kind"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["allow_once", "allow_always", "reject_once", "reject_always"]
    );
}

#[test]
fn modes_decide_what_is_asked() {
    let mut client = start(|_| selected("reject-once"));
    client.result("session/set_mode", json!({ "modeId": "bypass" }));
    assert_eq!(kinds(&client.turn("go")), [&ASKED[..1], &RAN].concat());
    let options = client.result(
        "session/set_config_option",
        json!({ "configId": "mode", "value": "ask" }),
    );
    assert_eq!(options["configOptions"][0]["currentValue"], "ask");
    let denied = client.turn("again");
    assert_eq!(updates(&denied, "tool_call_update")[0]["status"], "failed");
}
