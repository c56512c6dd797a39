//! The clock of an agent, which a test can stop, advance and make faster.

use crate::control::{Agent, Test, printed};
use control_socket::Command;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const HOUR: u64 = 3_600_000;

fn advance(by_ms: u64) -> Command {
    Command::Advance {
        by_ms,
        timeout_ms: 60_000,
    }
}

impl Test {
    fn with_clock(&self, speed: &str, args: &[&str]) -> Agent {
        let args = [args, &["--script", "script.yaml"]].concat();
        self.start_with("", &args, &[("MOCK_AGENT_CLOCK", speed)])
    }

    fn waits(&self) -> Value {
        printed(&self.ctl(&["status"]).success())["waits_ms"].clone()
    }
}

impl Agent {
    fn prompt(&mut self) {
        self.send(&json!({ "type": "prompt", "id": "p", "message": "hi" }));
    }

    /// The frames up to and including one of this type.
    fn until(&mut self, kind: &str) -> Vec<Value> {
        let mut frames: Vec<Value> = Vec::new();
        while frames.last().is_none_or(|frame| frame["type"] != kind) {
            frames.push(self.next());
        }
        frames
    }
}

/// The failures of a model before its answer, each with a retry.
fn overloaded(times: usize) -> String {
    "- error: { status: 529 }\n".repeat(times) + "- text: fine\n"
}

#[test]
fn the_waits_of_retries_pass_when_a_test_advances_the_clock() {
    let test = Test::new(&overloaded(3));
    let mut agent = test.with_clock("stopped", &["--mode", "rpc", "--no-session"]);
    agent.prompt();
    let first = agent.until("auto_retry_start").pop().unwrap();
    let first = first["delayMs"].as_u64().unwrap();
    assert_eq!(test.waits(), json!([first]));
    let one_less = format!("{}ms", first - 1);
    let left = printed(&test.ctl(&["advance", &one_less]).success());
    assert_eq!(left, json!({ "waits_ms": [1] }));
    // The second retry waits for twice as long, from the moment at which the first one has failed.
    let left = test.client(1).request(advance(1)).unwrap();
    assert_eq!(left, json!({ "waits_ms": [2 * first] }));
    // One advance can pass several waits.
    let left = test.client(1).request(advance(6 * first)).unwrap();
    assert_eq!(left, json!({ "waits_ms": [] }));
    let rest = agent.until("auto_retry_end");
    let retries = rest
        .iter()
        .filter(|frame| frame["type"] == "auto_retry_start");
    assert_eq!(retries.count(), 2);
    assert_eq!(rest.last().unwrap()["success"], true);
}

#[test]
fn an_advance_waits_until_something_waits_for_the_clock() {
    let test = Test::new("- { delay: 1h, text: [a, b] }\n");
    let mut agent = test.with_clock("stopped", &["--json-stream", "--pace", "1"]);
    let mut client = test.client(1);
    let advanced = std::thread::spawn(move || client.request(advance(2 * HOUR)));
    agent.message("m");
    assert_eq!(agent.until_text("b"), ["a", "b"]);
    assert_eq!(advanced.join().unwrap().unwrap(), json!({ "waits_ms": [] }));
    let late = test.client(1).request(Command::Advance {
        by_ms: 1,
        timeout_ms: 1,
    });
    let why = late.unwrap_err().to_string();
    let sent = r#"{"type":"message","msg_id":"m","input":"hi"}"#;
    let expected = format!(
        "nothing has waited for the clock within 1ms; the last that the host has sent: {sent}"
    );
    assert!(why.starts_with(&expected), "{why}");
    assert!(why.contains("if MOCK_AGENT_RETRIES is set"), "{why}");
}

#[test]
fn an_advance_is_answered_if_the_agent_ends_meanwhile() {
    let test = Test::new("- { delay: 1h, text: fine }\n");
    for n in 1..=8 {
        let mut agent = test.with_clock("stopped", &["--json-stream"]);
        agent.message("m");
        let mut client = test.client(n);
        let advanced = std::thread::spawn(move || client.request(advance(HOUR)));
        agent.until("stream_end");
        agent.close_stdin();
        assert_eq!(advanced.join().unwrap().unwrap(), json!({ "waits_ms": [] }));
    }
}

#[test]
fn pauses_of_an_agent_script_and_the_latency_pass_with_the_clock() {
    let test = Test::new(
        "dialect: aionrs@0.1\ncommands: [{ on: { type: message }, do: [{ pause: 1h }, { send: { type: info, message: late } }] }]\n",
    );
    let settings = [
        ("MOCK_AGENT_CLOCK", "stopped"),
        ("MOCK_AGENT_LATENCY_MS", "1000"),
    ];
    let mut agent = test.start_with("", &["--script", "script.yaml"], &settings);
    agent.message("m");
    let left = test.client(1).request(advance(HOUR)).unwrap();
    assert_eq!(
        left,
        json!({ "waits_ms": [1000] }),
        "the latency of the line"
    );
    test.client(1).request(advance(1000)).unwrap();
    assert_eq!(agent.next()["message"], "late");
}

#[test]
fn a_fast_clock_needs_no_test() {
    let test = Test::new("- { delay: 1h, text: fine }\n");
    let begun = Instant::now();
    let mut agent = test.with_clock("100000", &["--json-stream"]);
    agent.message("m");
    agent.until_text("fine");
    assert!(begun.elapsed() < Duration::from_secs(60));
    let refused = test.ctl(&["advance", "1s"]).code(1);
    let why = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    assert!(
        why.contains("start the agent with MOCK_AGENT_CLOCK=stopped"),
        "{why}"
    );
}

#[test]
fn a_clock_that_nobody_can_advance_is_refused() {
    let test = Test::new("");
    let mut process = test.process_of("");
    process
        .env("MOCK_AGENT_CLOCK", "stopped")
        .env_remove("MOCK_AGENT_CONTROL");
    let output = process.arg("--json-stream").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let why = String::from_utf8(output.stderr).unwrap();
    assert!(
        why.contains("MOCK_AGENT_CLOCK=stopped needs MOCK_AGENT_CONTROL"),
        "{why}"
    );
}
