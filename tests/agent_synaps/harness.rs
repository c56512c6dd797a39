//! Speaks with the agent in synaps@1.

pub(crate) use crate::common::{Agent, Setup, call, gone};
use serde_json::{Value, json};

impl Setup {
    pub(crate) fn new() -> Self {
        Setup::of(&["rpc"])
    }

    /// With a settings file.
    pub(crate) fn settings(self, text: &str) -> Self {
        let path = self.write("base/config", text);
        let base = path.strip_suffix("/config").unwrap().to_owned();
        self.var("SYNAPS_BASE_DIR", &base)
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
    /// Every event up to and with the response or the error with this id.
    pub(crate) fn until_answer(&mut self, id: &str) -> Vec<Value> {
        self.until_one(|event| event["id"] == id)
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
}

/// The types of events, those of assistant events by their own.
pub(crate) fn kinds(events: &[Value]) -> Vec<&str> {
    let kinds = events
        .iter()
        .map(|event| event["event"]["type"].as_str().or(event["type"].as_str()));
    kinds.map(Option::unwrap).collect()
}
