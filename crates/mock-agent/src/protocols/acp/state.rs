//! The state: the client, its sessions, and the requests that are open in both directions.

use super::replay;
use super::rpc::{self, RpcError};
use crate::core::{ModelInfo, Session};
use crate::model::Usage;
use crate::session_store::SessionStore;
use crate::tools::Category;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use tokio::sync::oneshot;

#[derive(Default)]
pub(super) struct AcpState {
    pub(super) initialized: bool,
    pub(super) logged_in: bool,
    /// The capabilities of the client.
    pub(super) client: Value,
    pub(super) model_info: ModelInfo,
    /// Where sessions are saved; none if they are not.
    pub(super) store: Option<SessionStore>,
    pub(super) sessions: BTreeMap<String, AcpSession>,
    /// How many sessions were started without a store.
    pub(super) unsaved: u64,
    /// The number of the agent's own requests so far.
    requests: u64,
    /// Those that the host has not answered.
    pub(super) pending: BTreeMap<u64, Pending>,
}

/// What becomes of the answer to a request of the agent.
pub(super) enum Pending {
    /// A task waits for it.
    Answer(oneshot::Sender<Result<Value, RpcError>>),
    /// It decides on this call of this session.
    Permission { session: String, call: String },
    /// Nobody waits for it.
    Ignored,
}

/// A session that is open.
pub(super) struct AcpSession {
    pub(super) core: Rc<Session>,
    pub(super) cwd: PathBuf,
    pub(super) roots: Vec<PathBuf>,
    pub(super) mode: String,
    pub(super) model: String,
    pub(super) thinking: String,
    pub(super) streams: bool,
    pub(super) title: Option<String>,
    /// The prompts so far.
    pub(super) prompts: u64,
    /// The messages so far: the number in the id of the latest.
    pub(super) messages: u64,
    /// The compactions and sub-agents so far.
    pub(super) parts: u64,
    pub(super) cost: f64,
    /// The updates that a load repeats.
    pub(super) log: Vec<Value>,
    /// The prompt that is not answered yet.
    pub(super) prompt: Option<OpenPrompt>,
    /// The kinds of calls that are always rejected.
    pub(super) rejected: BTreeSet<Category>,
}

/// A prompt that is not answered yet.
pub(super) struct OpenPrompt {
    /// The id of its request.
    pub(super) id: Value,
    /// Whether its turn, or its compaction, has started.
    pub(super) started: bool,
    pub(super) cancelled: bool,
    /// Whether the request itself was cancelled.
    pub(super) by_request: bool,
    pub(super) failure: Option<(String, bool)>,
    pub(super) stop: &'static str,
    /// The requests to the model so far.
    pub(super) requests: u32,
    /// The tokens of the running request.
    pub(super) usage: Usage,
    /// The id of the compaction that it is.
    pub(super) compaction: Option<String>,
    /// The calls that were announced.
    pub(super) calls: BTreeSet<String>,
}

impl OpenPrompt {
    pub(super) fn new(id: Value) -> Self {
        OpenPrompt {
            id,
            started: false,
            cancelled: false,
            by_request: false,
            failure: None,
            stop: "end_turn",
            requests: 0,
            usage: Usage::default(),
            compaction: None,
            calls: BTreeSet::new(),
        }
    }

    /// The response to it.
    pub(super) fn answer(self) -> Value {
        let answer = if self.by_request {
            Err(RpcError::new(-32800, "The request was cancelled"))
        } else if self.cancelled {
            Ok(json!({ "stopReason": "cancelled" }))
        } else if let Some((message, retryable)) = self.failure {
            let data = Some(json!({ "retryable": retryable }));
            Err(RpcError {
                data,
                ..RpcError::new(-32603, message)
            })
        } else {
            Ok(json!({ "stopReason": self.stop }))
        };
        rpc::answer(&self.id, answer)
    }
}

impl AcpState {
    /// Whether the client has declared the capability at this pointer: true, or an object.
    pub(super) fn can(&self, pointer: &str) -> bool {
        match self.client.pointer(pointer) {
            Some(Value::Bool(can)) => *can,
            Some(Value::Object(_)) => true,
            _ => false,
        }
    }

    /// Whether the client takes updates of this kind.
    pub(super) fn takes(&self, kind: &str) -> bool {
        match kind {
            "notice" => self.can("/session/notices"),
            "compaction_update" | "compaction_summary_chunk" => self.can("/session/compaction"),
            "plan_update" | "plan_removed" => self.can("/plan"),
            "subagent_update" | "session_message" | "session_message_chunk" => {
                self.can("/subagents")
            }
            _ => true,
        }
    }

    /// An open session.
    ///
    /// # Errors
    /// There is none with this id.
    pub(super) fn session(&mut self, id: &str) -> Result<&mut AcpSession, RpcError> {
        let found = self.sessions.get_mut(id);
        found.ok_or_else(|| RpcError::unknown_session(id))
    }

    /// The number of a new request of the agent.
    pub(super) fn open(&mut self, pending: Pending) -> u64 {
        self.requests += 1;
        self.pending.insert(self.requests, pending);
        self.requests
    }

    /// The frame of an update, which a load repeats later; none if the client does not take it.
    pub(super) fn update(&mut self, session: &str, update: Value) -> Option<Value> {
        let takes = self.takes(update["sessionUpdate"].as_str().unwrap_or_default());
        if let Some(open) = self.sessions.get_mut(session) {
            replay::record(&mut open.log, &update);
        }
        takes.then(|| update_frame(session, update))
    }
}

pub(super) fn update_frame(session: &str, update: Value) -> Value {
    let params = json!({ "sessionId": session, "update": update });
    rpc::notification("session/update", params)
}

pub(super) fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

impl AcpSession {
    /// The id of the next message.
    pub(super) fn next_message(&mut self) -> String {
        self.messages += 1;
        format!("m{}", self.messages)
    }

    /// The id of the latest message.
    pub(super) fn message(&self) -> String {
        format!("m{}", self.messages)
    }

    /// What is kept of it beside its conversation.
    pub(super) fn about(&self) -> Value {
        json!({
            "cwd": self.cwd, "additionalDirectories": self.roots, "title": self.title,
            "mode": self.mode, "model": self.model, "thinking": self.thinking, "cost": self.cost,
            "prompts": self.prompts, "messages": self.messages, "parts": self.parts, "log": self.log,
        })
    }
}

/// When a session was used last: counted from a fixed date, a minute for each prompt.
pub(super) fn updated_at(prompts: u64) -> String {
    let (day, hour, minute) = (prompts / 1440 % 28 + 1, prompts / 60 % 24, prompts % 60);
    format!("2026-01-{day:02}T{hour:02}:{minute:02}:00Z")
}
