//! Control from a test: gates, commands of the host, pushed events, faults and crashes of running agents and model servers.

use assert_cmd::Command as Program;
use control_socket::{Client, ClientError, Command, Registered, registered, wait_for};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command as Process, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Long enough for a busy machine; only a failure waits for it.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A reply that a gate divides.
const HALVES: &str = "- content: [{ text: one }, { gate: half }, { text: two }]\n";

/// A folder with a script and a control folder.
pub(crate) struct Test {
    pub(crate) folder: TempDir,
}

/// A running agent.
pub(crate) struct Agent {
    pub(crate) child: Child,
    pub(crate) output: BufReader<ChildStdout>,
}

impl Test {
    pub(crate) fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("script.yaml"), script).unwrap();
        Test { folder }
    }

    fn control(&self) -> PathBuf {
        self.folder.path().join("control")
    }

    /// A program that registers in the control folder. The scheme is that of the socket.
    pub(crate) fn process_of(&self, scheme: &str) -> Process {
        let mut process = Process::new(env!("CARGO_BIN_EXE_mock-agent"));
        let control = format!("{scheme}{}", self.control().display());
        process.current_dir(self.folder.path());
        process.env("MOCK_AGENT_CONTROL", control);
        process
    }

    fn start(&self, scheme: &str, args: &[&str]) -> Agent {
        self.start_with(scheme, args, &[])
    }

    pub(crate) fn start_with(
        &self,
        scheme: &str,
        args: &[&str],
        variables: &[(&str, &str)],
    ) -> Agent {
        let mut process = self.process_of(scheme);
        process.args(args).envs(variables.iter().copied());
        process.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = process.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Agent { child, output }
    }

    /// An agent that plays the script.
    fn agent(&self) -> Agent {
        let mut agent = self.start("", &["--json-stream", "--script", "script.yaml"]);
        assert_eq!(agent.next()["type"], "ready");
        agent
    }

    /// The process of this number, once it has started.
    fn process(&self, order: u64) -> Registered {
        wait_for(&self.control(), TIMEOUT, |process| process.order == order).unwrap()
    }

    pub(crate) fn client(&self, order: u64) -> Client {
        Client::connect(&self.process(order)).unwrap()
    }

    pub(crate) fn ctl(&self, words: &[&str]) -> assert_cmd::assert::Assert {
        let mut program = Program::new(env!("CARGO_BIN_EXE_conform"));
        program.arg("ctl").arg(self.control());
        program.args(["--timeout-ms", "60000"]).args(words).assert()
    }
}

impl Agent {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    pub(crate) fn next(&mut self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    pub(crate) fn send(&mut self, command: &Value) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{command}").unwrap();
    }

    pub(crate) fn close_stdin(&mut self) {
        drop(self.child.stdin.take());
    }

    pub(crate) fn message(&mut self, id: &str) {
        self.send(&json!({ "type": "message", "msg_id": id, "input": "hi" }));
    }

