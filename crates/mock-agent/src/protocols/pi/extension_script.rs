//! `dialogs.json` in the workspace: a script of what extensions do. In other agents, an extension from the launch recipe
//! plays it; this agent plays it itself.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::oneshot;

pub(super) const FILE: &str = "dialogs.json";

/// The actions of extensions.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ExtensionScript {
    /// The dialogs of each command, in order.
    pub(super) commands: Map<String, Value>,
    /// The dialogs and notices before the run of each prompt.
    pub(super) before_run: Vec<Value>,
    /// The dialog before a tool runs.
    pub(super) tool_call: Option<Value>,
    /// The session events that an extension cancels.
    cancel: Vec<String>,
    /// Commands after which an extension asks for a shutdown, each with the milliseconds until then.
    pub(super) leaves: HashMap<String, u64>,
    /// The messages that an `input` handler consumes.
    consumes: Vec<String>,
    /// Tools that call others: the name and the arguments of each call.
    pub(super) tools: HashMap<String, Vec<(String, Value)>>,
    /// The work of an extension before the agent exits.
    pub(super) at_shutdown: Option<ShutdownWork>,
    /// Events at which an extension throws, and the error's message.
    throws: HashMap<String, String>,
}

/// Writes a file, waits, and writes another one.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ShutdownWork {
    begun: String,
    ms: u64,
    done: String,
}

impl ShutdownWork {
    pub(super) async fn run(self) {
        let _ = std::fs::write(&self.begun, "");
        tokio::time::sleep(Duration::from_millis(self.ms)).await;
        let _ = std::fs::write(&self.done, "");
    }
}

/// A dialog without an answer yet.
#[derive(Debug)]
pub(super) enum PendingDialog {
    PiCommand(oneshot::Sender<Value>),
    /// The tool call with this id waits for the answer.
    ToolCall(String),
}

impl ExtensionScript {
    /// Reads the script. Empty if there is no file, or it is not a script.
    pub(super) fn read() -> Self {
        let text = std::fs::read_to_string(FILE).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    pub(super) fn asks_before_tools(&self) -> bool {
        self.tool_call.is_some()
    }

    pub(super) fn consumes(&self, text: &str) -> bool {
        self.consumes.iter().any(|consumed| consumed == text)
    }

    pub(super) fn cancels(&self, event: &str) -> bool {
        self.cancel.iter().any(|cancelled| cancelled == event)
    }

    /// The frame for an extension that throws at this event. None if none does.
    pub(super) fn error_at(&self, event: &str) -> Option<Value> {
        let message = self.throws.get(event)?;
        Some(extension_error(event, message))
    }
}

pub(super) fn extension_error(event: &str, message: &str) -> Value {
    json!({ "type": "extension_error", "extensionPath": FILE, "event": event, "error": message })
}
