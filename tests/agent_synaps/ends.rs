use crate::harness::{Agent, Setup, call, gone, kinds, playing};
use serde_json::json;

fn slow() -> Agent {
    let mut agent = playing(&json!([{ "content": [{ "text": "a" }, { "stall": true }] }]));
    agent.prompt("p", "hi");
    agent.next();
    agent
}

fn with_tool() -> (Agent, String) {
    let command = "echo $$ > pid; sleep 600";
    let mut agent = playing(&json!([call("c", "bash", json!({ "command": command }))]));
    agent.prompt("p", "hi");
    let id = agent.pid("pid");
    (agent, id)
}

#[test]
fn shutdown_when_idle_says_nothing_and_exits() {
    let mut agent = Setup::new().ready();

    agent.shutdown();

    assert_eq!(agent.end(), (vec![], Some(0)));
}

#[test]
fn commands_before_shutdown_are_answered() {
    let mut agent = Setup::new().ready();

    agent.raw("{\"type\":\"get_state\",\"id\":\"s\"}\n{\"type\":\"compact\",\"id\":\"c\"}\n{\"type\":\"shutdown\"}\n{\"type\":\"get_state\",\"id\":\"late\"}\n");

    let (rest, code) = agent.end();
    let ids: Vec<_> = rest.iter().map(|event| &event["id"]).collect();
    assert_eq!(ids, ["s", "c"]);
    assert_eq!(code, Some(0));
}

#[test]
fn shutdown_in_a_turn_ends_it() {
    let mut agent = slow();

    agent.shutdown();

    let (rest, code) = agent.end();
    assert_eq!(
        (kinds(&rest), code),
        (vec!["agent_end", "response"], Some(0))
    );
}

#[test]
fn shutdown_in_a_tool_ends_the_tool() {
    let (mut agent, id) = with_tool();

    agent.shutdown();

    assert_eq!(agent.end().1, Some(0));
    gone(&id);
}

#[test]
fn the_end_of_input_ends_the_agent_in_any_state() {
    let mut idle = Setup::new().ready();
    idle.close();
    assert_eq!(idle.end(), (vec![], Some(0)));

    let mut busy = slow();
    busy.close();
    assert_eq!(busy.end().1, Some(0));

    let (mut working, id) = with_tool();
    working.close();
    assert_eq!(working.end().1, Some(0));
    gone(&id);

    let mut delegating = playing(&json!([
        call("c", "subagent", json!({ "task": "wait" })),
        { "content": [{ "stall": true }] },
    ]));
    delegating.prompt("p", "hi");
    delegating.expect("subagent_update");
    delegating.close();
    assert_eq!(delegating.end().1, Some(0));
}

#[test]
fn an_abort_ends_the_tool_and_what_it_started() {
    let (mut agent, id) = with_tool();

    assert_eq!(agent.ask("abort")["ok"], true);

    gone(&id);
    assert_eq!(agent.ask("get_state")["streaming"], false);
}