    /// The texts up to and including this one.
    pub(crate) fn until_text(&mut self, last: &str) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        while texts.last().is_none_or(|text| text != last) {
            let event = self.next();
            texts.extend(event["text"].as_str().map(str::to_owned));
        }
        texts
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn printed(assert: &assert_cmd::assert::Assert) -> Value {
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

fn wait_gate(gate: &str) -> Command {
    Command::WaitGate {
        gate: gate.into(),
        timeout_ms: 60_000,
    }
}

fn wait_command(matches: Value, after: u64) -> Command {
    Command::WaitCommand {
        matches,
        after,
        timeout_ms: 60_000,
    }
}

#[test]
fn a_reply_is_held_at_a_gate_until_the_shell_releases_it() {
    let test = Test::new(HALVES);
    let mut agent = test.agent();
    agent.message("m");
    test.ctl(&["wait-gate", "half"]).success();
    assert_eq!(agent.until_text("one"), ["one"]);
    let status = printed(&test.ctl(&["status"]).success());
    assert_eq!(status["gates"], json!(["half"]));
    assert_eq!(status["order"], 1);
    test.ctl(&["release", "half"]).success();
    assert_eq!(agent.until_text("two"), ["two"]);
    let journal = test.ctl(&["journal"]).success();
    let journal = String::from_utf8(journal.get_output().stdout.clone()).unwrap();
    let states: Vec<Value> = journal
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["state"].clone())
        .filter(|state| !state.is_null())
        .collect();
    assert_eq!(states, ["holds", "released"]);
}

#[test]
fn a_gate_that_nobody_releases_opens_after_its_timeout_and_the_journal_says_so() {
    let test = Test::new(HALVES);
    let mut process = Process::new(env!("CARGO_BIN_EXE_mock-agent"));
    process.current_dir(test.folder.path());
    process.args([
        "--json-stream",
        "--script",
        "script.yaml",
        "--control",
        "control",
    ]);
    process.env("MOCK_AGENT_GATE_MS", "1");
    process.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = process.spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let mut agent = Agent { child, output };
    agent.message("m");
    agent.until_text("two");
    let journal = test
        .client(1)
        .request(Command::Journal { after: 0 })
        .unwrap();
    let entries = journal["entries"].as_array().unwrap();
    assert!(
        entries.iter().any(|entry| entry["state"] == "timeout"),
        "{journal}"
    );
}

#[test]
fn agents_of_one_host_are_distinguished_and_the_next_start_can_be_awaited() {
    let test = Test::new(HALVES);
    let mut first = test.agent();
    let second = test.start("tcp:", &["--mode", "rpc", "--no-session"]);
    let process = test.process(2);
    assert_eq!(
        (process.name.as_str(), process.token.is_some()),
        ("pi", true)
    );
    let awaited = printed(&test.ctl(&["wait-agent", "pi"]).success());
    assert_eq!(awaited["pid"], second.child.id());
    assert!(awaited.get("token").is_none());
    let status = |agent: &str| printed(&test.ctl(&["--agent", agent, "status"]).success());
    assert_eq!(status("1")["pid"], first.child.id());
    assert_eq!(status("pi")["pid"], second.child.id());
    let session = status("1")["session"].as_str().unwrap().to_owned();
    assert_eq!(status(&session)["pid"], first.child.id());
    let unknown = test.ctl(&["status", "--agent", "9"]).code(2);
    let message = String::from_utf8(unknown.get_output().stderr.clone()).unwrap();
    assert!(message.contains("no process in"), "{message}");
    let mut elsewhere = Program::new(env!("CARGO_BIN_EXE_conform"));
    elsewhere.args(["ctl", "/nosuch", "list"]).assert().code(2);
    first.message("m");
    first.until_text("one");
}

#[test]
fn an_agent_that_has_ended_is_named_and_whether_it_was_killed() {
    let test = Test::new(HALVES);
    let mut first = test.agent();
    let mut second = test.agent();
    let error = |words: &[&str]| {
        let run = test.ctl(words).code(2);
        String::from_utf8(run.get_output().stderr.clone()).unwrap()
    };

    drop(first.child.stdin.take());
    first.child.wait().unwrap();
    let ended = format!("process 1 (aionrs, pid {})", first.child.id());
    assert_eq!(
        error(&["--agent", "1", "release", "half"]),
        format!("error: {ended} has ended\n")
    );

    second.child.kill().unwrap();
    second.child.wait().unwrap();
    let killed = format!("process 2 (aionrs, pid {})", second.child.id());
    assert_eq!(
        error(&["release", "half"]),
        format!("error: {killed} was killed or has crashed: its socket is still there\n")
    );
}

#[test]
fn a_test_sees_commands_of_the_host_and_sends_events_and_bytes() {
    let test = Test::new("- text: fine\n");
    let mut agent = test.agent();
    let mut client = test.client(1);
    agent.message("m1");
    let seen = client
        .request(wait_command(json!({ "msg_id": "m1" }), 0))
        .unwrap();
    assert_eq!(seen["frame"]["input"], "hi");
    agent.until_text("fine");
    assert_eq!(agent.next()["type"], "stream_end");
    let frame = json!({ "type": "info", "msg_id": "x", "message": "pushed" });
    client
        .request(Command::Send {
            frame: frame.clone(),
        })
        .unwrap();
    assert_eq!(agent.next(), frame);
    let text = "half a line, ".to_owned();
    client.request(Command::SendRaw { text }).unwrap();
    let text = "and the rest\n".to_owned();
    client.request(Command::SendRaw { text }).unwrap();
    assert_eq!(agent.line(), "half a line, and the rest\n");
    let after = seen["n"].as_u64().unwrap();
    let late = Command::WaitCommand {
        matches: json!({ "msg_id": "m1" }),
        after,
        timeout_ms: 1,
    };
    let refused = client.request(late).unwrap_err();
    let why = refused.to_string();
    let expected = r#"the host has sent no command that matches {"msg_id":"m1"} within 1ms; the last that the host has sent: {"type":"message","msg_id":"m1","input":"hi"}"#;
    assert_eq!(why, expected);
}

#[test]
fn a_fault_is_played_now_and_a_crash_ends_the_process_after_what_was_sent() {
    let test = Test::new("- text: fine\n");
    let mut agent = test.agent();
    let mut client = test.client(1);
    let id = "no-such-fault".to_owned();
    let refused = client.request(Command::Fault { id }).unwrap_err();
    assert!(refused.to_string().contains("unknown fault"), "{refused}");
    let id = "array-line".to_owned();
    let played = client.request(Command::Fault { id }).unwrap();
    let sent = printed(&test.ctl(&["status"]).success())["journal"].clone();
    assert_eq!(played["after"], sent, "the entry before the first frame");
    agent.message("m");
    assert_eq!(agent.next()["type"], "stream_start");
    assert_eq!(agent.line(), "[]\n", "the fault was not played at once");
    assert_eq!(agent.next()["text"], "fine");
    let crash = Command::Crash {
        signal: Some("SIGKILL".into()),
        status: None,
    };
    client.request(crash).unwrap();
    let mut rest = String::new();
    agent.output.read_to_string(&mut rest).unwrap();
    assert_eq!(agent.child.wait().unwrap().signal(), Some(9));
    let left: Vec<_> = std::fs::read_dir(test.control()).unwrap().collect();
    assert_eq!(left.len(), 1, "only the registration: {left:?}");
    assert!(matches!(
        Client::connect(&registered(&test.control())[0]),
        Err(ClientError::Gone(_))
    ));
    test.ctl(&["status"]).code(2);
}

#[test]
fn a_request_that_is_too_long_is_refused_with_the_reason() {
    let test = Test::new("- text: fine\n");
    let _agent = test.agent();
    let text = "x".repeat(24 << 20);
    let refused = test.client(1).request(Command::SendRaw { text });

    let why = refused.unwrap_err().to_string();
    assert!(why.contains("longer than 16777216 bytes"), "{why}");
    test.ctl(&["status"]).success();
}

#[test]
fn another_script_replaces_the_first_one() {
    let test = Test::new(HALVES);
    let other = test.folder.path().join("other.yaml");
    std::fs::write(&other, "- text: other\n").unwrap();
    let mut agent = test.agent();
    test.ctl(&["reset", &other.to_string_lossy()]).success();
    agent.message("m");
    assert_eq!(agent.until_text("other"), ["other"]);
    let gone = test.ctl(&["reset", "gone.yaml"]).code(1);
    let message = String::from_utf8(gone.get_output().stderr.clone()).unwrap();
    assert!(message.contains("gone.yaml: cannot be read"), "{message}");
}

/// A fault that a test adds leaves the rest of the output as it is: the lines of the protocol, the fault of the start, and the count of lines.
#[test]
fn an_added_fault_does_not_change_the_lines_of_the_protocol() {
    let test = Test::new("- text: \"a\\u2028b\"\n");
    let mut agent = test.start("", &["--mode", "rpc", "--script", "script.yaml"]);
    let id = "byte-order-mark".to_owned();
    test.client(1).request(Command::Fault { id }).unwrap();
    agent.send(&json!({ "type": "prompt", "id": "p", "message": "hi" }));
    let mut lines = std::iter::repeat_with(|| agent.line());
    let text = lines.find(|line| line.contains("text_delta")).unwrap();
    assert!(text.contains("a\u{2028}b"), "{text}");
}

#[test]
fn a_fault_that_is_added_leaves_the_fault_of_the_start_and_counts_the_lines_before_it() {
    let test = Test::new("- text: fine\n");
    let stderr = test.folder.path().join("stderr");
    let mut process = Process::new(env!("CARGO_BIN_EXE_mock-agent"));
    process.current_dir(test.folder.path());
    process.args([
        "--json-stream",
        "--script",
        "script.yaml",
        "--fault",
        "two-stream-ends",
    ]);
    process.env("MOCK_AGENT_CONTROL", test.control());
    process.stdin(Stdio::piped()).stdout(Stdio::piped());
    process.stderr(std::fs::File::create(&stderr).unwrap());
    let mut child = process.spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let mut agent = Agent { child, output };
    assert_eq!(agent.next()["type"], "ready");
    let id = "byte-order-mark".to_owned();
    test.client(1).request(Command::Fault { id }).unwrap();
    agent.message("m");
    drop(agent.child.stdin.take());
    let mut rest = String::new();
    agent.output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest.matches("stream_end").count(), 2, "{rest}");
    let log = std::fs::read_to_string(stderr).unwrap();
    assert!(
        log.contains("fault byte-order-mark played at line 3\n"),
        "{log}"
    );
    assert!(
        log.contains("fault two-stream-ends played at line 5\n"),
        "{log}"
    );
}

