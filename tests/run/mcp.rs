//! MCP servers of a scenario, against a small agent that connects to the server in a message.

use crate::harness::{RunResult, TestDir};
use conform_report::Verdict;
use std::process::{Command, Stdio};

/// An agent that starts the command in the text of a message as an MCP server, sends it the lines of `$ASKED`, and says its last answer.
const AGENT: &str = r#"
import json, os, shlex, subprocess, sys
def send(**event):
    print(json.dumps(event), flush=True)
send(type="ready", version="0.1.0", session_id=None, capabilities={"modes": ["default"]})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "message":
        continue
    turn = message["msg_id"]
    send(type="stream_start", msg_id=turn)
    words = shlex.split(message["input"])
    env = {**os.environ, "TOKEN": "heron"}
    server = subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "count", "arguments": {"of": "herons"}}}
    answer = server.communicate(json.dumps(ask) + "\nno message\n")[0].splitlines()
    send(type="text_delta", msg_id=turn, text=answer[0] if answer else "nothing")
    send(type="stream_end", msg_id=turn, finish_reason="stop")
"#;

/// Plays a scenario with this script of servers, and these steps after the prompt.
fn play(dir: &TestDir, servers: &str, steps: &str) -> RunResult {
    let scenario = format!(
        "name: x\nending: false\nmcp: {servers}\nsteps:\n  - send: {{ type: message, msg_id: m1, input: \"{{mcp_birds}} --count '7 and 8'\" }}\n  - expect: {{ type: stream_end }}\n{steps}  - close_stdin:\n  - expect_exit: {{ code: 0 }}\nbudgets: {{ response: 20s, idle: 20s }}\n"
    );
    let scenario = dir.file("one.yaml", &scenario);
    let agent = dir.file("agent.py", AGENT);
    let transcripts = dir.path("transcripts");
    dir.run(&[
        "--dialect",
        "aionrs@0.1",
        "--scenarios",
        &scenario,
        "--transcripts",
        transcripts.to_str().unwrap(),
        "python3",
        &agent,
    ])
}

/// The messages of the findings about what an MCP server must get.
fn findings(result: &RunResult) -> Vec<String> {
    let findings = result.only_scenario().findings.iter();
    let about_mcp = findings.filter(|one| one.rule == "scenario.expect_mcp");
    about_mcp.map(|one| one.message.clone()).collect()
}

const COUNT: &str = "{ birds: { tools: { count: { result: seven } } } }";

#[test]
fn what_reaches_a_server_is_expected_and_recorded() {
    let dir = TestDir::new();
    let result = play(
        &dir,
        COUNT,
        "  - expect: { type: text_delta, text: { $contains: seven } }
  - expect_mcp: { server: birds, started: { args: [--count, \"7 and 8\"], env: { TOKEN: heron, HOME: { $absent: true } } } }
  - expect_mcp: { server: birds, method: tools/call, params: { name: count, arguments: { of: herons } } }
  - expect_mcp: { server: birds, text: no message }
",
    );
    assert_eq!(findings(&result), [""; 0], "{result}");
    let text = std::fs::read_to_string(dir.path("transcripts/aionrs@0.1/one.jsonl")).unwrap();
    assert_eq!(text.matches(r#""dir":"mcp_request""#).count(), 3, "{text}");
}

#[test]
fn what_does_not_reach_a_server_is_a_finding_with_what_came_nearest() {
    let dir = TestDir::new();
    let result = play(
        &dir,
        COUNT,
        "  - expect_mcp: { server: birds, method: tools/call, params: { name: count, arguments: { of: storks } } }\n    within: 300ms\n",
    );
    assert_eq!(result.only_scenario().verdict, Verdict::Fail, "{result}");
    let found = findings(&result).join("\n");
    assert!(
        found.contains("/params/arguments/of = \"herons\"")
            && found.contains("birds: tools/call \"count\""),
        "{found}"
    );
}

#[test]
fn a_server_can_die_or_be_silent() {
    for servers in [
        "{ birds: { dies: true } }",
        "{ birds: { silent: true } }",
        "{ birds: { tools: { count: { dies: true } } } }",
    ] {
        let steps = "  - expect: { type: text_delta, text: nothing }\n  - expect_mcp: { server: birds, started: {} }\n";
        let result = play(&TestDir::new(), servers, steps);
        assert_eq!(findings_of_steps(&result), 0, "{result}");
    }
}

fn findings_of_steps(result: &RunResult) -> usize {
    let findings = result.only_scenario().findings.iter();
    let of_steps = findings.filter(|one| one.rule.starts_with("scenario."));
    of_steps.count()
}

#[test]
fn of_two_servers_with_the_same_tool_each_answers_its_own_calls() {
    let result = play(
        &TestDir::new(),
        "{ birds: { tools: { count: { result: seven } } }, fish: { tools: { count: { result: eight } } } }",
        "  - expect: { type: text_delta, text: { $contains: seven } }
  - send: { type: message, msg_id: m2, input: \"{mcp_fish}\" }
  - expect: { type: text_delta, text: { $contains: eight } }
  - expect_mcp: { server: birds, method: tools/call, params: { name: count } }
  - expect_mcp: { server: fish, method: tools/call, params: { name: count } }
",
    );
    assert_eq!(findings_of_steps(&result), 0, "{result}");
}

#[test]
fn the_server_of_a_file_is_chosen_by_its_name() {
    let dir = TestDir::new();
    let file = dir.file(
        "servers.yaml",
        "{ birds: { tools: { count: {} } }, fish: {} }",
    );
    let serve = |args: &[&str]| {
        let mut command = dir.command("mcp");
        let command: &mut Command = command.arg(&file).args(args).stdin(Stdio::null());
        let output = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), stderr)
    };
    assert_eq!(serve(&["--server", "fish"]), (Some(0), String::new()));
    let (status, why) = serve(&[]);
    assert_eq!(status, Some(2));
    assert!(why.contains("--server: birds, fish"), "{why}");
    assert!(
        serve(&["--server", "brids"]).1.contains("did you mean"),
        "{why}"
    );
}
