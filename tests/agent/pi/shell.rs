//! The `bash` command.

use crate::pi::harness::{Agent, Setup, script_that_detects, start_with_script, wait_until_gone};
use serde_json::{Value, json};

fn start_idle() -> Agent {
    Setup::new().start()
}

#[test]
fn a_shell_command_is_answered_and_starts_no_run() {
    let mut agent = start_idle();

    let message = agent.bash("echo out; echo err >&2; exit 3");

    assert_eq!(message["role"], "bashExecution");
    assert_eq!(message["output"], "out\nerr\n");
    assert_eq!(message["exitCode"], 3);
    assert_eq!(
        (&message["cancelled"], &message["truncated"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(message.get("fullOutputPath"), None);
    assert_eq!(agent.finish(), (vec![], Some(0)));
}

#[test]
fn long_output_is_truncated_and_saved_in_full_to_a_file() {
    let mut agent = start_idle();

    let message = agent.bash("seq 1 100000");

    assert_eq!(message["truncated"], true);
    let output = message["output"].as_str().unwrap();
    assert!(output.len() <= 50 << 10 && output.ends_with("100000\n"));
    let path = message["fullOutputPath"].as_str().unwrap();
    let whole = std::fs::read_to_string(path).unwrap();
    assert!(whole.starts_with("1\n2\n") && whole.ends_with("100000\n"));
}

#[test]
fn a_killed_command_has_no_exit_code() {
    let message = start_idle().bash("kill -9 $$");

    assert_eq!(message["exitCode"], Value::Null);
    assert_eq!(message["cancelled"], false);
}

#[test]
fn abort_cancels_a_shell_command_and_its_child_processes() {
    let mut agent = start_idle();
    agent.send(&json!({ "type": "bash", "command": "sleep 600 & echo $! > pid; wait" }));
    let child = agent.read_pid("pid");

    agent.abort();

    let message = &agent.expect("bash_end")["message"];
    assert_eq!(
        (&message["cancelled"], &message["exitCode"]),
        (&json!(true), &Value::Null)
    );
    wait_until_gone(&child);
}

#[test]
fn shell_output_reaches_the_model_in_the_specified_format() {
    let mut agent = start_with_script(&script_that_detects("Ran `printf heron`\n```\nheron\n```"));

    agent.bash("printf heron");

    assert_eq!(agent.ask("what did it say?"), "seen");
}

#[test]
fn shell_output_during_a_run_reaches_the_model_in_the_next_run() {
    let mut agent = start_with_script(&json!([
        { "tool_calls": [{ "id": "t", "name": "bash", "args": { "command": "until [ -e go ]; do sleep 0.01; done" } }] },
        { "when": { "contains": "Ran `echo egret" }, "repeat": "forever", "text": "seen" },
        { "repeat": "forever", "text": "not seen" },
    ]));
    agent.prompt("wait");
    agent.expect("tool_execution_start");

    agent.send(&json!({ "type": "bash", "command": "echo egret > go" }));

    // The run and the command end in either order.
    let mut ends = [Value::Null, Value::Null];
    while ends.iter().any(Value::is_null) {
        let event = agent.next();
        for (end, kind) in ends.iter_mut().zip(["agent_end", "bash_end"]) {
            if event["type"] == kind {
                *end = event.clone();
            }
        }
    }
    assert_eq!(ends[0]["messages"][3]["content"][0]["text"], "not seen");
    assert_eq!(agent.ask("and now?"), "seen");
}