#[test]
fn another_agent_script_answers_the_next_command() {
    let test = Test::new(
        "commands: [{ on: { type: say }, do: [{ gate: half }, { send: { type: word, text: one } }] }]\n",
    );
    let dialect = test.folder.path().join("dialects/bird/1");
    std::fs::create_dir_all(&dialect).unwrap();
    let text = "{ name: bird, version: '1', discriminator: { events: /type, commands: /type }, events: { word: }, commands: { say: } }";
    std::fs::write(dialect.join("dialect.yaml"), text).unwrap();
    let other = test.folder.path().join("other.yaml");
    let text = "commands: [{ on: { type: say }, do: [{ gate: half }, { send: { type: word, text: two } }] }]\n";
    std::fs::write(&other, text).unwrap();
    let mut agent = test.start(
        "",
        &["--dialect-dir", "dialects", "--script", "script.yaml"],
    );
    let mut client = test.client(1);
    let release = |client: &mut Client| {
        let gate = "half".to_owned();
        client.request(wait_gate("half")).unwrap();
        client.request(Command::Release { gate }).unwrap();
    };
    let say = json!({ "type": "say" });
    agent.send(&say);
    release(&mut client);
    assert_eq!(agent.next()["text"], "one");
    test.ctl(&["reset", &other.to_string_lossy()]).success();
    agent.send(&say);
    // Its gate is closed again.
    release(&mut client);
    assert_eq!(agent.next()["text"], "two");
    std::fs::write(&other, "commands: [{ on: { type: sey }, do: [] }]\n").unwrap();
    let wrong = test.ctl(&["reset", &other.to_string_lossy()]).code(1);
    let message = String::from_utf8(wrong.get_output().stderr.clone()).unwrap();
    assert!(
        message.contains("other.yaml") && message.contains("sey"),
        "{message}"
    );
}

