//! Runs the reference agent as a child process. The harness of each dialect adds its own helpers.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The timeout of every wait, long enough for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The working folder, arguments and environment of an agent process.
pub(crate) struct Setup {
    pub(crate) dir: Arc<TempDir>,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
}

/// A running agent process.
pub(crate) struct Agent {
    pub(crate) dir: Arc<TempDir>,
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Setup {
    /// A setup with the arguments that select the dialect.
    pub(crate) fn with_args(args: &[&str]) -> Self {
        let setup = Setup {
            dir: Arc::new(tempfile::tempdir().unwrap()),
            args: Vec::new(),
            env: Vec::new(),
        };
        setup.args(args)
    }

    pub(crate) fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|arg| (*arg).to_owned()));
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    pub(crate) fn script(self, replies: &Value) -> Self {
        let path = self.write(".script.json", replies.to_string());
        self.args(&["--script", &path])
    }

    /// Writes a file and returns its path.
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
            .envs(self.env)
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
    /// The next line of stdout; `None` at its end.
    pub(crate) fn next_line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(TIMEOUT) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("timeout: the agent wrote no line"),
        }
    }

    pub(crate) fn next(&mut self) -> Value {
        serde_json::from_str(&self.next_line().expect("another event")).unwrap()
    }

    /// All events up to and including the first match.
    pub(crate) fn until_match(&mut self, is_match: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut events = vec![self.next()];
        while !is_match(events.last().unwrap()) {
            events.push(self.next());
        }
        events
    }

    /// The next event of this type; events before it are skipped.
    pub(crate) fn expect(&mut self, kind: &str) -> Value {
        self.until_match(|event| event["type"] == kind)
            .pop()
            .unwrap()
    }

    pub(crate) fn send_raw(&mut self, bytes: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes.as_ref()).unwrap();
        stdin.flush().unwrap();
    }

    pub(crate) fn send(&mut self, command: &Value) {
        self.send_raw(format!("{command}\n"));
    }

    /// Closes stdin.
    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// The remaining events, and the exit code.
    pub(crate) fn read_to_end(&mut self) -> (Vec<Value>, Option<i32>) {
        let rest = std::iter::from_fn(|| self.next_line());
        let rest = rest
            .map(|line| serde_json::from_str(&line).unwrap())
            .collect();
        (rest, self.wait_for_exit().code())
    }

    /// Waits until the process exits.
    pub(crate) fn wait_for_exit(&mut self) -> ExitStatus {
        let deadline = Instant::now() + TIMEOUT;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("timeout: the agent did not exit");
    }

    /// Waits until a tool has written a process id to a file, and returns the id.
    pub(crate) fn read_pid(&self, name: &str) -> String {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            match std::fs::read_to_string(self.dir.path().join(name)) {
                Ok(id) if id.ends_with('\n') => return id.trim().to_owned(),
                _ => assert!(Instant::now() < deadline, "timeout: no {name}"),
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

/// Waits until a process has ended.
pub(crate) fn wait_until_gone(id: &str) {
    let deadline = Instant::now() + TIMEOUT;
    let stat = format!("/proc/{id}/stat");
    while let Ok(text) = std::fs::read_to_string(&stat) {
        if text.contains(") Z ") {
            return;
        }
        assert!(Instant::now() < deadline, "timeout: process {id} is alive");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A reply that calls one tool.
pub(crate) fn tool_call(id: &str, name: &str, args: Value) -> Value {
    json!({ "tool_calls": [{ "id": id, "name": name, "args": args }] })
}
