//! Sessions: saved, listed, loaded, resumed, closed and deleted.

use super::harness::{Setup, kinds, selected, tool_call, updates};
use serde_json::{Value, json};

#[test]
fn another_process_loads_a_session_with_its_whole_history() {
    let write = tool_call(
        "a",
        "Write",
        json!({ "file_path": "a.txt", "content": "x" }),
    );
    let setup =
        Setup::new().script(&json!([write, { "thinking": "hm", "text": ["one ", "text"] }]));
    let mut client = setup.session(json!({}));
    client.answer = |_| selected("allow-once");
    client.turn("first");
    let (session, mut params) = (client.session.clone(), client.folder());
    client.agent.close_stdin();
    assert_eq!(client.agent.wait_for_exit().code(), Some(0));

    let expects = json!({ "when": { "contains": "one text" }, "text": "I remember" });
    let mut setup = Setup::new();
    setup.dir = client.agent.dir.clone();
    let mut later = setup.script(&json!([expects])).client(json!({}));
    let listed = later.result("session/list", json!({}))["sessions"].clone();
    assert_eq!(
        (&listed[0]["sessionId"], &listed[0]["title"]),
        (&json!(session), &json!("first"))
    );
    assert_eq!(listed[0]["cwd"], params["cwd"]);

    params["sessionId"] = json!(session);
    let id = later.request("session/load", params.clone());
    let history = later.until_answered(id);
    let expected = [
        "user_message_chunk",
        "tool_call completed",
        "agent_thought_chunk",
        "agent_message_chunk",
        "",
    ];
    assert_eq!(kinds(&history), expected);
    assert_eq!(
        updates(&history, "agent_message_chunk")[0]["content"]["text"],
        "one text"
    );
    later.session = session;
    let said = updates(&later.turn("again"), "agent_message_chunk");
    assert_eq!(said[0]["content"]["text"], "I remember");

    let id = later.request("session/resume", params);
    assert_eq!(kinds(&later.until_answered(id)), [""]);
}

#[test]
fn a_session_is_closed_after_its_prompt_was_answered_and_is_then_unknown() {
    let replies = json!([{ "content": [{ "text": "half" }, { "stall": true }] }]);
    let mut client = Setup::new().script(&replies).session(json!({}));
    let prompt = client.send_prompt("go");
    client.wait_for("agent_message_chunk");
    let close = client.request("session/close", json!({}));
    let messages = client.until_answered(close);
    let answer = messages
        .iter()
        .find(|message| message["id"] == prompt && message.get("result").is_some());
    assert_eq!(answer.unwrap()["result"]["stopReason"], "cancelled");
    let prompt = json!({ "prompt": [{ "type": "text", "text": "x" }] });
    assert_eq!(client.error_code("session/prompt", prompt), -32002);

    client.result("session/delete", json!({}));
    let (session, mut params) = (client.session.clone(), client.folder());
    params["sessionId"] = json!(session);
    assert_eq!(client.error_code("session/load", params), -32002);
}

#[test]
fn a_list_has_pages() {
    let mut client = Setup::new().args(&["--page", "2"]).client(json!({}));
    let mut ids = Vec::new();
    for _ in 0..3 {
        let folder = client.folder();
        ids.push(client.result("session/new", folder)["sessionId"].clone());
    }
    let first = client.result("session/list", json!({}));
    let second = client.result("session/list", json!({ "cursor": first["nextCursor"] }));
    let mut listed: Vec<Value> = Vec::new();
    for page in [&first, &second] {
        listed.extend(
            page["sessions"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["sessionId"].clone()),
        );
    }
    assert!(second.get("nextCursor").is_none());
    listed.sort_by_key(Value::to_string);
    ids.sort_by_key(Value::to_string);
    assert_eq!(listed, ids);
    assert_eq!(
        client.error_code("session/list", json!({ "cursor": "mine" })),
        -32602
    );
}

#[test]
fn a_session_has_the_system_prompt_the_folders_and_the_servers_of_its_client() {
    let server = r#"import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize": r = {"protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    elif m.get("method") == "tools/list": r = {"tools": [{"name": "hello", "inputSchema": {"type": "object"}}]}
    elif m.get("method") == "tools/call": r = {"content": [{"type": "text", "text": "from the server"}]}
    else: continue
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
"#;
    let setup = Setup::new().args(&["--mode", "bypass"]).script(&json!([
        { "when": { "contains": "Speak French." }, "tool_calls": [{ "id": "a", "name": "mcp__s__hello", "args": {} }] },
        { "when": { "last_contains": "from the server" }, "text": "done" },
    ]));
    let path = setup.write("server.py", server);
    let mut client = setup.client(json!({}));
    let mut params = client.folder();
    params["mcpServers"] =
        json!([{ "name": "s", "command": "python3", "args": [path], "env": [] }]);
    params["systemPrompt"] =
        json!({ "mode": "append", "content": [{ "type": "text", "text": "Speak French." }] });
    client.session = client.result("session/new", params.clone())["sessionId"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(kinds(&client.turn("go")).pop().unwrap(), "end_turn");

    for (member, wrong) in [
        ("cwd", json!("relative")),
        ("additionalDirectories", json!(["relative"])),
        (
            "systemPrompt",
            json!({ "mode": "other", "content": [{ "type": "text", "text": "x" }] }),
        ),
        ("systemPrompt", json!({ "mode": "append", "content": [] })),
    ] {
        let mut params = params.clone();
        params[member] = wrong;
        assert_eq!(client.error_code("session/new", params), -32602, "{member}");
    }
}