#[test]
fn a_protocol_in_which_both_sides_ask_is_controlled_by_its_frames() {
    let test = Test::new(
        "commands:
  - on: { message: ask }
    do: [{ gate: half }, { send: { message: confirm, params: { options: [] } } }]
  - on: { message: confirm.result }
    do: [{ send: { message: ask.result, result: { answer: q7 } } }]
",
    );
    let dialects = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/two-way/dialects");
    let dialect = ["--dialect-dir", dialects, "--dialect", "duo@1"];
    let args = [&dialect[..], &["--script", "script.yaml"]].concat();
    let mut agent = test.start("", &args);
    let mut client = test.client(1);
    // The host's request has the id that the agent's own gets.
    agent.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ask", "params": {} }));
    let seen = wait_command(json!({ "method": "ask" }), 0);
    assert_eq!(client.request(seen).unwrap()["frame"]["id"], 1);
    client.request(wait_gate("half")).unwrap();
    let frame = json!({ "jsonrpc": "2.0", "method": "note", "params": { "kind": "word" } });
    let pushed = frame.clone();
    client.request(Command::Send { frame }).unwrap();
    assert_eq!(agent.next(), pushed);
    let gate = "half".to_owned();
    client.request(Command::Release { gate }).unwrap();
    let asked = agent.next();
    assert_eq!(
        (&asked["method"], &asked["id"]),
        (&json!("confirm"), &json!(1))
    );
    agent.send(&json!({ "jsonrpc": "2.0", "id": 1, "result": { "choice": "q7" } }));
    let seen = wait_command(json!({ "id": 1, "result": { "choice": "q7" } }), 0);
    client.request(seen).unwrap();
    assert_eq!(agent.next()["result"]["answer"], "q7");
}

