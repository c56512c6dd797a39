//! Helpers for tests of the reference agent in aionrs@0.1.

pub(crate) use super::agent_process::{Agent, Setup, tool_call, wait_until_gone};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

impl Setup {
    pub(crate) fn new() -> Self {
        Setup::with_args(&["--json-stream"])
    }

    /// A setup in the workspace of an earlier agent.
    pub(crate) fn in_folder_of(agent: &Agent) -> Self {
        Setup {
            dir: Arc::clone(&agent.dir),
            ..Setup::new()
        }
    }

    pub(crate) fn file(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.write(name, bytes);
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Starts the agent and reads its `ready`.
    pub(crate) fn ready(self) -> Agent {
        let mut agent = self.start();
        assert_eq!(agent.next()["type"], "ready");
        agent
    }
}

impl Agent {
    /// The next event; `None` at the end of stdout.
    pub(crate) fn try_next(&mut self) -> Option<Value> {
        self.next_line()
            .map(|line| serde_json::from_str(&line).unwrap())
    }

    /// All events up to and including the first of this type.
    pub(crate) fn until(&mut self, kind: &str) -> Vec<Value> {
        self.until_match(|event| event["type"] == kind)
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

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args(["-s", name, &id]).status();
        assert!(status.unwrap().success());
    }

    /// Closes stdin; returns the remaining events and the exit code.
    pub(crate) fn finish(&mut self) -> (Vec<Value>, Option<i32>) {
        self.close_stdin();
        self.read_to_end()
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.dir.path().join(name)).ok()
    }
}

/// The types of events.
pub(crate) fn kinds(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect()
}

/// The joined text of a turn.
pub(crate) fn text(events: &[Value]) -> String {
    let deltas = events.iter().filter(|event| event["type"] == "text_delta");
    deltas
        .map(|event| event["text"].as_str().unwrap())
        .collect()
}
