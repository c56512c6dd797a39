//! Helpers for tests of the reference agent in pi@0.14.

pub(crate) use super::agent_process::{Agent, Setup, tool_call, wait_until_gone};
use serde_json::{Value, json};
use std::sync::Arc;

impl Setup {
    pub(crate) fn new() -> Self {
        Setup::with_sessions().args(&["--no-session"])
    }

    pub(crate) fn with_sessions() -> Self {
        Setup::with_args(&["--mode", "rpc", "--protocol", "0.14"]).with_home()
    }

    /// A setup with the settings folder and workspace of an earlier agent.
    pub(crate) fn in_folder_of(agent: &Agent) -> Self {
        let setup = Setup::with_args(&["--mode", "rpc", "--protocol", "0.14"]);
        Setup {
            dir: Arc::clone(&agent.dir),
            ..setup
        }
        .with_home()
    }

    fn with_home(self) -> Self {
        let folder = self.dir.path().join(".pi/agent");
        self.env("PI_CODING_AGENT_DIR", &folder.to_string_lossy())
    }
}

/// Starts an agent with this model script.
pub(crate) fn start_with_script(replies: &Value) -> Agent {
    Setup::new().script(replies).start()
}

impl Agent {
    pub(crate) fn prompt(&mut self, message: &str) {
        self.send(&json!({ "type": "prompt", "message": message }));
    }

    /// Sends a prompt; returns all events of its run.
    pub(crate) fn run(&mut self, message: &str) -> Vec<Value> {
        self.prompt(message);
        self.until_match(|event| event["type"] == "agent_end")
    }

    /// Sends a prompt; returns the text of the last message of its run.
    pub(crate) fn ask(&mut self, message: &str) -> String {
        let end = self.run(message).pop().unwrap();
        let last = end["messages"].as_array().unwrap().last().unwrap().clone();
        last["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Runs a shell command; returns the message of its `bash_end`.
    pub(crate) fn bash(&mut self, command: &str) -> Value {
        self.send(&json!({ "type": "bash", "command": command }));
        self.expect("bash_end")["message"].take()
    }

    pub(crate) fn abort(&mut self) {
        self.send(&json!({ "type": "abort" }));
    }

    /// Closes stdin; returns the remaining events and the exit code.
    pub(crate) fn finish(&mut self) -> (Vec<Value>, Option<i32>) {
        self.close_stdin();
        self.read_to_end()
    }
}

/// The types of events; for updates, the type of the inner event.
pub(crate) fn kinds(events: &[Value]) -> Vec<&str> {
    let kinds = events.iter().map(|event| {
        let update = event["assistantMessageEvent"]["type"].as_str();
        update.or(event["type"].as_str())
    });
    kinds.map(Option::unwrap).collect()
}

/// The messages of the `message_end` events.
pub(crate) fn ended_messages(events: &[Value]) -> Vec<&Value> {
    let ends = events.iter().filter(|event| event["type"] == "message_end");
    ends.map(|event| &event["message"]).collect()
}

/// A model script that replies `seen` if the request contains the text, else `not seen`.
pub(crate) fn script_that_detects(text: &str) -> Value {
    json!([
        { "when": { "contains": text }, "repeat": "forever", "text": "seen" },
        { "repeat": "forever", "text": "not seen" },
    ])
}
