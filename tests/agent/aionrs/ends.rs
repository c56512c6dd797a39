//! The end of the process: end of stdin, signals, shutdown.

use crate::aionrs::harness::{Setup, kinds, text, tool_call, wait_until_gone};
use serde_json::json;

fn waiting_for_approval() -> Setup {
    Setup::new().script(&json!([tool_call(
        "t1",
        "Bash",
        json!({ "command": "touch a" })
    )]))
}

fn running_a_tool() -> Setup {
    let command = "echo $$ > shell.pid; setsid sleep 1000 & echo $! > far.pid; wait";
    Setup::new()
        .script(&json!([tool_call(
            "t1",
            "Bash",
            json!({ "command": command })
        )]))
        .args(&["--auto-approve"])
}

fn streaming() -> Setup {
    Setup::new().script(&json!([{ "content": [{ "text": "one" }, { "stall": true }] }]))
}

#[test]
fn the_end_of_input_ends_an_idle_agent() {
    assert_eq!(Setup::new().ready().finish(), (vec![], Some(0)));
}

#[test]
fn the_end_of_input_lets_a_short_reply_finish() {
    let mut agent = Setup::new().ready();

    agent.send_raw(r#"{"type":"message","msg_id":"m1","input":"no newline"}"#);

    let (events, code) = agent.finish();
    assert_eq!(text(&events), "You said: no newline");
    assert_eq!(kinds(&events).last(), Some(&"stream_end"));
    assert_eq!(code, Some(0));
}

#[test]
fn the_end_of_input_ends_an_agent_that_streams() {
    let mut agent = streaming().ready();
    agent.message("m1", "hi");
    agent.expect("text_delta");

    let (events, code) = agent.finish();

    assert_eq!((kinds(&events), code), (vec!["stream_end"], Some(0)));
}

#[test]
fn the_end_of_input_ends_an_agent_that_waits_for_approval() {
    let mut agent = waiting_for_approval().ready();
    agent.message("m1", "hi");
    agent.expect("tool_request");

    let (events, code) = agent.finish();

    assert_eq!(
        (kinds(&events), code),
        (vec!["tool_cancelled", "stream_end"], Some(0))
    );
    assert_eq!(agent.read("a"), None);
}

#[test]
fn the_end_of_input_ends_an_agent_before_it_requests_approval() {
    let mut agent = waiting_for_approval().ready();
    agent.message("m1", "hi");

    let (events, code) = agent.finish();

    assert_eq!(kinds(&events).last(), Some(&"stream_end"));
    assert_eq!(code, Some(0));
}

#[test]
fn the_end_of_input_ends_a_running_tool_and_its_child_processes() {
    let mut agent = running_a_tool().ready();
    agent.message("m1", "hi");
    agent.expect("tool_running");
    let pids = ["shell.pid", "far.pid"].map(|file| agent.read_pid(file));

    let (events, code) = agent.finish();

    assert_eq!(
        (kinds(&events), code),
        (vec!["tool_cancelled", "stream_end"], Some(0))
    );
    pids.iter().for_each(|pid| wait_until_gone(pid));
}

#[test]
fn a_signal_ends_the_agent_in_every_state() {
    for signal in ["TERM", "INT"] {
        let mut idle = Setup::new().ready();
        idle.signal(signal);
        assert_eq!(idle.wait_for_exit().code(), Some(0));

        for (setup, state) in [
            (streaming(), "text_delta"),
            (waiting_for_approval(), "tool_request"),
            (running_a_tool(), "tool_running"),
        ] {
            let mut agent = setup.ready();
            agent.message("m1", "hi");
            agent.expect(state);

            agent.signal(signal);

            assert_eq!(agent.expect("stream_end")["msg_id"], "m1", "{state}");
            assert_eq!(agent.wait_for_exit().code(), Some(0), "{state}");
        }
    }
}

#[test]
fn a_process_that_left_its_process_group_ends_with_the_agent() {
    let command = "setsid sh -c 'echo $$ > far.pid; exec sleep 1000' > /dev/null 2>&1 & while [ ! -s far.pid ]; do sleep 0.01; done";
    let script = json!([tool_call("t1", "Bash", json!({ "command": command })), { "text": "ok" }]);
    let mut agent = Setup::new()
        .script(&script)
        .args(&["--auto-approve"])
        .ready();
    agent.message("m1", "hi");
    agent.expect("stream_end");
    let pid = agent.read("far.pid").unwrap();

    assert_eq!(agent.finish().1, Some(0));

    wait_until_gone(pid.trim());
}
