//! The client for Rust: a test of a host in a few lines, and what fails it.

use agent_conform::Prepared;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// As in the README, but with the program of this build.
struct MockAgent;

impl MockAgent {
    #[expect(clippy::new_ret_no_self, reason = "it stands for the one of the crate")]
    fn new(protocol: &str) -> agent_conform::MockAgent {
        agent_conform::MockAgent::new(protocol).program(env!("CARGO_BIN_EXE_mock-agent"))
    }
}

/// A host that reads one event after the other.
struct Host {
    child: Child,
    events: BufReader<ChildStdout>,
}

impl Host {
    fn new(agent: &Prepared) -> Self {
        let mut command = agent.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let events = BufReader::new(child.stdout.take().unwrap());
        Host { child, events }
    }

    fn send(&mut self, command: &Value) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{command}").unwrap();
    }

    /// The next event of this type.
    fn event(&mut self, kind: &str) -> Value {
        let mut lines = (&mut self.events).lines();
        let event = lines.find_map(|line| {
            let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
            (event["type"] == kind).then_some(event)
        });
        event.unwrap_or_default()
    }

    fn close(mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

/// What a drop panics with.
fn wrong(agent: Prepared) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| drop(agent))).unwrap_err();
    panic.downcast_ref::<String>().unwrap().clone()
}

#[test]
fn half_an_answer_is_held_as_in_the_readme() {
    let script = json!([{ "content": [{ "text": "The answer is " }, { "gate": "half" }, { "text": "42." }] }]);
    let agent = MockAgent::new("aionrs@0.1").script(script).start();
    let mut host = Command::new("sh");
    host.args(["examples/shell-host/host.sh", "What is the answer?"]);
    host.arg(agent.program()).envs(agent.env());
    let host = host.stdout(Stdio::piped()).spawn().unwrap();

    agent.wait_for_gate("half");
    agent.release("half");
    let screen = host.wait_with_output().unwrap().stdout;
    assert_eq!(screen, b"The answer is 42.\n");

    let readme = include_str!("../../clients/rust/README.md");
    let cargo = include_str!("../../clients/rust/Cargo.toml");
    let name = cargo.lines().find_map(|line| line.strip_prefix("name = "));
    let dependency = format!("\n{} = ", name.unwrap().trim_matches('"'));
    let (_, version) = readme.split_once(&dependency).unwrap();
    let version = version.split('"').nth(1).unwrap();
    assert!(env!("CARGO_PKG_VERSION").starts_with(version), "{version}");
    let (_, example) = readme.split_once("process::{Command, Stdio};\n\n").unwrap();
    let example = example.lines().take_while(|line| *line != "```");
    for line in example {
        assert!(include_str!("rust_client.rs").contains(line), "{line}");
    }
}

#[test]
fn the_clock_commands_events_faults_and_a_crash_are_those_of_the_agent() {
    let script = json!([{ "error": { "status": 529 } }, { "text": "fine" }]);
    let agent = MockAgent::new("pi@0.87")
        .script(script)
        .env("MOCK_AGENT_CLOCK", "stopped")
        .start();
    let mut host = Host::new(&agent);
    host.send(&json!({ "type": "prompt", "id": "p", "message": "hi" }));
    host.event("auto_retry_start");
    assert!(agent.advance(Duration::from_secs(3600)).is_empty());
    assert_eq!(host.event("auto_retry_end")["success"], true);
    host.event("agent_settled");
    assert_eq!(
        agent.wait_for_command(json!({ "type": "prompt" }))["message"],
        "hi"
    );
    agent.send(json!({ "type": "by_the_test" }));
    host.event("by_the_test");
    agent.fault("byte-order-mark");
    assert!(
        agent
            .journal()
            .iter()
            .any(|entry| entry["frame"]["type"] == "by_the_test")
    );
    agent.crash(Some(3));
    assert_eq!(host.child.wait().unwrap().code(), Some(3));
}

#[test]
fn a_host_that_breaks_the_protocol_fails_its_test_unless_that_is_allowed() {
    let broken = || {
        let agent = MockAgent::new("aionrs@0.1").start();
        let mut host = Host::new(&agent);
        host.event("ready");
        host.send(&json!({ "type": "set_mode", "mode": "auto" }));
        host.event("error");
        host.close();
        agent
    };
    let mut allowed = broken();
    assert!(allowed.findings()[0].is("aionrs.mode.shape"));
    allowed.allow_finding("aionrs.mode.shape");
    drop(allowed);
    let why = wrong(broken());
    assert!(
        why.starts_with("the host broke the protocol\n\nCAUSE 1 of 1"),
        "{why}"
    );
    assert!(why.contains("aionrs.mode.shape (section 2.6"), "{why}");
    let (_, kept) = why.split_once("--side host ").unwrap();
    let transcript = std::path::Path::new(kept.lines().next().unwrap());
    assert!(transcript.exists(), "{why}");
    std::fs::remove_dir_all(transcript.parent().unwrap()).unwrap();
}

#[test]
fn an_agent_that_outlives_its_host_or_cannot_start_or_was_never_started_fails_the_test() {
    let short = Duration::from_millis(500);
    let agent = MockAgent::new("aionrs@0.1").timeout(short).start();
    let mut host = Host::new(&agent);
    host.event("ready");
    assert_eq!(
        wrong(agent),
        "an agent still runs after the end of the test: end it, or its host"
    );
    host.close();

    let agent = MockAgent::new("aionrs@0.1").script("- txt: fine\n").start();
    Host::new(&agent).close();
    let refused = catch_unwind(AssertUnwindSafe(|| agent.wait_for_gate("half"))).unwrap_err();
    let why = refused.downcast_ref::<String>().unwrap();
    assert!(
        why.contains("did not start: ") && why.contains("txt"),
        "{why}"
    );
    assert_eq!(wrong(agent), *why);

    let unused = MockAgent::new("aionrs@0.1").start();
    let why = "the host has started no agent: does it pass on the variables?";
    assert_eq!(wrong(unused), why);
}
