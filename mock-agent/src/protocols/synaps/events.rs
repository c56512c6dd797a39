//! Events ("RpcEvent", lines 200 to 362): what the core says, in this dialect's frames.

use super::frames::{agent_end, error, fits, pieces, response, update};
use crate::core::event::{Event, SubagentUpdate};
use crate::core::event_sink::EventEncoder;
use crate::core::failure::Halt;
use crate::model::message::Usage;
use crate::model::{BlockStart, Chunk};
use crate::tools::{ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

/// The version that `ready` tells.
const VERSION: u32 = 1;

/// The command that has no turn, but takes as long.
pub(super) const COMPACT: &str = "compact";

/// How many words a preview has.
const PREVIEW: usize = 8;

/// What has been said so far, as far as it matters for what comes.
#[derive(Debug, Default)]
pub(super) struct Events {
    up: bool,
    /// The active model, as `PROVIDER/MODEL`.
    pub(super) model: String,
    pub(super) session: String,
    /// How many sessions there have been.
    sessions: u64,
    /// What the session has used.
    pub(super) spent: Usage,
    /// The command whose turn is at work.
    pub(super) job: Option<Job>,
    /// The ids of `abort` commands that wait for the end of the turn.
    pub(super) aborts: Vec<String>,
    calls: Vec<OpenCall>,
    /// What faults count.
    pub(super) seen: Seen,
}

/// What has come so far. Only faults look at it.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Whether a turn was aborted.
    pub(super) abort: bool,
    /// The last message of the user's.
    pub(super) message: String,
    /// How many lines were no command.
    pub(super) bad_lines: usize,
}

/// A command that takes a turn.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: String,
    pub(super) command: &'static str,
    pub(super) model: String,
    /// Whether the model has said anything.
    pub(super) heard: bool,
    pub(super) failure: Option<String>,
}

/// A call that streams in.
#[derive(Debug)]
struct OpenCall {
    index: usize,
    id: String,
    input: String,
}

impl EventEncoder for Events {
    fn encode(&mut self, event: &Event<'_>) -> Vec<Value> {
        match event {
            Event::Ready(hello) => {
                self.up = true;
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
            Event::ModelChunk { chunk, .. } => self.said(chunk),
            Event::ToolRefused { call, failure, .. } => vec![result(&call.id, &failure.message)],
            Event::ToolEnd { call, outcome, .. } => vec![result(&call.id, &text(outcome))],
            Event::Subagent { id, name, update } => vec![subagent(*id, name, *update)],
            Event::Failed { turn, failure } => self.failed(*turn, &failure.message),
            Event::CompactionEnd(summary) => {
                let body = Map::from_iter([("summary".to_owned(), json!(summary.text))]);
                self.compacted(|id| response(id, COMPACT, body))
            }
            Event::TurnEnd { usage, halt, .. } => self.end(*usage, *halt),
            Event::TurnStart { .. }
            | Event::ApprovalRequest { .. }
            | Event::ToolStart { .. }
            | Event::ToolCancel { .. }
            | Event::ShellCommandEnd(_)
            | Event::McpServerConnected { .. }
            | Event::ToolProgress { .. }
            | Event::PromptsDelivered { .. }
            | Event::RetryStart { .. }
            | Event::RetryEnd { .. }
            | Event::CompactionStart(_)
            | Event::SummaryRetry(_)
            | Event::Idle
            | Event::Notice { .. } => vec![],
        }
    }
}

impl Events {
    /// A session begins, under the id that it has on disk, or under one of its own.
    pub(super) fn begin_session(&mut self, id: Option<&str>) {
        self.sessions += 1;
        self.session = id.map_or_else(|| format!("session-{}", self.sessions), str::to_owned);
        self.spent = Usage::default();
    }

    /// Gives every other session the same id. Only a fault does.
    pub(super) fn alternate_session(&mut self) {
        self.session = format!("session-{}", self.sessions % 2);
    }

