//! The requests of a test and the responses to them: one JSON object a line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// A request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "conform control request")]
pub struct Request {
    /// Comes back in the response.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub id: Value,
    /// The token of the file in the control folder; only the first request of a connection to a port needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// What to do.
    #[serde(rename = "do")]
    pub command: Command,
}

/// What a test can ask for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// The name, the process and the session, the gates that hold a reply, the waits on a stopped clock, and the number of journal entries.
    Status,
    /// Waits until a reply is held at this gate.
    WaitGate {
        /// The gate's name.
        gate: String,
        /// The timeout; by default 10 s.
        #[serde(default = "default_timeout")]
        timeout_ms: u64,
    },
    /// Releases a gate. It stays open.
    Release {
        /// The gate's name.
        gate: String,
    },
    /// Waits until the host has sent a command that matches. Earlier ones count. The result is its journal entry.
    WaitCommand {
        /// A matcher, as in scenarios.
        matches: Value,
        /// Only entries of the journal after this number.
        #[serde(default)]
        after: u64,
        /// The timeout; by default 10 s.
        #[serde(default = "default_timeout")]
        timeout_ms: u64,
    },
    /// Advances a clock that is stopped, once something waits for it. Returns when the agent has done what follows. The result is how long
    /// the waits that are left still take.
    Advance {
        /// By how much.
        by_ms: u64,
        /// The timeout; by default 10 s.
        #[serde(default = "default_timeout")]
        timeout_ms: u64,
    },
    /// The entries of the journal: what was sent and received, and what happened at gates.
    Journal {
        /// Only entries after this number.
        #[serde(default)]
        after: u64,
    },
    /// Sends an event to the host.
    Send {
        /// The event.
        frame: Value,
    },
    /// Writes bytes to the host as they are.
    SendRaw {
        /// The bytes, as a text.
        text: String,
    },
    /// Plays a fault from now on.
    Fault {
        /// Its id.
        id: String,
    },
    /// Ends the process at once.
    Crash {
        /// `SIGKILL` (the default), `SIGABRT` or `SIGTERM`, also without `SIG`, unless there is a status.
        #[serde(default)]
        signal: Option<String>,
        /// An exit status instead of a signal.
        #[serde(default)]
        status: Option<u8>,
    },
    /// Replaces the script: the next request to the model gets the first reply of this file.
    Reset {
        /// The file: a model script or a scenario.
        script: String,
    },
}

/// The default of `timeout_ms`.
fn default_timeout() -> u64 {
    10_000
}

impl Command {
    /// The same command with another timeout, if it has one.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        if let Command::WaitGate { timeout_ms, .. }
        | Command::WaitCommand { timeout_ms, .. }
        | Command::Advance { timeout_ms, .. } = &mut self
        {
            *timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        }
        self
    }

    /// How long the response may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        match self {
            Command::WaitGate { timeout_ms, .. }
            | Command::WaitCommand { timeout_ms, .. }
            | Command::Advance { timeout_ms, .. } => Duration::from_millis(*timeout_ms),
            _ => Duration::ZERO,
        }
    }
}

/// The response to a request: a result or an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "conform control response")]
pub struct Response {
    /// The id of the request.
    #[serde(default)]
    pub id: Value,
    /// The result, if the request was carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Value")]
    pub ok: Option<Value>,
    /// Why it was not, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Response {
    /// The response with an outcome.
    #[must_use]
    pub fn new(id: Value, outcome: Result<Value, String>) -> Self {
        let (ok, error) = match outcome {
            Ok(value) => (Some(value), None),
            Err(why) => (None, Some(why)),
        };
        Response { id, ok, error }
    }
}
