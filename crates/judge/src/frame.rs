//! Frames: the lines that crossed the pipe, and the other events in the history of a session.
//!
//! This is the only module that the oracle (`check`, `rules`, `schema`) and the subject (`agent`) share.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// How a line was terminated on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Eol {
    /// A single `\n`.
    #[default]
    Lf,
    /// `\r\n`.
    CrLf,
    /// Nothing: the stream ended after the last byte.
    None,
}

/// The bytes of one line without its terminator.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// The bytes as sent, without the terminator. At most the framer's limit.
    pub bytes: Vec<u8>,
    /// The terminator that followed.
    pub eol: Eol,
    /// The number of bytes beyond the limit, which were dropped; 0 for a complete line.
    pub dropped: u64,
}

impl Line {
    /// A line of text that ended in a single `\n`.
    pub fn new(text: impl Into<Vec<u8>>) -> Self {
        Line {
            bytes: text.into(),
            ..Line::default()
        }
    }

    /// A line of text that ended with this terminator.
    pub fn ended(text: impl Into<Vec<u8>>, eol: Eol) -> Self {
        Line {
            eol,
            ..Line::new(text)
        }
    }

    /// The bytes as text, invalid UTF-8 replaced.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}

/// One entry of a session's history, in the order in which the harness saw it.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Microseconds since the agent was spawned; 0 where unknown (a plain capture).
    pub at: u64,
    /// The content.
    pub body: Body,
}

/// The content of a [`Frame`].
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// A line the host wrote to the agent's stdin.
    ToAgent(Line),
    /// A line the agent wrote to its stdout.
    FromAgent(Line),
    /// A line of the agent's stderr. It is not part of a protocol and serves as evidence.
    Stderr(Line),
    /// A request that reached the scripted model.
    LlmRequest(LlmRequest),
    /// A request to the model that belongs to a lane: one of the agent's own, such as for a title. It is part of no protocol.
    LaneRequest {
        /// The name of the lane.
        lane: String,
        /// The request.
        request: LlmRequest,
    },
    /// How the answer to such a request ended.
    LlmReply(LlmReply),
    /// What reached an MCP server that the scenario scripts.
    Mcp(McpEvent),
    /// The host closed the agent's stdin.
    StdinClosed,
    /// The host closed its end of the agent's stdout, so what the agent writes from now on is lost.
    StdoutClosed,
    /// The host sent a signal, by name (`SIGTERM`).
    Signal(String),
    /// The agent's process ended, or the recording stopped.
    End(End),
}

impl Body {
    /// The name of the kind in transcripts and evidence.
    pub fn dir(&self) -> &'static str {
        match self {
            Body::ToAgent(_) => "to_agent",
            Body::FromAgent(_) => "from_agent",
            Body::Stderr(_) => "stderr",
            Body::LlmRequest(_) => "llm_request",
            Body::LaneRequest { .. } => "lane_request",
            Body::LlmReply(_) => "llm_reply",
            Body::Mcp(_) => "mcp_request",
            Body::StdinClosed => "stdin_closed",
            Body::StdoutClosed => "stdout_closed",
            Body::Signal(_) => "signal",
            Body::End(_) => "end",
        }
    }
}

/// A request that an agent sent to its model.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmRequest {
    /// Its number in the session, from 0.
    pub n: u64,
    /// The path of the URL, such as `/v1/messages`.
    pub path: String,
    /// The body as sent; a JSON string with the text if it was not JSON.
    pub body: Value,
}

/// How the answer to an [`LlmRequest`] ended.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmReply {
    /// The number of the request it answers.
    pub n: u64,
    /// The HTTP status.
    pub status: u16,
    /// How the exchange ended.
    pub end: ReplyEnd,
    /// The body as far as it came, if it was recorded; a JSON string with the text if it was not JSON, such as a stream.
    pub body: Option<Value>,
    /// The texts and calls of the model, if they are known and came completely: a list of `{"text": …}` and `{"call": {"id": …, "name": …,
    /// "arguments": …}}`.
    pub message: Option<Value>,
}

/// What reached a scripted MCP server: its start, or a message of the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct McpEvent {
    /// The number of its process in the scenario, from 1.
    pub n: u64,
    /// The name of the server in the scenario.
    pub server: String,
    /// The message; `{"started": {"args", "env", "cwd"}}` for the start, with the variables that the agent does not have itself;
    /// `{"text": …}` for a line that is no message.
    pub body: Value,
}

impl McpEvent {
    /// The members that rules and steps see: those of the body, `server` and `process`.
    #[must_use]
    pub fn value(&self) -> Value {
        let mut value = serde_json::json!({ "server": self.server, "process": self.n });
        if let (Some(all), Some(body)) = (value.as_object_mut(), self.body.as_object()) {
            for (name, member) in body {
                all.entry(name).or_insert_with(|| member.clone());
            }
        }
        value
    }

    /// What it is, in a few words.
    #[must_use]
    pub fn name(&self) -> String {
        let what = match self.body["method"].as_str() {
            Some("tools/call") => &format!("tools/call {}", self.body["params"]["name"]),
            Some(method) => method,
            None if self.body.get("started").is_some() => "started",
            None if self.body.get("text").is_some() => "a line that is no message",
            None => "a response",
        };
        format!("{}: {what}", self.server)
    }
}

/// How the answer of a model ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplyEnd {
    /// Sent to its last byte.
    Complete,
    /// The client went away before the end.
    ClientClosed,
    /// The script cut it short.
    Cut,
}

impl ReplyEnd {
    /// The word used in transcripts and rules.
    pub fn as_str(self) -> &'static str {
        spanned_yaml::names_of::<Self>()[self as usize]
    }
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The process exited by itself with this code.
    Exited {
        /// The exit code.
        code: i32,
        /// The number of its child processes that were still alive afterwards, and were killed.
        orphans: u32,
    },
    /// A signal ended it, other than a kill by the harness.
    Signalled {
        /// The signal's number.
        signal: i32,
        /// The number of its child processes that were still alive afterwards, and were killed.
        orphans: u32,
    },
    /// The harness killed it. `why` names the budget that ran out (`budget:response`), or another reason.
    Killed {
        /// The reason.
        why: String,
    },
    /// The recording stopped while it was alive.
    Open,
}
