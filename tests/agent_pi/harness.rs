//! Speaks with the agent in pi@0.14.

pub(crate) use crate::common::{Agent, Setup, call, gone};
use serde_json::{Value, json};
use std::sync::Arc;

impl Setup {
    pub(crate) fn new() -> Self {
        Setup::with_sessions().args(&["--no-session"])
    }

    pub(crate) fn with_sessions() -> Self {
        Setup::of(&["--mode", "rpc"]).at_home()
    }

    /// In the home and the workspace of an agent before it.
    pub(crate) fn again(agent: &Agent) -> Self {
        let setup = Setup::of(&["--mode", "rpc"]);
        Setup {
            dir: Arc::clone(&agent.dir),
            ..setup
        }
        .at_home()
    }

    fn at_home(self) -> Self {
        let home = self.dir.path().to_string_lossy().into_owned();
        self.var("HOME", &home)
    }
}

/// An agent that plays this script.
pub(crate) fn playing(replies: &Value) -> Agent {
    Setup::new().script(replies).start()
}

impl Agent {
    pub(crate) fn prompt(&mut self, message: &str) {
        self.send(&json!({ "type": "prompt", "message": message }));
    }

    /// A whole run.
    pub(crate) fn run(&mut self, message: &str) -> Vec<Value> {
        self.prompt(message);
        self.until_one(|event| event["type"] == "agent_end")
    }

    /// What the model said last in a whole run.
    pub(crate) fn ask(&mut self, message: &str) -> String {
        let end = self.run(message).pop().unwrap();
        let last = end["messages"].as_array().unwrap().last().unwrap().clone();
        last["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// The message of the `bash_end` of a shell command.
    pub(crate) fn bash(&mut self, command: &str) -> Value {
        self.send(&json!({ "type": "bash", "command": command }));
        self.expect("bash_end")["message"].take()
    }

    pub(crate) fn abort(&mut self) {
        self.send(&json!({ "type": "abort" }));
    }

    /// Closes standard input; every event that was left, and the exit code.
    pub(crate) fn finish(&mut self) -> (Vec<Value>, Option<i32>) {
        self.close();
        self.end()
    }
}

/// The types of events, those of updates by the type of what is new.
pub(crate) fn kinds(events: &[Value]) -> Vec<&str> {
    let kinds = events.iter().map(|event| {
        let update = event["assistantMessageEvent"]["type"].as_str();
        update.or(event["type"].as_str())
    });
    kinds.map(Option::unwrap).collect()
}

/// The messages of the `message_end` events.
pub(crate) fn ended(events: &[Value]) -> Vec<&Value> {
    let ends = events.iter().filter(|event| event["type"] == "message_end");
    ends.map(|event| &event["message"]).collect()
}

/// A reply that tells whether the model was told something.
pub(crate) fn heard(text: &str) -> Value {
    json!([
        { "when": { "contains": text }, "repeat": "forever", "text": "heard" },
        { "repeat": "forever", "text": "not heard" },
    ])
}