#[test]
fn commands_are_answered_while_a_long_answer_streams() {
    let test = Test::new("- text: fine\n");
    let mut agent = test.start("", &["--json-stream"]);
    let mut client = test.client(1);
    let input = "word ".repeat(50_000);
    agent.send(&json!({ "type": "message", "msg_id": "m", "input": input }));
    let first = wait_command(json!({ "msg_id": "m" }), 0);
    let first = client.request(first).unwrap()["n"].as_u64().unwrap();
    let reading = std::thread::spawn(move || {
        let mut lines = agent.output.by_ref().lines();
        let end = lines.position(|line| line.unwrap().contains("stream_end"));
        (end.unwrap(), agent)
    });
    let mut lengths = vec![first];
    while !reading.is_finished() {
        let status = client.request(Command::Status).unwrap();
        lengths.push(status["journal"].as_u64().unwrap());
    }
    let (lines, _agent) = reading.join().unwrap();
    assert!(lines > 50_000, "{lines}");
    lengths.dedup();
    assert!(
        lengths.len() > 5,
        "answered only when it was over: {lengths:?}"
    );
}

#[test]
fn hostile_control_clients_do_not_disturb_the_agent() {
    let test = Test::new(HALVES);
    let mut agent = test.agent();
    let process = test.process(1);
    let path = process.address.strip_prefix("unix:").unwrap();
    UnixStream::connect(path)
        .unwrap()
        .write_all(b"\0\xffgarbage\n{\"do\":")
        .unwrap();
    let mut leaving = UnixStream::connect(path).unwrap();
    let wait = json!({ "do": { "wait_gate": { "gate": "half", "timeout_ms": 60000 } } });
    writeln!(leaving, "{wait}").unwrap();
    drop(leaving);
    let (mut one, mut two) = (test.client(1), test.client(1));
    agent.message("m");
    two.request(wait_gate("half")).unwrap();
    one.request(wait_gate("half")).unwrap();
    one.request(Command::Release {
        gate: "half".into(),
    })
    .unwrap();
    agent.until_text("two");
    drop(agent.child.stdin.take());
    assert_eq!(agent.child.wait().unwrap().code(), Some(0));
    assert!(!std::path::Path::new(path).exists());
}

#[test]
fn a_model_server_holds_its_answer_at_a_gate() {
    let test = Test::new(HALVES);
    let mut process = Process::new(env!("CARGO_BIN_EXE_conform"));
    process
        .current_dir(test.folder.path())
        .stdout(Stdio::piped());
    process.args([
        "provider",
        "--script",
        "script.yaml",
        "--control",
        "control",
    ]);
    let mut child = process.spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let mut server = Agent { child, output };
    let url = server.line();
    let address = url.trim().strip_prefix("http://").unwrap();
    let body = json!({ "model": "m", "max_tokens": 9, "stream": true, "messages": [{ "role": "user", "content": "hi" }] }).to_string();
    let ask = || {
        let mut request = TcpStream::connect(address).unwrap();
        write!(
            request,
        "POST /v1/messages HTTP/1.1\r\nhost: x\r\nanthropic-version: 2023-06-01\r\nx-api-key: k\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
        )
        .unwrap();
        request
    };
    let mut request = ask();
    let mut client = test.client(1);
    client.request(wait_gate("half")).unwrap();
    client
        .request(wait_command(json!({ "model": "m" }), 0))
        .unwrap();
    let unknown = Command::Release {
        gate: "other".into(),
    };
    assert!(
        client
            .request(unknown)
            .unwrap_err()
            .to_string()
            .contains("no gate `other`; its gates: half")
    );
    client
        .request(Command::Release {
            gate: "half".into(),
        })
        .unwrap();
    let mut answer = String::new();
    request.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("two"), "{answer}");
    let journal = client.request(Command::Journal { after: 0 }).unwrap();
    assert_eq!(journal["entries"][0]["dir"], "llm_request");
    let other = test.folder.path().join("other.yaml");
    std::fs::write(&other, "- { gate: half, text: other }\n").unwrap();
    test.ctl(&["reset", &other.to_string_lossy()]).success();
    let mut request = ask();
    // Its gate is closed again.
    client.request(wait_gate("half")).unwrap();
    let gate = "half".to_owned();
    client.request(Command::Release { gate }).unwrap();
    let mut answer = String::new();
    request.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("other"), "{answer}");
}

