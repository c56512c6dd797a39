//! Sections 1.1 to 1.11 of the page: events.

use crate::core::call::Call;
use crate::core::event::{AgentInfo, Event};
use crate::core::event_sink::EventEncoder;
use crate::core::failure::{Code, Failure};
use crate::model::Chunk;
use crate::model::message::Usage;
use crate::tools::{ToolOutput, ToolResult};
use serde_json::{Value, json};

/// The version that `ready` tells.
const VERSION: &str = "0.1.0";

pub(super) struct Events;

impl EventEncoder for Events {
    fn encode(&mut self, event: &Event<'_>) -> Vec<Value> {
        frame(event).into_iter().collect()
    }
}

/// The frame of an event, if it has one.
pub(super) fn frame(event: &Event<'_>) -> Option<Value> {
    Some(match event {
        Event::Ready(hello) => ready(
            hello,
            VERSION,
            json!({ "tool_approval": true, "thinking": true, "mcp": hello.mcp }),
        ),
        Event::TurnStart { turn, .. } => json!({ "type": "stream_start", "msg_id": turn }),
        Event::ModelChunk { turn, chunk } => return said(turn, chunk),
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

pub(super) fn ready(hello: &AgentInfo, version: &str, capabilities: Value) -> Value {
    let mut frame = json!({ "type": "ready", "version": version });
    if let Some(session) = &hello.session {
        frame["session_id"] = json!(session);
    }
    frame["capabilities"] = capabilities;
    frame
}

fn said(turn: &str, chunk: &Chunk) -> Option<Value> {
    let (kind, text) = match chunk {
        Chunk::Text { text, .. } => ("text_delta", text),
        Chunk::Thinking { text, .. } => ("thinking", text),
        _ => return None,
    };
    (!text.is_empty()).then(|| json!({ "type": kind, "text": text, "msg_id": turn }))
}

fn tool_request(turn: &str, call: &Call) -> Value {
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

fn tool_result(turn: &str, call: &Call, outcome: &ToolResult) -> Value {
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

pub(super) fn error(turn: Option<&str>, failure: &Failure) -> Value {
    let code = match failure.code {
        Code::Provider => "provider_error",
        Code::Tool => "tool_error",
        Code::Config => "config_error",
        Code::Protocol => "protocol_error",
        Code::Internal => "internal_error",
    };
    json!({
        "type": "error",
        "msg_id": turn,
        "error": { "code": code, "message": failure.message, "retryable": failure.retryable },
    })
}