    fn said(&mut self, chunk: &Chunk) -> Vec<Value> {
        if let Some(job) = &mut self.job {
            job.heard = true;
        }
        match chunk {
            Chunk::Text { text, .. } => deltas("text_delta", None, text),
            Chunk::Thinking { text, .. } => deltas("thinking_delta", None, text),
            Chunk::Start {
                index,
                block: BlockStart::Call { id, tool },
            } => {
                self.calls.push(OpenCall {
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
                .and_then(whole_input)
                .into_iter()
                .collect(),
            _ => vec![],
        }
    }

    fn call(&mut self, index: usize) -> Option<&mut OpenCall> {
        self.calls.iter_mut().find(|call| call.index == index)
    }

    /// Outside a command the process cannot start: the first frame is `ready` or none.
    fn failed(&mut self, turn: Option<&str>, message: &str) -> Vec<Value> {
        if !self.up {
            tracing::error!("{message}");
            return vec![];
        }
        match &mut self.job {
            Some(job) if turn.is_some() => {
                job.failure = Some(message.to_owned());
                vec![error(Some(&job.id), message)]
            }
            Some(job) if job.command == COMPACT => self.compacted(|id| error(Some(id), message)),
            _ => vec![error(None, message)],
        }
    }

    /// A compaction is over, and so is what waited for its end.
    fn compacted(&mut self, told: impl FnOnce(&str) -> Value) -> Vec<Value> {
        let mut frames: Vec<_> = self
            .job
            .take()
            .map(|job| told(&job.id))
            .into_iter()
            .collect();
        frames.extend(self.aborted());
        frames
    }

    fn aborted(&mut self) -> Vec<Value> {
        let aborts = self.aborts.drain(..);
        aborts.map(|id| response(&id, "abort", ok())).collect()
    }

    /// A turn is over: its end, its response, and those of the commands that have ended it.
    fn end(&mut self, usage: Usage, halt: Option<Halt>) -> Vec<Value> {
        self.spent += usage;
        self.calls.clear();
        let mut frames = self.job.take().map_or(vec![], |job| job.end(usage, halt));
        frames.extend(self.aborted());
        frames
    }
}

impl Job {
    fn end(self, usage: Usage, halt: Option<Halt>) -> Vec<Value> {
        let model = self.heard.then_some(self.model.as_str());
        let mut body = ok();
        if let Some(failure) = self.failure {
            body.insert("ok".into(), json!(false));
            body.insert("error".into(), json!(failure));
        } else if halt.is_some() {
            body.insert("cancelled".into(), json!(true));
        }
        vec![
            agent_end(usage, model),
            response(&self.id, self.command, body),
        ]
    }
}

/// The body that says nothing but that it went well.
pub(super) fn ok() -> Map<String, Value> {
    Map::from_iter([("ok".to_owned(), json!(true))])
}

fn deltas(kind: &str, call: Option<&str>, text: &str) -> Vec<Value> {
    let frames = pieces(text).map(|piece| match call {
        Some(id) => update(&json!({ "type": kind, "tool_id": id, "delta": piece })),
        None => update(&json!({ "type": kind, "delta": piece })),
    });
    frames.collect()
}

/// The input of a call as a whole, if it is JSON and fits.
fn whole_input(call: &mut OpenCall) -> Option<Value> {
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

/// Durations are told in whole seconds, so that the same session is told in the same bytes.
fn subagent(helper: u64, name: &str, news: SubagentUpdate<'_>) -> Value {
    let (kind, key, told) = match news {
        SubagentUpdate::Started { task } => ("subagent_start", "task_preview", preview(task)),
        SubagentUpdate::WaitingForModel => ("subagent_update", "status", "running".into()),
        SubagentUpdate::UsingTool => ("subagent_update", "status", "tool_call".into()),
        SubagentUpdate::Finished { result, .. } => {
            ("subagent_done", "result_preview", preview(result))
        }
    };
    let mut frame = json!({ "type": kind, "subagent_id": helper, "agent_name": name });
    frame[key] = json!(told);
    if let SubagentUpdate::Finished { took, .. } = news {
        frame["duration_secs"] = json!(took.as_secs_f64().floor());
    }
    frame
}

fn preview(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().take(PREVIEW).collect();
    words.join(" ").chars().take(80).collect()
}
