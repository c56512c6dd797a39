//! Markers in prompts: what they do in each dialect, and how a mistake in one is answered.

use crate::scripts::host::{Host, PROTOCOLS, protocol};
use crate::scripts::process::{Agent, Workspace, command};
use serde_json::json;
use std::process::Stdio;

#[test]
fn a_mistake_is_answered_with_the_alternatives_and_the_agent_continues() {
    for protocol in PROTOCOLS {
        let workspace = protocol.workspace();
        let mut host = Host::start(protocol, &workspace, &[]);
        for (marker, answer) in [
            ("@mock script=markdwn", "did you mean `markdown`?"),
            ("@mock pace=fast", "none, human"),
            ("@mock speed=fast", "script, fault, pace, gate"),
            ("@mock fault=none-such", "unknown fault `none-such`"),
        ] {
            let lines = host.prompt(marker).join("\n");
            assert!(lines.contains(answer), "{}: {lines}", protocol.dialect);
        }
        let echoed = host.prompt("@mock pace=1000 hello").join("\n");
        assert!(
            echoed.contains("hello") && !echoed.contains("said: @mock"),
            "{echoed}"
        );
        assert_eq!(host.finish(), Vec::<String>::new(), "{}", protocol.dialect);
    }
}

#[test]
fn a_script_that_the_dialect_does_not_have_is_refused_with_those_that_it_has() {
    let protocol = protocol("pi@0.87");
    let mut host = Host::start(protocol, &protocol.workspace(), &[]);
    let lines = host.prompt("@mock script=sub-agents").join("\n");
    assert!(
        lines.contains("pi@0.87 does not have; it has approval, "),
        "{lines}"
    );
    host.finish();
}

#[test]
fn a_fault_is_played_in_the_turn_of_its_prompt_only() {
    for (dialect, marker, finding) in [
        ("aionrs@0.1", "@mock fault=two-stream-ends go", true),
        ("aionrs@0.1", "@mock fault=loses-denials go", false),
        ("pi@0.87", "@mock fault=byte-order-mark go", true),
        ("synaps@1", "@mock fault=two-ends go", true),
    ] {
        let protocol = protocol(dialect);
        let mut host = Host::start(protocol, &protocol.workspace(), &[]);
        host.prompt(marker);
        host.prompt("hello");
        assert_eq!(!host.finish().is_empty(), finding, "{dialect} {marker}");
    }
    // After the turn of the marker, the fault of the process is played again.
    let protocol = protocol("aionrs@0.1");
    let fault = ["--fault", "no-stream-start@turn=3"];
    let mut host = Host::start(protocol, &protocol.workspace(), &fault);
    host.prompt("hello");
    host.prompt("@mock fault=byte-by-byte hello");
    let third = host.prompt("hello").join("\n");
    assert!(!third.contains("stream_start"), "{third}");
}

#[test]
fn a_gate_holds_the_reply_half_way_until_its_timeout_or_release() {
    let workspace = Workspace::new();
    let mut command = command(&workspace, &["--json-stream", "--control", "control"]);
    let mut agent = Agent::spawn(
        command
            .env("MOCK_AGENT_GATE_MS", "60000")
            .stderr(Stdio::null()),
    );
    agent.read();
    agent.send(
        &json!({ "type": "message", "msg_id": "m1", "input": "@mock gate=half one two three" }),
    );
    let mut held = String::new();
    while !held.ends_with("\"said: \"\n") {
        let line = agent.read().unwrap();
        held = format!("{}\n", line.split(",\"msg_id\"").next().unwrap());
    }
    let ctl = |words: &[&str]| {
        let mut ctl = std::process::Command::new(env!("CARGO_BIN_EXE_conform"));
        ctl.current_dir(workspace.path())
            .args(["ctl", "control"])
            .args(words);
        assert!(
            ctl.stdout(Stdio::null()).status().unwrap().success(),
            "{words:?}"
        );
    };
    ctl(&["wait-gate", "half"]);
    ctl(&["release", "half"]);
    let mut rest: Vec<String> = Vec::new();
    while !rest.concat().contains("stream_end") {
        rest.push(agent.read().unwrap());
    }
    assert!(rest.concat().contains("three"), "{rest:?}");
}

#[test]
fn markers_have_their_effect_with_a_model_over_http() {
    let workspace = Workspace::new();
    let script = workspace.write(
        "script.yaml",
        "- text: [Hello, \" over HTTP\"]\n  repeat: forever\n",
    );
    let mut provider = std::process::Command::new(env!("CARGO_BIN_EXE_conform"));
    provider.args(["provider", "--script", &script]);
    let mut provider = Agent::spawn(provider.stderr(Stdio::null()));
    let url = provider.read().unwrap();
    let args = [
        "--json-stream",
        "--provider",
        "anthropic",
        "--base-url",
        &url,
        "--control",
        "control",
    ];
    let mut agent = command(&workspace, &args);
    agent.env("ANTHROPIC_API_KEY", "k").stderr(Stdio::null());
    let mut agent = Agent::spawn(&mut agent);
    agent.read();
    let mut turns = 0;
    let mut turn = |agent: &mut Agent, text: &str| {
        turns += 1;
        let id = format!("m{turns}");
        agent.send(&json!({ "type": "message", "msg_id": id, "input": text }));
        let mut lines = String::new();
        while !lines.contains("stream_end") {
            lines.push_str(&agent.read().unwrap());
        }
        lines
    };

    assert!(turn(&mut agent, "hello").contains("over HTTP"));
    let script = turn(&mut agent, "@mock script=rate-limit");
    assert!(
        script.contains("provider_error") && !script.contains("over HTTP"),
        "{script}"
    );
    let mistake = turn(&mut agent, "@mock script=markdwn");
    assert!(mistake.contains("did you mean `markdown`?"), "{mistake}");
    let fault = turn(&mut agent, "@mock fault=no-stream-start pace=100 hello");
    assert!(
        fault.contains("over HTTP") && !fault.contains("stream_start"),
        "{fault}"
    );

    agent.send(&json!({ "type": "message", "msg_id": "held", "input": "@mock gate=half hello" }));
    let mut ctl = std::process::Command::new(env!("CARGO_BIN_EXE_conform"));
    ctl.current_dir(workspace.path());
    ctl.args(["ctl", "control", "wait-gate", "half"]);
    assert!(ctl.stdout(Stdio::null()).status().unwrap().success());
    let mut ctl = std::process::Command::new(env!("CARGO_BIN_EXE_conform"));
    ctl.current_dir(workspace.path());
    ctl.args(["ctl", "control", "release", "half"]);
    assert!(ctl.stdout(Stdio::null()).status().unwrap().success());
    let mut held = String::new();
    while !held.contains("stream_end") {
        held.push_str(&agent.read().unwrap());
    }
    assert!(held.contains("over HTTP"), "{held}");
}
