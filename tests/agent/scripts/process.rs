//! The agent as a child process, with a timeout for each of its lines.

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use tempfile::TempDir;

/// The timeout of every wait, long enough for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The current folder of an agent.
#[derive(Clone)]
pub(crate) struct Workspace(Rc<TempDir>);

impl Workspace {
    pub(crate) fn new() -> Self {
        Workspace(Rc::new(tempfile::tempdir().unwrap()))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file; returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    }
}

/// `mock-agent` in a workspace, without variables of its own.
pub(crate) fn command(workspace: &Workspace, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mock-agent"));
    command
        .args(args)
        .current_dir(workspace.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command
}

/// A running agent.
pub(crate) struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Agent {
    pub(crate) fn start(workspace: &Workspace, args: &[&str]) -> Self {
        Agent::spawn(&mut command(workspace, args))
    }

    pub(crate) fn spawn(command: &mut Command) -> Self {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        Agent {
            stdin: child.stdin.take(),
            child,
            lines,
        }
    }

    pub(crate) fn send(&mut self, command: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{command}\n").as_bytes()).unwrap();
    }

    /// The next line; `None` at the end.
    pub(crate) fn read(&mut self) -> Option<String> {
        match self.lines.recv_timeout(TIMEOUT) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("timeout: the agent wrote no line"),
        }
    }

    pub(crate) fn close_stdin(&mut self) {
        self.stdin = None;
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
