use crate::harness::{Setup, call, gone, kinds, playing};
use serde_json::json;

#[test]
fn the_end_of_input_lets_a_run_come_to_its_end() {
    let mut agent = playing(&json!([{ "text": "a" }]));
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

    let mut stalled = playing(&json!([{ "content": [{ "text": "a" }, { "stall": true }] }]));
    stalled.prompt("go");
    stalled.expect("message_update");
    assert_eq!(stalled.finish().1, Some(0));

    let tool = call(
        "c",
        "bash",
        json!({ "command": "echo $$ > pid; sleep 600" }),
    );
    let mut working = playing(&json!([tool]));
    working.prompt("go");
    let id = working.pid("pid");
    assert_eq!(working.finish().1, Some(0));
    gone(&id);

    let mut shell = Setup::new().start();
    shell.send(&json!({ "type": "bash", "command": "echo $$ > pid; sleep 600" }));
    let id = shell.pid("pid");
    assert_eq!(shell.finish().1, Some(0));
    gone(&id);
}
