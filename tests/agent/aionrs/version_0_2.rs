//! Differences of aionrs@0.2.

use crate::aionrs::harness::{Agent, Setup, kinds, text, tool_call};
use serde_json::{Value, json};

fn version_0_2() -> Setup {
    Setup::new().env("MOCK_AGENT_PROTOCOL", "aionrs@0.2")
}

fn send_message(agent: &mut Agent, id: &str, content: &str) {
    agent.send(&json!({ "type": "message", "msg_id": id, "content": content }));
}

const SERVER: &str = r#"while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
    *'"tools/list"'*) echo '{"method":"notifications/noise"}'; body='{"tools":[{"name":"say"}]}' ;;
    *'"tools/call"'*) body='{"isError":true,"content":[{"type":"text","text":"no word"}]}' ;;
    *) body='{}' ;;
  esac
  [ -z "$id" ] || printf '{"id":%s,"result":%s}\n' "$id" "$body"
done"#;

fn add_server(script: &str) -> Value {
    json!({ "type": "add_mcp_server", "name": "words", "transport": "stdio", "command": "sh", "args": ["-c", script] })
}

#[test]
fn the_version_is_chosen_by_the_flag_or_the_environment() {
    let version = |setup: Setup| setup.start().next()["version"].clone();

    assert_eq!(version(Setup::new()), "0.1.0");
    assert_eq!(version(Setup::new().args(&["--protocol", "0.2"])), "0.2.0");
    assert_eq!(version(version_0_2()), "0.2.0");
    assert_eq!(version(version_0_2().args(&["--protocol=0.1"])), "0.1.0");
}

#[test]
fn an_unknown_version_is_a_fatal_error() {
    let mut agent = Setup::new().args(&["--protocol", "0.9"]).start();
    assert_eq!(
        agent.next()["error"]["message"],
        "--protocol: version \"0.9\" of aionrs is not supported, only 0.1 and 0.2"
    );
    assert_eq!(agent.finish().1, Some(2));
}

#[test]
fn settings_changed_during_a_turn_are_reported_after_its_end() {
    let script =
        json!([tool_call("t1", "ExecCommand", json!({ "cmd": "true" })), { "text": "done" }]);
    let mut agent = version_0_2().script(&script).ready();
    send_message(&mut agent, "m1", "run");
    let id = agent.expect("tool_request")["call_id"].clone();
    agent.send(&json!({ "type": "set_config", "image_input": "supported" }));
    agent.mode("yolo");
    agent.send(&json!({ "type": "ping" }));
    let events = agent.until("pong");
    assert_eq!(kinds(&events), ["info", "info", "pong"]);

    agent.approve(id.as_str().unwrap(), "once");
    agent.until("stream_end");
    let (first, second) = (agent.next(), agent.next());
    assert_eq!(first["capabilities"]["current_mode"], "default");
    assert_eq!(second["capabilities"]["current_mode"], "yolo");
    assert_eq!(second["capabilities"]["image_input"], "supported");
    assert_eq!(agent.finish(), (vec![], Some(0)));
}

#[test]
fn a_failed_turn_ends_with_zero_usage() {
    let script =
        json!([{ "error": { "status": 400, "type": "invalid_request_error", "message": "no" } }]);
    let mut agent = version_0_2().script(&script).ready();
    send_message(&mut agent, "m1", "hi");
    let turn = agent.until("stream_end");
    assert_eq!(kinds(&turn), ["stream_start", "error", "stream_end"]);
    assert_eq!(turn[2]["usage"]["input_tokens"], 0);
}

#[test]
fn slash_commands_have_no_turn() {
    let script = json!([{ "text": "one" }, { "text": "In short: one." }, { "text": "two" }]);
    let mut agent = version_0_2().script(&script).ready();
    let slash = |agent: &mut Agent, id: &str, text: &str| {
        send_message(agent, id, text);
        let events = agent.until("stream_end");
        assert_eq!(kinds(&events), ["info", "stream_end"], "{text}");
        assert_eq!(events[1]["msg_id"], id);
        events[0]["message"].as_str().unwrap().to_owned()
    };
    assert!(slash(&mut agent, "s1", "/help").contains("/compact"));
    assert_eq!(
        slash(&mut agent, "s2", "/compact"),
        "There is nothing to compact"
    );
    send_message(&mut agent, "m1", "hi");
    agent.until("stream_end");
    assert!(slash(&mut agent, "s3", "/compact briefly").starts_with("Context compacted"));
    assert!(slash(&mut agent, "s4", "/context").starts_with("Context: "));
    assert_eq!(slash(&mut agent, "s5", "/clear"), "Conversation cleared");
    send_message(&mut agent, "m2", "/nothing of mine");
    assert_eq!(text(&agent.until("stream_end")), "two");
}

#[test]
fn the_tools_of_an_added_server_can_be_called() {
    let script = json!([tool_call("t1", "mcp__words__say", json!({})), { "text": "done" }]);
    let mut agent = version_0_2()
        .args(&["--auto-approve"])
        .script(&script)
        .ready();
    agent.send(&add_server(SERVER));
    send_message(&mut agent, "m1", "say it");
    let turn = agent.until("stream_end");
    let ready = turn.iter().find(|event| event["type"] == "mcp_ready");
    assert_eq!(ready.unwrap()["tools"], json!(["say"]));
    let result = turn.iter().find(|event| event["type"] == "tool_result");
    assert_eq!(result.unwrap()["status"], "error");
    assert_eq!(result.unwrap()["output"], "no word");
    agent.send(&add_server(SERVER));
    assert_eq!(agent.next()["error"]["code"], "protocol_error");
}

#[test]
fn a_server_that_is_added_again_replaces_the_first_one() {
    let script = json!([tool_call("t1", "mcp__words__shout", json!({})), { "text": "done" }]);
    let mut agent = version_0_2()
        .args(&["--auto-approve"])
        .script(&script)
        .ready();
    for server in [SERVER.to_owned(), SERVER.replace("say", "shout")] {
        agent.send(&add_server(&server));
        agent.expect("mcp_ready");
    }
    send_message(&mut agent, "m1", "shout it");
    let turn = agent.until("stream_end");
    let result = turn.iter().find(|event| event["type"] == "tool_result");
    assert_eq!(result.unwrap()["output"], "no word");
}

#[test]
fn a_broken_server_is_an_error_and_the_session_continues() {
    let mut agent = version_0_2().script(&json!([{ "text": "hi" }])).ready();
    let mut assert_refused = |server: Value, why: &str| {
        agent.send(&server);
        let failure = agent.next()["error"].clone();
        assert_eq!(failure["code"], "config_error");
        assert!(
            failure["message"].as_str().unwrap().contains(why),
            "{failure}"
        );
    };
    assert_refused(add_server("exit 3"), "cannot be used");
    assert_refused(
        json!({ "type": "add_mcp_server", "name": "far", "transport": "sse", "url": "http://127.0.0.1:1" }),
        "only stdio",
    );
    send_message(&mut agent, "m1", "hello");
    assert_eq!(text(&agent.until("stream_end")), "hi");
}
