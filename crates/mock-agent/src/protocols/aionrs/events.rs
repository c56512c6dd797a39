//! Sections 1.1 to 1.11 of the specification: events.

use super::commands::{self, AionrsSession};
use super::session_config::{EFFORTS, SessionConfig};
use super::version::AionrsVersion;
use crate::core::{AgentInfo, Event, Failure, FailureSource};
use crate::model::{Chunk, Usage};
use crate::os::stdin::Input;
use crate::protocols::frames::present;
use crate::protocols::session::{Connection, Protocol};
use crate::tools::{ToolOutput, ToolResult};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// The adapter's state. Only 0.2 uses more than the version.
#[derive(Default)]
pub(super) struct AionrsState {
    pub(super) version: AionrsVersion,
    pub(super) config: SessionConfig,
    in_turn: bool,
    failed: bool,
    /// Frames that are sent after the turn.
    pub(super) queued: Vec<Value>,
    /// The message that asked for the running compaction.
    pub(super) compacting: Option<String>,
}

impl Protocol for AionrsState {
    fn take(session: AionrsSession<'_>, input: Input) {
        commands::take(session, &input);
    }

    fn frames(&mut self, event: &Event<'_>) -> Vec<Value> {
        let frame = match event {
            Event::Ready(hello) => self.ready(hello),
            Event::TurnStart { turn, .. } => {
                (self.in_turn, self.failed) = (true, false);
                json!({ "type": "stream_start", "msg_id": turn })
            }
            Event::ModelChunk { turn, chunk } => return text(turn, chunk).into_iter().collect(),
            Event::ApprovalRequest { turn, call } => json!({
                "type": "tool_request",
                "msg_id": turn,
                "call_id": call.id,
                "tool": {
                    "name": call.tool,
                    "category": call.category.name(),
                    "args": call.args,
                    "description": call.description,
                },
            }),
            Event::ToolStart { turn, call } => json!({
                "type": "tool_running", "msg_id": turn, "call_id": call.id, "tool_name": call.tool,
            }),
            Event::ToolEnd {
                turn,
                call,
                outcome,
            } => tool_result(turn, &call.id, &call.tool, outcome),
            Event::ToolCancel { turn, call, reason } => json!({
                "type": "tool_cancelled", "msg_id": turn, "call_id": call.id, "reason": reason,
            }),
            Event::ToolRefused { turn, failure, .. } => error(Some(turn), failure),
            Event::TurnEnd { turn, usage, .. } => return self.turn_ended(turn, *usage),
            Event::Failed { turn, failure } => return self.failed(*turn, failure),
            Event::CompactionEnd(summary) => {
                let text = format!("Context compacted: {} tokens before", summary.before);
                return self.compacted(info(&text));
            }
            Event::McpServerConnected { server, tools } => {
                self.config.mcp = true;
                json!({ "type": "mcp_ready", "name": server, "tools": tools })
            }
            Event::Notice { turn, text } => {
                json!({ "type": "info", "msg_id": turn, "message": text })
            }
            _ => return vec![],
        };
        vec![frame]
    }
}

impl AionrsState {
    pub(super) fn connect(version: AionrsVersion) -> Rc<dyn Connection> {
        Rc::new(RefCell::new(AionrsState {
            version,
            ..AionrsState::default()
        }))
    }

    /// The frame with the current capabilities. None during a turn: it is queued for the end of the turn.
    pub(super) fn config_changed(&mut self) -> Option<Value> {
        let frame = json!({ "type": "config_changed", "capabilities": self.config.capabilities() });
        if self.in_turn {
            self.queued.push(frame);
            return None;
        }
        Some(frame)
    }

    fn ready(&mut self, hello: &AgentInfo) -> Value {
        self.config.mcp = hello.mcp;
        self.config.mode = hello.mode.name();
        self.config.model.clone_from(&hello.model_info.model);
        if hello.model_info.provider == "openai" {
            self.config.efforts = EFFORTS;
        }
        let (version, capabilities) = match self.version {
            AionrsVersion::V0_1 => (
                "0.1.0",
                json!({ "tool_approval": true, "thinking": true, "mcp": hello.mcp }),
            ),
            AionrsVersion::V0_2 => ("0.2.0", self.config.capabilities()),
        };
        present(json!({
            "type": "ready", "version": version, "session_id": hello.session, "capabilities": capabilities,
        }))
    }

    /// In 0.2, a failure that ends the turn leaves its usage empty, and one outside of a turn ends the compaction.
    fn failed(&mut self, turn: Option<&str>, failure: &Failure) -> Vec<Value> {
        let is_turn = turn.is_some() && failure.source != FailureSource::Tool;
        self.failed |= is_turn && self.version >= AionrsVersion::V0_2;
        let frame = error(turn, failure);
        if turn.is_none() && failure.source != FailureSource::Protocol {
            self.compacted(frame)
        } else {
            vec![frame]
        }
    }

    fn turn_ended(&mut self, turn: &str, usage: Usage) -> Vec<Value> {
        let failed = std::mem::take(&mut self.failed);
        let usage = if failed { Usage::default() } else { usage };
        self.in_turn = false;
        let mut frames = vec![stream_end(turn, usage)];
        frames.append(&mut self.queued);
        frames
    }

    /// A report, and after it the end of the message that asked for a compaction, if one did.
    fn compacted(&mut self, report: Value) -> Vec<Value> {
        let message = self.compacting.take();
        let end = message.map(|message| stream_end(&message, Usage::default()));
        std::iter::once(report).chain(end).collect()
    }
}

/// An `info` that belongs to no turn.
pub(super) fn info(text: &str) -> Value {
    json!({ "type": "info", "msg_id": "", "message": text })
}

fn text(turn: &str, chunk: &Chunk) -> Option<Value> {
    let (kind, text) = match chunk {
        Chunk::Text { text, .. } => ("text_delta", text),
        Chunk::Thinking { text, .. } => ("thinking", text),
        _ => return None,
    };
    (!text.is_empty()).then(|| json!({ "type": kind, "text": text, "msg_id": turn }))
}

fn tool_result(turn: &str, id: &str, tool: &str, outcome: &ToolResult) -> Value {
    let (output, kind, metadata) = match &outcome.output {
        ToolOutput::Text(text) => (text, "text", None),
        ToolOutput::Diff { diff, path } => (diff, "diff", Some(json!({ "file_path": path }))),
        ToolOutput::Image { data, .. } => (data, "image", None),
    };
    present(json!({
        "type": "tool_result",
        "msg_id": turn,
        "call_id": id,
        "tool_name": tool,
        "status": if outcome.ok { "success" } else { "error" },
        "output": output,
        "output_type": kind,
        "metadata": metadata,
    }))
}

pub(super) fn stream_end(turn: &str, usage: Usage) -> Value {
    json!({
        "type": "stream_end",
        "msg_id": turn,
        "usage": {
            "input_tokens": usage.input,
            "output_tokens": usage.output,
            "cache_read_tokens": usage.cache_read,
            "cache_write_tokens": usage.cache_write,
        },
    })
}

fn error(turn: Option<&str>, failure: &Failure) -> Value {
    let code = match failure.source {
        FailureSource::Provider => "provider_error",
        FailureSource::Tool => "tool_error",
        FailureSource::Config => "config_error",
        FailureSource::Protocol => "protocol_error",
        FailureSource::Internal => "internal_error",
    };
    json!({
        "type": "error",
        "msg_id": turn,
        "error": { "code": code, "message": failure.message, "retryable": failure.retryable },
    })
}
