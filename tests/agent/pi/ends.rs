//! The end of the process: end of stdin, signals, shutdown.

use crate::pi::harness::{Setup, kinds, start_with_script, tool_call, wait_until_gone};
use serde_json::json;

#[test]
fn the_end_of_input_lets_a_run_finish() {
    let mut agent = start_with_script(&json!([{ "text": "a" }]));
    agent.prompt("go");

    let (rest, code) = agent.finish();

    assert_eq!(
        (kinds(&rest).last().copied(), code),
        (Some("agent_end"), Some(0))
    );
}

#[test]
fn the_end_of_input_ends_the_agent_in_any_state() {
    assert_eq!(Setup::new().start().finish(), (vec![], Some(0)));

    let mut stalled =
        start_with_script(&json!([{ "content": [{ "text": "a" }, { "stall": true }] }]));
    stalled.prompt("go");
    stalled.expect("message_update");
    assert_eq!(stalled.finish().1, Some(0));

    let tool = tool_call(
        "c",
        "bash",
        json!({ "command": "echo $$ > pid; sleep 600" }),
    );
    let mut working = start_with_script(&json!([tool]));
    working.prompt("go");
    let id = working.read_pid("pid");
    assert_eq!(working.finish().1, Some(0));
    wait_until_gone(&id);

    let mut shell = Setup::new().start();
    shell.send(&json!({ "type": "bash", "command": "echo $$ > pid; sleep 600" }));
    let id = shell.read_pid("pid");
    assert_eq!(shell.finish().1, Some(0));
    wait_until_gone(&id);
}
