//! The flags and variables for the built-in scripts: their names, their texts, and what is refused.

use crate::scripts::host::{Host, PROTOCOLS, protocol};
use crate::scripts::process::{Agent, Workspace, command};
use serde_json::{Value, json};
use snapbox::file;
use std::process::Output;

fn run(args: &[&str], env: &[(&str, &str)]) -> Output {
    let workspace = Workspace::new();
    let mut command = command(&workspace, args);
    command.envs(env.iter().copied()).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = run(args, &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_list_of_built_in_scripts() {
    snapbox::assert_data_eq!(
        stdout(&["--list-scripts"]),
        file!["snapshots/list.txt"].raw()
    );
    let of_pi = stdout(&["--list-scripts", "--mode", "rpc"]);
    assert!(
        of_pi.contains("dialogs") && !of_pi.contains("sub-agents"),
        "{of_pi}"
    );
}

#[test]
fn a_printed_script_is_a_file_to_copy() {
    let printed = stdout(&[
        "--print-script",
        "approval",
        "--json-stream",
        "--protocol",
        "0.2",
    ]);
    assert!(printed.contains("ExecCommand"), "{printed}");
    let (workspace, protocol) = (Workspace::new(), protocol("aionrs@0.2"));
    let path = workspace.write("copy.yaml", &printed);
    let play =
        |script: &str| Host::start(protocol, &Workspace::new(), &["--script", script]).prompt("go");
    assert_eq!(play(&path), play("approval"));
}

#[test]
fn a_name_that_the_protocol_does_not_have_is_refused_at_the_start() {
    for (args, env) in [
        (&["--mode", "rpc", "--script", "sub-agents"][..], &[][..]),
        (&["--mode", "rpc"], &[("MOCK_AGENT_SCRIPT", "sub-agents")]),
        (&["rpc", "--script=no-such"], &[]),
        (&["--print-script", "no-such"], &[]),
    ] {
        let output = run(args, env);
        assert_eq!(
            (output.status.code(), output.stdout.as_slice()),
            (Some(2), &b""[..]),
            "{args:?}"
        );
        let why = String::from_utf8(output.stderr).unwrap();
        assert!(
            why.contains("built-in script") && why.contains("markdown"),
            "{why}"
        );
        assert_eq!(why.lines().count(), 1, "{why}");
    }
}

/// Each wrong value of a flag or a variable, with a part of its message.
const WRONG_VALUES: &[(&[&str], &str, &str, &str)] = &[
    (
        &["--pace", "fast"],
        "",
        "",
        "--pace: \"fast\" is not a pace",
    ),
    (&["--seed", "x"], "", "", "--seed: \"x\" is not a number"),
    (
        &["--script", "./gone.yaml"],
        "",
        "",
        "./gone.yaml: cannot be read",
    ),
    (
        &["--fault", "byte-order-mrk"],
        "",
        "",
        "did you mean `byte-order-mark`?",
    ),
    (&[], "MOCK_AGENT_PACE", "fast", "MOCK_AGENT_PACE: \"fast\""),
    (&[], "MOCK_AGENT_SEED", "x", "MOCK_AGENT_SEED: \"x\""),
    (
        &[],
        "MOCK_AGENT_CLOCK",
        "fast",
        "MOCK_AGENT_CLOCK: \"fast\" is neither",
    ),
    (
        &[],
        "MOCK_AGENT_CLOCK",
        "NaN",
        "MOCK_AGENT_CLOCK: \"NaN\" is neither",
    ),
    (
        &[],
        "MOCK_AGENT_CLOCK",
        "0",
        "MOCK_AGENT_CLOCK: \"0\" is neither",
    ),
    (&[], "MOCK_AGENT_GATE_MS", "x", "MOCK_AGENT_GATE_MS: \"x\""),
    (
        &[],
        "MOCK_AGENT_PATIENCE_MS",
        "x",
        "MOCK_AGENT_PATIENCE_MS: \"x\"",
    ),
    (&[], "MOCK_AGENT_RETRIES", "x", "MOCK_AGENT_RETRIES: \"x\""),
    (
        &[],
        "MOCK_AGENT_LATENCY_MS",
        "x",
        "MOCK_AGENT_LATENCY_MS: \"x\"",
    ),
    (
        &[],
        "MOCK_AGENT_SCRIPT",
        "./gone.yaml",
        "./gone.yaml: cannot be read",
    ),
    (
        &[],
        "MOCK_AGENT_FAULT",
        "byte-order-mrk",
        "did you mean `byte-order-mark`?",
    ),
    (
        &[],
        "MOCK_AGENT_CONFIG",
        "gone.yaml",
        "gone.yaml: cannot be read",
    ),
];

#[test]
fn a_wrong_value_is_one_line_on_stderr_and_status_2() {
    for protocol in ["aionrs@0.1", "pi@0.87", "synaps@1"].map(protocol) {
        for (args, variable, value, message) in WRONG_VALUES {
            let env = [(*variable, *value)];
            let env = &env[..usize::from(!variable.is_empty())];
            let output = run(&[protocol.args, args].concat(), env);
            let why = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{args:?} {env:?} {why}");
            assert!(
                why.starts_with("mock-agent: ") && why.contains(message),
                "{why}"
            );
            assert_eq!(why.lines().count(), 1, "{why}");
        }
    }
    let version = run(&["--mode", "rpc", "--protocol", "9"], &[]);
    let why = String::from_utf8(version.stderr).unwrap();
    assert_eq!(version.status.code(), Some(2), "{why}");
    assert!(
        why.contains("version \"9\" of pi is not supported"),
        "{why}"
    );
    let misspelt = run(&["--json-stream", "--scirpt", "approval"], &[]);
    let why = String::from_utf8(misspelt.stderr).unwrap();
    assert_eq!(misspelt.status.code(), Some(2), "{why}");
    assert!(why.contains("--scirpt; did you mean --script?"), "{why}");
}

#[test]
fn an_extension_of_pi_asks_before_the_run_and_before_a_tool() {
    for protocol in ["pi@0.73", "pi@0.87"].map(protocol) {
        let mut host = Host::start(protocol, &protocol.workspace(), &["--script", "dialogs"]);
        let dialogs = host.prompt("go").join("\n");
        for answer in [
            "answer: \\\"right\\\"",
            "answer: true",
            "answer: \\\"typed\\\"",
        ] {
            assert!(dialogs.contains(answer), "{answer}: {dialogs}");
        }
        let approved = host.prompt("@mock script=approval").join("\n");
        let asked = approved.find("\"method\":\"confirm\"").unwrap();
        let ran = approved.find("tool_execution_end").unwrap();
        assert!(asked < ran, "{approved}");
        let tools = host.prompt("@mock script=tools").join("\n");
        assert!(!tools.contains("extension_ui_request"), "{tools}");
        assert_eq!(host.finish(), Vec::<String>::new(), "{}", protocol.dialect);
    }
}

#[test]
fn each_prompt_plays_the_script_again_and_after_a_failure_its_rest() {
    let protocol = protocol("aionrs@0.1");
    let mut host = Host::start(protocol, &protocol.workspace(), &["--script", "error-auth"]);
    let answers: Vec<_> = (0..4)
        .map(|_| host.prompt("go").concat().contains("answers again"))
        .collect();
    assert_eq!(answers, [false, true, false, true]);
    assert_eq!(host.finish(), Vec::<String>::new());
}

#[test]
fn a_resumed_session_is_recognized_by_the_script() {
    let (protocol, workspace) = (protocol("aionrs@0.1"), Workspace::new());
    let play = |more: &[&str]| {
        let mut host = Host::start(
            protocol,
            &workspace,
            &[&["--script", "resume"], more].concat(),
        );
        let lines = host.prompt("go").concat();
        host.finish();
        lines
    };
    assert!(play(&[]).contains("I will remember this"));
    assert!(play(&["--resume", "latest"]).contains("Welcome back"));
}

#[test]
fn the_frames_of_a_script() {
    let protocol = protocol("aionrs@0.1");
    let mut host = Host::start(protocol, &protocol.workspace(), &["--script", "approval"]);
    let frames = host.prompt("go").join("\n") + "\n";
    snapbox::assert_data_eq!(frames, file!["snapshots/approval.jsonl"].raw());
}

#[test]
fn large_scripts_keep_the_protocol_in_a_smaller_size() {
    for protocol in PROTOCOLS {
        let repeats_messages = ["pi@0.14", "pi@0.73"].contains(&protocol.dialect);
        let deltas = if repeats_messages { "2000" } else { "100000" };
        for (script, times) in [("long-output", "150000"), ("many-deltas", deltas)] {
            let print = [protocol.args, &["--print-script", script]].concat();
            let text = String::from_utf8(run(&print, &[]).stdout).unwrap();
            assert!(text.contains(&format!("times: {times}")), "{text}");
            let workspace = protocol.workspace();
            let path = workspace.write("small.yaml", &text.replace(times, "300"));
            let mut host = Host::start(protocol, &workspace, &["--script", &path]);
            host.prompt("go");
            assert_eq!(
                host.finish(),
                Vec::<String>::new(),
                "{} {script}",
                protocol.dialect
            );
        }
    }
}

#[test]
fn large_scripts_arrive_whole() {
    for (script, lines, bytes) in [
        ("long-output", 3, 10_000_000),
        ("many-deltas", 100_002, 500_000),
    ] {
        let workspace = Workspace::new();
        let mut agent = Agent::start(&workspace, &["--json-stream", "--script", script]);
        agent.read();
        agent.send(&json!({ "type": "message", "msg_id": "m1", "input": "go" }));
        let mut lengths = Vec::new();
        loop {
            let line = agent.read().unwrap();
            lengths.push(line.len());
            if line.starts_with("{\"type\":\"stream_end\"") {
                break;
            }
        }
        assert_eq!(lengths.len(), lines, "{script}");
        assert!(lengths.iter().sum::<usize>() > bytes, "{script}");
    }
}

#[test]
fn a_compaction_that_the_host_asks_for_has_a_summary_without_a_script_for_it() {
    for more in [&[][..], &["--script", "markdown"]] {
        let workspace = Workspace::new();
        let mut agent = Agent::start(&workspace, &[&["rpc"], more].concat());
        agent.read();
        let mut response = |command: Value| {
            agent.send(&command);
            loop {
                let event: Value = serde_json::from_str(&agent.read().unwrap()).unwrap();
                if event["type"] == "response" {
                    return event;
                }
            }
        };
        response(json!({ "type": "prompt", "id": "p", "message": "hello" }));
        let compacted = response(json!({ "type": "compact", "id": "c" }));
        let summary = compacted["summary"].as_str().unwrap();
        assert!(summary.ends_with("nothing is left to do."), "{summary}");
    }
}