/// `conform ctl` with a timeout that is over at once.
fn impatient(folder: &Path, words: &[&str]) -> assert_cmd::assert::Assert {
    let mut program = Program::new(env!("CARGO_BIN_EXE_conform"));
    program.arg("ctl").arg(folder).args(["--timeout-ms", "1"]);
    program.args(words).assert()
}

fn refused(run: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(run.get_output().stderr.clone()).unwrap()
}

#[test]
fn a_gate_that_the_script_does_not_have_is_refused_and_a_gate_of_a_prompt_is_not() {
    let test = Test::new(HALVES);
    let mut agent = test.agent();
    let unknown = "error: the script has no gate `hlf`; its gates: half\n";
    for words in [["release", "hlf"], ["wait-gate", "hlf"]] {
        assert_eq!(refused(&test.ctl(&words).code(1)), unknown);
    }
    agent.send(&json!({ "type": "message", "msg_id": "m", "input": "@mock gate=mine" }));
    test.ctl(&["wait-gate", "mine"]).success();
    test.ctl(&["release", "mine"]).success();
    test.ctl(&["wait-gate", "half"]).success();
    test.ctl(&["release", "half"]).success();
    agent.until_text("two");
    let other = test.folder.path().join("other.yaml");
    std::fs::write(&other, "- text: other\n").unwrap();
    test.ctl(&["reset", &other.to_string_lossy()]).success();
    let none = refused(&test.ctl(&["release", "half"]).code(1));
    assert_eq!(
        none,
        "error: the script has no gate, and none is called `half`\n"
    );

    let echo = test.start("", &["--json-stream"]);
    test.process(2);
    test.ctl(&["release", "any"]).success();
    drop(echo);
}

#[test]
fn a_wait_may_begin_before_the_agent_has_started() {
    let test = Test::new(HALVES);
    let mut waiting = Process::new(env!("CARGO_BIN_EXE_conform"));
    waiting.arg("ctl").arg(test.control());
    waiting.args(["--timeout-ms", "60000", "wait-gate", "half"]);
    let mut waiting = waiting.stdout(Stdio::null()).spawn().unwrap();
    let mut agent = test.agent();
    assert_eq!(waiting.try_wait().unwrap(), None);
    agent.message("m");
    assert!(waiting.wait().unwrap().success());
    let late = impatient(
        &test.folder.path().join("elsewhere"),
        &["wait-gate", "half"],
    );
    let why = refused(&late.code(2));
    assert!(why.contains("no process has registered in"), "{why}");
}

#[test]
fn an_agent_that_does_not_start_leaves_word_in_the_control_folder() {
    let test = Test::new("- txt: fine\n");
    let dialect = ["--dialect", "aionrs@0.1", "--script", "script.yaml"];
    for args in [
        &["--json-stream", "--script", "script.yaml"][..],
        &["--json-stream", "--script", "no-such-script"],
        &["--json-stream", "--fault", "no-such-fault"],
        &dialect,
        &["--no-such-protocol"],
    ] {
        let child = test.process_of("").args(args).stdin(Stdio::null()).output();
        let child = child.unwrap();
        assert_eq!(child.status.code(), Some(2), "{args:?}");
        let stderr = String::from_utf8(child.stderr).unwrap();
        let failed = control_socket::failed_starts(&test.control())
            .pop()
            .unwrap();
        let (_, why) = failed.split_once(" did not start: ").unwrap();
        let said = format!("mock-agent: {why}\n");
        assert!(stderr.starts_with(&said), "{args:?}: {stderr}");
    }
    let waited = impatient(&test.control(), &["wait-agent", "9"]);
    let why = refused(&waited.code(1));
    assert!(why.contains("did not start: "), "{why}");
}

#[test]
fn a_crash_by_sigterm_is_the_end_that_the_agent_has_for_it() {
    let test = Test::new(HALVES);
    for signal in ["TERM", "SIGTERM"] {
        let mut agent = test.agent();
        test.ctl(&["crash", signal]).success();
        let status = agent.child.wait().unwrap();
        assert_eq!((status.code(), status.signal()), (Some(0), None));
    }
    let _agent = test.agent();
    let why = refused(&test.ctl(&["crash", "SIGHUP"]).code(1));
    assert_eq!(
        why,
        "error: SIGHUP is none of SIGKILL, SIGABRT and SIGTERM\n"
    );
}
