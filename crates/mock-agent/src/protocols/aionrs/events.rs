//! Sections 1.1 to 1.11 of the specification: the encoder of events.

use super::session_config::{EFFORTS, SessionConfig};
use super::version::AionrsVersion;
use crate::core::event::ReportedCall;
use crate::core::event::{AgentInfo, Event};
use crate::core::event_sink::EventEncoder;
use crate::core::failure::{Failure, FailureSource};
use crate::model::Chunk;
use crate::model::message::Usage;
use crate::tools::{ToolOutput, ToolResult};
use serde_json::{Value, json};

/// The version in `ready`.
const VERSION_0_1: &str = "0.1.0";
const VERSION_0_2: &str = "0.2.0";

/// The adapter's state. Only 0.2 uses more than the version.
#[derive(Default)]
pub(super) struct AionrsState {
    version: AionrsVersion,
    pub(super) config: SessionConfig,
    in_turn: bool,
    /// The turn has failed.
    failed: bool,
    /// Frames that are sent after the turn.
    queued: Vec<Value>,
    /// The message that asked for the running compaction.
    pub(super) compacting: Option<String>,
}

impl AionrsState {
    pub(super) fn new(version: AionrsVersion) -> Self {
        AionrsState {
            version,
            ..AionrsState::default()
        }
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
        ready(hello, VERSION_0_2, self.config.capabilities())
    }

    fn turn_ended(&mut self, turn: &str, usage: Usage) -> Vec<Value> {
        let failed = std::mem::take(&mut self.failed);
        let usage = if failed { Usage::default() } else { usage };
        self.in_turn = false;
        let mut frames = vec![stream_end(turn, usage)];
        frames.append(&mut self.queued);
        frames
    }

    /// The end of a message that asked for a compaction, after this report.
    fn compacted(&mut self, report: Value) -> Vec<Value> {
        let end = self.compacting.take();
        let end = end.map(|message| stream_end(&message, Usage::default()));
        std::iter::once(report).chain(end).collect()
    }
}

impl EventEncoder for AionrsState {
    fn encode(&mut self, event: &Event<'_>) -> Vec<Value> {
        if !self.version.has_config() {
            return frame(event).into_iter().collect();
        }
        match event {
            Event::Ready(hello) => return vec![self.ready(hello)],
            Event::TurnStart { .. } => (self.in_turn, self.failed) = (true, false),
            Event::TurnEnd { turn, usage, .. } => return self.turn_ended(turn, *usage),
            Event::Failed {
                turn: Some(_),
                failure,
            } => self.failed |= ends_turn(failure),
            Event::Failed {
                turn: None,
                failure,
            } if self.compacting.is_some() && failure.source != FailureSource::Protocol => {
                return self.compacted(error(None, failure));
            }
            Event::CompactionEnd(summary) => {
                let text = format!("Context compacted: {} tokens before", summary.before);
                return self.compacted(info(&text));
            }
            Event::McpServerConnected { server, tools } => {
                self.config.mcp = true;
                return vec![json!({ "type": "mcp_ready", "name": server, "tools": tools })];
            }
            _ => {}
        }
        frame(event).into_iter().collect()
    }
}

/// The failure of an invalid command.
pub(super) fn invalid(why: impl Into<String>) -> Failure {
    Failure::permanent(FailureSource::Protocol, why)
}

/// Whether a failure ends the turn with an empty usage. Failures of tools do not.
fn ends_turn(failure: &Failure) -> bool {
    failure.source != FailureSource::Tool
}

/// An `info` that belongs to no turn.
pub(super) fn info(text: &str) -> Value {
    json!({ "type": "info", "msg_id": "", "message": text })
}

/// The frame of an event in both versions, if it has one.
fn frame(event: &Event<'_>) -> Option<Value> {
    Some(match event {
        Event::Ready(hello) => ready(
            hello,
            VERSION_0_1,
            json!({ "tool_approval": true, "thinking": true, "mcp": hello.mcp }),
        ),
        Event::TurnStart { turn, .. } => json!({ "type": "stream_start", "msg_id": turn }),
        Event::ModelChunk { turn, chunk } => return text(turn, chunk),
        Event::ApprovalRequest { turn, call } => tool_request(turn, call),
        Event::ToolStart { turn, call } => json!({
            "type": "tool_running", "msg_id": turn, "call_id": call.id, "tool_name": call.tool,
        }),
        Event::ToolEnd {
            turn,
            call,
            outcome,
        } => tool_result(turn, call, outcome),
        Event::ToolCancel { turn, call, reason } => json!({
            "type": "tool_cancelled", "msg_id": turn, "call_id": call.id, "reason": reason,
        }),
        Event::ToolRefused { turn, failure, .. } => error(Some(turn), failure),
        Event::TurnEnd { turn, usage, .. } => stream_end(turn, *usage),
        Event::Failed { turn, failure } => error(*turn, failure),
        Event::Notice { turn, text } => {
            json!({ "type": "info", "msg_id": turn, "message": text })
        }
        Event::ToolProgress { .. }
        | Event::PromptsDelivered { .. }
        | Event::RetryStart { .. }
        | Event::RetryEnd { .. }
        | Event::CompactionStart(_)
        | Event::SummaryRetry(_)
        | Event::Idle
        | Event::ModelRequest
        | Event::McpServerConnected { .. }
        | Event::CompactionEnd(_)
        | Event::ShellCommandEnd(_)
        | Event::Subagent { .. } => {
            return None;
        }
    })
}

fn ready(hello: &AgentInfo, version: &str, capabilities: Value) -> Value {
    let mut frame = json!({ "type": "ready", "version": version });
    if let Some(session) = &hello.session {
        frame["session_id"] = json!(session);
    }
    frame["capabilities"] = capabilities;
    frame
}

fn text(turn: &str, chunk: &Chunk) -> Option<Value> {
    let (kind, text) = match chunk {
        Chunk::Text { text, .. } => ("text_delta", text),
        Chunk::Thinking { text, .. } => ("thinking", text),
        _ => return None,
    };
    (!text.is_empty()).then(|| json!({ "type": kind, "text": text, "msg_id": turn }))
}

fn tool_request(turn: &str, call: &ReportedCall) -> Value {
    json!({
        "type": "tool_request",
        "msg_id": turn,
        "call_id": call.id,
        "tool": {
            "name": call.tool,
            "category": call.category.name(),
            "args": call.args,
            "description": call.description,
        },
    })
}

fn tool_result(turn: &str, call: &ReportedCall, outcome: &ToolResult) -> Value {
    let (output, kind) = match &outcome.output {
        ToolOutput::Text(text) => (text, "text"),
        ToolOutput::Diff { diff, .. } => (diff, "diff"),
        ToolOutput::Image { data, .. } => (data, "image"),
    };
    let mut frame = json!({
        "type": "tool_result",
        "msg_id": turn,
        "call_id": call.id,
        "tool_name": call.tool,
        "status": if outcome.ok { "success" } else { "error" },
        "output": output,
        "output_type": kind,
    });
    if let ToolOutput::Diff { path, .. } = &outcome.output {
        frame["metadata"] = json!({ "file_path": path });
    }
    frame
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
