//! Helpers for tests of the reference agent in synaps@1.

pub(crate) use super::agent_process::{Agent, Setup, tool_call, wait_until_gone};
use serde_json::{Value, json};

impl Setup {
    pub(crate) fn new() -> Self {
        Setup::with_args(&["rpc"])
    }

    /// Adds a settings file.
    pub(crate) fn settings(self, text: &str) -> Self {
        let path = self.write("base/config", text);
        let base = path.strip_suffix("/config").unwrap().to_owned();
        self.env("SYNAPS_BASE_DIR", &base)
    }

    /// Starts the agent and reads its `ready`.
    pub(crate) fn ready(self) -> Agent {
        let mut agent = self.start();
        assert_eq!(agent.next()["type"], "ready");
        agent
    }
}

/// Starts an agent with this model script and reads its `ready`.
pub(crate) fn start_with_script(replies: &Value) -> Agent {
    Setup::new().script(replies).ready()
}

impl Agent {
    /// All events up to and including the response or error with this id.
    pub(crate) fn until_answer(&mut self, id: &str) -> Vec<Value> {
        self.until_match(|event| event["id"] == id)
    }

    /// Sends a command without parameters and returns the response.
    pub(crate) fn ask(&mut self, command: &str) -> Value {
        self.send(&json!({ "type": command, "id": command }));
        self.until_answer(command).pop().unwrap()
    }

    pub(crate) fn prompt(&mut self, id: &str, message: &str) {
        self.send(&json!({ "type": "prompt", "id": id, "message": message }));
    }

    /// Sends a prompt; returns all events of its turn and its response.
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
}

/// The types of events; for assistant events, the type of the inner event.
pub(crate) fn kinds(events: &[Value]) -> Vec<&str> {
    let kinds = events
        .iter()
        .map(|event| event["event"]["type"].as_str().or(event["type"].as_str()));
    kinds.map(Option::unwrap).collect()
}
