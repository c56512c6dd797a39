//! The reference agent as a process: what its tests in every dialect need. Each dialect's harness adds its own words.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What an agent is started with.
pub(crate) struct Setup {
    pub(crate) dir: Arc<TempDir>,
    pub(crate) args: Vec<String>,
    pub(crate) vars: Vec<(String, String)>,
}

/// An agent at work.
pub(crate) struct Agent {
    pub(crate) dir: Arc<TempDir>,
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Setup {
    /// With the arguments that choose the dialect.
    pub(crate) fn of(args: &[&str]) -> Self {
        let setup = Setup {
            dir: Arc::new(tempfile::tempdir().unwrap()),
            args: Vec::new(),
            vars: Vec::new(),
        };
        setup.args(args)
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
        let path = self.write(".script.json", replies.to_string());
        self.args(&["--script", &path])
    }

    /// Writes a file; gives its path.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path.to_string_lossy().into_owned()
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

    /// Every event up to and with the first of which this holds.
    pub(crate) fn until_one(&mut self, last: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut events = vec![self.next()];
        while !last(events.last().unwrap()) {
            events.push(self.next());
        }
        events
    }

    /// The next event of this type.
    pub(crate) fn expect(&mut self, kind: &str) -> Value {
        self.until_one(|event| event["type"] == kind).pop().unwrap()
    }

    pub(crate) fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes.as_ref()).unwrap();
        stdin.flush().unwrap();
    }

    pub(crate) fn send(&mut self, command: &Value) {
        self.raw(format!("{command}\n"));
    }

    /// Closes standard input.
    pub(crate) fn close(&mut self) {
        self.stdin = None;
    }

    /// Every event that is left, and the exit code.
    pub(crate) fn end(&mut self) -> (Vec<Value>, Option<i32>) {
        let rest = std::iter::from_fn(|| self.line());
        let rest = rest
            .map(|line| serde_json::from_str(&line).unwrap())
            .collect();
        (rest, self.exit().code())
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

/// A reply that calls one tool.
pub(crate) fn call(id: &str, name: &str, args: Value) -> Value {
    json!({ "tool_calls": [{ "id": id, "name": name, "args": args }] })
}
