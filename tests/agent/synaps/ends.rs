//! The end of the process: end of stdin, signals, shutdown.

use crate::synaps::harness::{Agent, Setup, kinds, start_with_script, tool_call, wait_until_gone};
use serde_json::json;

fn start_streaming() -> Agent {
    let mut agent =
        start_with_script(&json!([{ "content": [{ "text": "a" }, { "stall": true }] }]));
    agent.prompt("p", "hi");
    agent.next();
    agent
}

fn start_with_running_tool() -> (Agent, String) {
    let command = "echo $$ > pid; sleep 600";
    let mut agent = start_with_script(&json!([tool_call(
        "c",
        "bash",
        json!({ "command": command })
    )]));
    agent.prompt("p", "hi");
    let id = agent.read_pid("pid");
    (agent, id)
}

#[test]
fn shutdown_when_idle_exits_without_output() {
    let mut agent = Setup::new().ready();

    agent.shutdown();

    assert_eq!(agent.read_to_end(), (vec![], Some(0)));
}

#[test]
fn commands_before_shutdown_are_answered() {
    let mut agent = Setup::new().ready();

    agent.send_raw("{\"type\":\"get_state\",\"id\":\"s\"}\n{\"type\":\"compact\",\"id\":\"c\"}\n{\"type\":\"shutdown\"}\n{\"type\":\"get_state\",\"id\":\"late\"}\n");

    let (rest, code) = agent.read_to_end();
    let ids: Vec<_> = rest.iter().map(|event| &event["id"]).collect();
    assert_eq!(ids, ["s", "c"]);
    assert_eq!(code, Some(0));
}

#[test]
fn shutdown_in_a_turn_ends_it() {
    let mut agent = start_streaming();

    agent.shutdown();

    let (rest, code) = agent.read_to_end();
    assert_eq!(
        (kinds(&rest), code),
        (vec!["agent_end", "response"], Some(0))
    );
}

#[test]
fn shutdown_in_a_tool_ends_the_tool() {
    let (mut agent, id) = start_with_running_tool();

    agent.shutdown();

    assert_eq!(agent.read_to_end().1, Some(0));
    wait_until_gone(&id);
}

#[test]
fn the_end_of_input_ends_the_agent_in_any_state() {
    let mut idle = Setup::new().ready();
    idle.close_stdin();
    assert_eq!(idle.read_to_end(), (vec![], Some(0)));

    let mut busy = start_streaming();
    busy.close_stdin();
    assert_eq!(busy.read_to_end().1, Some(0));

    let (mut working, id) = start_with_running_tool();
    working.close_stdin();
    assert_eq!(working.read_to_end().1, Some(0));
    wait_until_gone(&id);

    let mut delegating = start_with_script(&json!([
        tool_call("c", "subagent", json!({ "task": "wait" })),
        { "content": [{ "stall": true }] },
    ]));
    delegating.prompt("p", "hi");
    delegating.expect("subagent_update");
    delegating.close_stdin();
    assert_eq!(delegating.read_to_end().1, Some(0));
}

#[test]
fn an_abort_ends_the_tool_process() {
    let (mut agent, id) = start_with_running_tool();

    assert_eq!(agent.ask("abort")["ok"], true);

    wait_until_gone(&id);
    assert_eq!(agent.ask("get_state")["streaming"], false);
}
