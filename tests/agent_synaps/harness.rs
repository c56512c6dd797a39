//! Starts the agent and speaks with it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What an agent is started with.
pub(crate) struct Setup {
    pub(crate) dir: TempDir,
    args: Vec<String>,
    vars: Vec<(String, String)>,
}

/// An agent at work.
pub(crate) struct Agent {
    pub(crate) dir: TempDir,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Setup {
    pub(crate) fn new() -> Self {
        Setup {
            dir: tempfile::tempdir().unwrap(),
            args: vec!["rpc".into()],
            vars: Vec::new(),
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
        let path = self.file(".script.json", replies.to_string());
        self.args(&["--script", &path])
    }

    /// Writes a file; gives its path.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path.to_string_lossy().into_owned()
    }

    /// With a settings file.
    pub(crate) fn settings(self, text: &str) -> Self {
        let path = self.file("base/config", text);
        let base = path.strip_suffix("/config").unwrap().to_owned();
        self.var("SYNAPS_BASE_DIR", &base)
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

/// An agent that plays this script, past its `ready`.
pub(crate) fn playing(replies: &Value) -> Agent {
    Setup::new().script(replies).ready()
}

impl Agent {
    /// The next line; none at the end of the stream.
    pub(crate) fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the agent says nothing"),
        }
    }

    pub(crate) fn next(&mut self) -> Value {
        serde_json::from_str(&self.line().expect("another event")).unwrap()
    }

    /// Every event up to and with the response or the error with this id.
    pub(crate) fn until_answer(&mut self, id: &str) -> Vec<Value> {
        let mut events = vec![self.next()];
        while events.last().unwrap()["id"] != id {
            events.push(self.next());
        }
        events
    }

    /// The next event of this type.
    pub(crate) fn expect(&mut self, kind: &str) -> Value {
        loop {
            let event = self.next();
            if event["type"] == kind {
                return event;
            }
        }
    }

    pub(crate) fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes.as_ref()).unwrap();
        stdin.flush().unwrap();
    }

    pub(crate) fn send(&mut self, command: &Value) {
        self.raw(format!("{command}\n"));
    }

    /// Sends a command that has nothing but its id, and takes the answer.
    pub(crate) fn ask(&mut self, command: &str) -> Value {
        self.send(&json!({ "type": command, "id": command }));
        self.until_answer(command).pop().unwrap()
    }

    pub(crate) fn prompt(&mut self, id: &str, message: &str) {
        self.send(&json!({ "type": "prompt", "id": id, "message": message }));
    }

    /// A whole turn, with its response.
    pub(crate) fn turn(&mut self, message: &str) -> Vec<Value> {
        self.prompt("p", message);
        let mut events = self.until_answer("p");
        while events.last().unwrap()["type"] != "response" {
            events.extend(self.until_answer("p"));
        }
        events
    }

    pub(crate) fn shutdown(&mut self) {
        self.send(&json!({ "type": "shutdown" }));
    }

    pub(crate) fn close(&mut self) {
        self.stdin = None;
    }

    /// Every event that was left, and the exit code.
    pub(crate) fn end(&mut self) -> (Vec<Value>, Option<i32>) {
        let rest = std::iter::from_fn(|| self.line());
        let rest = rest
            .map(|line| serde_json::from_str(&line).unwrap())
            .collect();
        (rest, self.child.wait().unwrap().code())
    }

    /// The id that a tool wrote to a file, once it is there.
    pub(crate) fn pid(&self, name: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match std::fs::read_to_string(self.dir.path().join(name)) {
                Ok(id) if id.ends_with('\n') => return id.trim().to_owned(),
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

/// The types of events, those of assistant events by their own.
pub(crate) fn kinds(events: &[Value]) -> Vec<&str> {
    let kinds = events
        .iter()
        .map(|event| event["event"]["type"].as_str().or(event["type"].as_str()));
    kinds.map(Option::unwrap).collect()
}

/// A reply that calls one tool.
pub(crate) fn call(id: &str, name: &str, args: Value) -> Value {
    json!({ "tool_calls": [{ "id": id, "name": name, "args": args }] })
}
