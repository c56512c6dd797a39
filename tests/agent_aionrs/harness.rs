//! Starts the agent and speaks with it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What an agent is started with.
pub(crate) struct Setup {
    dir: Arc<TempDir>,
    args: Vec<String>,
    vars: Vec<(String, String)>,
}

/// An agent at work.
pub(crate) struct Agent {
    pub(crate) dir: Arc<TempDir>,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Setup {
    pub(crate) fn new() -> Self {
        Setup {
            dir: Arc::new(tempfile::tempdir().unwrap()),
            args: vec!["--json-stream".into()],
            vars: Vec::new(),
        }
    }

    /// In the workspace of an agent before it.
    pub(crate) fn again(agent: &Agent) -> Self {
        Setup {
            dir: Arc::clone(&agent.dir),
            ..Setup::new()
        }
    }

    pub(crate) fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|arg| (*arg).to_owned()));
        self
    }

    pub(crate) fn var(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.into(), value.into()));
        self
    }

    pub(crate) fn script(self, replies: &Value) -> Self {
        let path = self.dir.path().join(".script.json");
        std::fs::write(&path, replies.to_string()).unwrap();
        let path = path.to_string_lossy().into_owned();
        self.args(&["--script", &path])
    }

    pub(crate) fn file(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.dir.path().join(name), bytes).unwrap();
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn start(self) -> Agent {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mock-agent"))
            .args(&self.args)
            .current_dir(self.dir.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(self.vars)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        Agent {
            dir: self.dir,
            stdin: child.stdin.take(),
            child,
            lines,
        }
    }

    /// Starts the agent and takes its `ready`.
    pub(crate) fn ready(self) -> Agent {
        let mut agent = self.start();
        assert_eq!(agent.next()["type"], "ready");
        agent
    }
}

impl Agent {
    /// The next event; none at the end of the stream.
    pub(crate) fn try_next(&mut self) -> Option<Value> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(serde_json::from_str(&line).unwrap()),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("the agent says nothing"),
        }
    }

    pub(crate) fn next(&mut self) -> Value {
        self.try_next().expect("another event")
    }

    /// Every event up to and with the first of this type.
    pub(crate) fn until(&mut self, kind: &str) -> Vec<Value> {
        let mut events = vec![self.next()];
        while events.last().unwrap()["type"] != kind {
            events.push(self.next());
        }
        events
    }

    /// The next event of this type.
    pub(crate) fn expect(&mut self, kind: &str) -> Value {
        self.until(kind).pop().unwrap()
    }

    pub(crate) fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes.as_ref()).unwrap();
        stdin.flush().unwrap();
    }

    pub(crate) fn send(&mut self, command: &Value) {
        self.raw(format!("{command}\n"));
    }

    pub(crate) fn message(&mut self, id: &str, input: &str) {
        self.send(&json!({ "type": "message", "msg_id": id, "input": input }));
    }

    pub(crate) fn approve(&mut self, call: &str, scope: &str) {
        self.send(&json!({ "type": "tool_approve", "call_id": call, "scope": scope }));
    }

    pub(crate) fn deny(&mut self, call: &str, reason: &str) {
        self.send(&json!({ "type": "tool_deny", "call_id": call, "reason": reason }));
    }

    pub(crate) fn mode(&mut self, mode: &str) {
        self.send(&json!({ "type": "set_mode", "mode": mode }));
    }

    pub(crate) fn stop(&mut self) {
        self.send(&json!({ "type": "stop" }));
    }

    pub(crate) fn close(&mut self) {
        self.stdin = None;
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let done = Command::new("kill").args(["-s", name, &id]).status();
        assert!(done.unwrap().success());
    }

    /// Waits for the process to end by itself.
    pub(crate) fn exit(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("the agent does not exit");
    }

    /// Closes standard input; every event that was left, and the exit code.
    pub(crate) fn finish(&mut self) -> (Vec<Value>, Option<i32>) {
        self.close();
        let rest = std::iter::from_fn(|| self.try_next()).collect();
        (rest, self.exit().code())
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.dir.path().join(name)).ok()
    }

    /// The id that a tool wrote to a file, once it is there.
    pub(crate) fn pid(&self, name: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.read(name) {
                Some(id) if id.ends_with('\n') => return id.trim().to_owned(),
                _ => assert!(Instant::now() < deadline, "no {name}"),
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until a process has gone.
pub(crate) fn gone(id: &str) {
    let deadline = Instant::now() + PATIENCE;
    let stat = format!("/proc/{id}/stat");
    while let Ok(text) = std::fs::read_to_string(&stat) {
        if text.contains(") Z ") {
            return;
        }
        assert!(Instant::now() < deadline, "process {id} is alive");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The types of events.
pub(crate) fn kinds(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect()
}

/// A reply that calls one tool.
pub(crate) fn call(id: &str, name: &str, args: Value) -> Value {
    json!({ "tool_calls": [{ "id": id, "name": name, "args": args }] })
}

/// The texts of a turn, joined.
pub(crate) fn text(events: &[Value]) -> String {
    let deltas = events.iter().filter(|event| event["type"] == "text_delta");
    deltas
        .map(|event| event["text"].as_str().unwrap())
        .collect()
}
