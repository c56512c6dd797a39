use crate::harness::{Agent, Setup, gone, heard, playing};
use serde_json::{Value, json};

fn idle() -> Agent {
    Setup::new().start()
}

#[test]
fn a_shell_command_is_answered_and_starts_no_run() {
    let mut agent = idle();

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
fn long_output_is_cut_and_kept_whole_in_a_file() {
    let mut agent = idle();

    let message = agent.bash("seq 1 100000");

    assert_eq!(message["truncated"], true);
    let output = message["output"].as_str().unwrap();
    assert!(output.len() <= 50 << 10 && output.ends_with("100000\n"));
    let path = message["fullOutputPath"].as_str().unwrap();
    let whole = std::fs::read_to_string(path).unwrap();
    assert!(whole.starts_with("1\n2\n") && whole.ends_with("100000\n"));
}

#[test]
fn a_command_that_was_killed_has_no_exit_code() {
    let message = idle().bash("kill -9 $$");

    assert_eq!(message["exitCode"], Value::Null);
    assert_eq!(message["cancelled"], false);
}

#[test]
fn abort_cancels_a_shell_command_with_all_that_it_started() {
    let mut agent = idle();
    agent.send(&json!({ "type": "bash", "command": "sleep 600 & echo $! > pid; wait" }));
    let child = agent.pid("pid");

    agent.abort();

    let message = &agent.expect("bash_end")["message"];
    assert_eq!(
        (&message["cancelled"], &message["exitCode"]),
        (&json!(true), &Value::Null)
    );
    gone(&child);
}

#[test]
fn output_is_told_to_the_model_in_the_form_of_the_page() {
    let mut agent = playing(&heard("Ran `printf heron`\n```\nheron\n```"));

    agent.bash("printf heron");

    assert_eq!(agent.ask("what did it say?"), "heard");
}

#[test]
fn output_that_comes_during_a_run_is_told_in_the_next() {
    let mut agent = playing(&json!([
        { "tool_calls": [{ "id": "t", "name": "bash", "args": { "command": "until [ -e go ]; do sleep 0.01; done" } }] },
        { "when": { "contains": "Ran `echo egret" }, "repeat": "forever", "text": "heard" },
        { "repeat": "forever", "text": "not heard" },
    ]));
    agent.prompt("wait");
    agent.expect("tool_execution_start");

    agent.bash("echo egret > go");

    let end = agent.expect("agent_end");
    assert_eq!(end["messages"][3]["content"][0]["text"], "not heard");
    assert_eq!(agent.ask("and now?"), "heard");
}
