//! The event encoder of synaps ("RpcEvent", lines 200 to 362): the events of the core as frames.

use super::commands::{self};
use super::frames::{agent_end, error, fits, ok, pieces, response, update};
use super::{ActiveCommand, COMPACT, StreamingCall, SynapsSession, SynapsState};
use crate::core::{Event, Halt, SubagentUpdate};
use crate::model::{BlockStart, Chunk, Usage};
use crate::os::stdin::Input;
use crate::protocols::frames::present;
use crate::protocols::session::Protocol;
use crate::tools::{ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

const VERSION: u32 = 1;

const PREVIEW: usize = 8;

impl Protocol for SynapsState {
    fn take(session: SynapsSession<'_>, input: Input) {
        commands::take(session, &input);
    }

    fn frames(&mut self, event: &Event<'_>) -> Vec<Value> {
        match event {
            Event::Ready(hello) => {
                self.ready = true;
                self.model.clone_from(&hello.model_info.model);
                self.begin_session(hello.session.as_deref());
                vec![json!({
                    "type": "ready",
                    "session_id": self.session,
                    "model": self.model,
                    "protocol_version": VERSION,
                })]
            }
            Event::ModelRequest => {
                self.calls.clear();
                vec![]
            }
            Event::ModelChunk { chunk, .. } => self.chunk(chunk),
            Event::ToolRefused { call, failure, .. } => vec![result(&call.id, &failure.message)],
            Event::ToolEnd { call, outcome, .. } => vec![result(&call.id, &text(outcome))],
            Event::Subagent { id, name, update } => vec![subagent(*id, name, *update)],
            Event::Failed { turn, failure } => self.failed(*turn, &failure.message),
            Event::CompactionEnd(summary) => {
                let body = Map::from_iter([("summary".to_owned(), json!(summary.text))]);
                self.compacted(|id| response(id, COMPACT, body))
            }
            Event::TurnEnd { usage, halt, .. } => self.turn_ended(*usage, *halt),
            _ => vec![],
        }
    }
}

impl SynapsState {
    fn chunk(&mut self, chunk: &Chunk) -> Vec<Value> {
        if let Some(active) = &mut self.active {
            active.answered = true;
        }
        match chunk {
            Chunk::Text { text, .. } => deltas("text_delta", None, text),
            Chunk::Thinking { text, .. } => deltas("thinking_delta", None, text),
            Chunk::Start {
                index,
                block: BlockStart::Call { id, tool },
            } => {
                self.calls.push(StreamingCall {
                    index: *index,
                    id: id.clone(),
                    input: String::new(),
                });
                let start = json!({ "type": "toolcall_start", "tool_id": id, "tool_name": tool });
                vec![update(&start)]
            }
            Chunk::Args { index, fragment } => match self.call(*index) {
                Some(call) => {
                    call.input.push_str(fragment);
                    deltas("toolcall_input_delta", Some(&call.id), fragment)
                }
                None => vec![],
            },
            Chunk::End { index } => self
                .call(*index)
                .and_then(complete_input)
                .into_iter()
                .collect(),
            _ => vec![],
        }
    }

    /// A failure before `ready` has no frame: the first one is `ready` or none.
    fn failed(&mut self, turn: Option<&str>, message: &str) -> Vec<Value> {
        if !self.ready {
            return vec![];
        }
        match &mut self.active {
            Some(active) if turn.is_some() => {
                active.failure = Some(message.to_owned());
                vec![error(Some(&active.id), message)]
            }
            Some(active) if active.name == COMPACT => self.compacted(|id| error(Some(id), message)),
            _ => vec![error(None, message)],
        }
    }

    /// A compaction ended: its answer, and those that waited.
    fn compacted(&mut self, answer: impl FnOnce(&str) -> Value) -> Vec<Value> {
        let answer = self.active.take().map(|active| answer(&active.id));
        answer.into_iter().chain(self.answer_waiting()).collect()
    }

    fn answer_waiting(&mut self) -> Vec<Value> {
        let aborts = self.pending_aborts.drain(..);
        aborts
            .map(|id| response(&id, "abort", ok()))
            .chain(self.delayed.drain(..))
            .collect()
    }

    /// A turn ended: its end, its response, and those that waited.
    fn turn_ended(&mut self, usage: Usage, halt: Option<Halt>) -> Vec<Value> {
        self.spent += usage;
        self.calls.clear();
        let end = self.active.take().map(|active| active.end(usage, halt));
        self.active = self.queued.pop_front();
        end.into_iter()
            .flatten()
            .chain(self.answer_waiting())
            .collect()
    }
}

impl ActiveCommand {
    fn end(self, usage: Usage, halt: Option<Halt>) -> Vec<Value> {
        let model = self.answered.then_some(self.model.as_str());
        let mut body = ok();
        let is_whole = self.failure.is_none() && halt.is_none();
        let has_end = is_whole || !self.failure_has_no_end;
        if let Some(failure) = self.failure {
            body.insert("ok".into(), json!(false));
            body.insert("error".into(), json!(failure));
        } else if halt.is_some() {
            body.insert("cancelled".into(), json!(true));
        }
        let end = has_end.then(|| agent_end(usage, model));
        let response = (!self.is_responded).then(|| response(&self.id, &self.name, body));
        end.into_iter().chain(response).collect()
    }
}

fn deltas(kind: &str, call: Option<&str>, text: &str) -> Vec<Value> {
    let delta = |piece| json!({ "type": kind, "tool_id": call, "delta": piece });
    pieces(text)
        .map(|piece| update(&present(delta(piece))))
        .collect()
}

/// The complete input of a call, if it is JSON and fits.
fn complete_input(call: &mut StreamingCall) -> Option<Value> {
    let text = if call.input.trim().is_empty() {
        "{}"
    } else {
        &call.input
    };
    let input: Value = serde_json::from_str(text).ok()?;
    let event = json!({ "type": "toolcall_input", "tool_id": call.id, "input": input });
    Some(update(&event)).filter(fits)
}

fn result(call: &str, result: &str) -> Value {
    update(&json!({ "type": "toolcall_result", "tool_id": call, "result": result }))
}

fn text(outcome: &ToolResult) -> String {
    match &outcome.output {
        ToolOutput::Text(text) | ToolOutput::Diff { diff: text, .. } => text.clone(),
        ToolOutput::Image { media_type, data } => {
            format!("[{media_type}, {} bytes in base64]", data.len())
        }
    }
}

/// Durations are in tenths of a second, so that a short session gives the same bytes again.
fn subagent(helper: u64, name: &str, update: SubagentUpdate<'_>) -> Value {
    let (kind, key, text) = match update {
        SubagentUpdate::Started { task } => ("subagent_start", "task_preview", preview(task)),
        SubagentUpdate::WaitingForModel => ("subagent_update", "status", "running".into()),
        SubagentUpdate::UsingTool => ("subagent_update", "status", "tool_call".into()),
        SubagentUpdate::Finished { result, .. } => {
            ("subagent_done", "result_preview", preview(result))
        }
    };
    let mut frame = json!({ "type": kind, "subagent_id": helper, "agent_name": name });
    frame[key] = json!(text);
    if let SubagentUpdate::Finished { elapsed, .. } = update {
        frame["duration_secs"] = json!((elapsed.as_secs_f64() * 10.0).floor() / 10.0);
    }
    frame
}

fn preview(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().take(PREVIEW).collect();
    words.join(" ").chars().take(80).collect()
}
