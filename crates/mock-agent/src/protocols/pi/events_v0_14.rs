//! "Output Protocol" of pi@0.14: its encoder. A turn of the core is a run here, with one turn for each reply of the model.

use super::messages::{
    CountingClock, arguments, bare_frame, bash, tool_message, tool_result, user,
};
use super::stream::{Form, StreamingReply};
use crate::core::event::ReportedCall;
use crate::core::event::{Event, Summary};
use crate::core::event_sink::EventEncoder;
use crate::core::failure::{Failure, FailureSource};
use crate::core::queues::Prompt;
use crate::core::settings::ModelInfo;
use crate::model::Chunk;
use crate::model::message::StopReason;
use crate::tools::{ToolOutput, ToolResult};
use serde_json::{Value, json};

/// The encoder. It keeps what the ends of turns and runs repeat.
#[derive(Debug, Default)]
pub(super) struct EventsV0_14 {
    model_info: Option<ModelInfo>,
    clock: CountingClock,
    run: RunV0_14,
}

/// The current run.
#[derive(Debug, Default)]
struct RunV0_14 {
    messages: Vec<Value>,
    /// The reply that is streaming.
    reply: Option<StreamingReply>,
    /// The turn's complete reply.
    answer: Option<Value>,
    results: Vec<Value>,
}

/// The error of a message that was aborted.
const ABORTED: &str = "Request was aborted.";

impl EventEncoder for EventsV0_14 {
    fn encode(&mut self, event: &Event<'_>) -> Vec<Value> {
        match event {
            Event::Ready(hello) => {
                self.model_info = Some(hello.model_info.clone());
                vec![]
            }
            Event::TurnStart { prompt, .. } => self.run_started(prompt),
            Event::ModelRequest => self.next_turn(),
            Event::ModelChunk { chunk, .. } => self.chunk(chunk),
            Event::ToolRefused { call, failure, .. } => {
                let mut frames = vec![tool_start(call)];
                frames.extend(self.tool_end(call, &ToolResult::error(&failure.message)));
                frames
            }
            Event::ToolStart { call, .. } => vec![tool_start(call)],
            Event::ToolEnd { call, outcome, .. } => self.tool_end(call, outcome),
            Event::ToolCancel { call, .. } => self.tool_end(call, &ToolResult::error("Aborted")),
            Event::TurnEnd { halt, .. } => self.run_ended(halt.is_some()),
            Event::CompactionEnd(summary) => vec![compaction(summary)],
            Event::ShellCommandEnd(executed) => {
                let message = bash(executed, self.clock.tick());
                vec![json!({ "type": "bash_end", "message": message })]
            }
            Event::Failed { turn, failure } => self.failed(turn.is_some(), failure),
            Event::ApprovalRequest { .. }
            | Event::ToolProgress { .. }
            | Event::PromptsDelivered { .. }
            | Event::RetryStart { .. }
            | Event::RetryEnd { .. }
            | Event::CompactionStart(_)
            | Event::SummaryRetry(_)
            | Event::Idle
            | Event::Subagent { .. }
            | Event::McpServerConnected { .. }
            | Event::Notice { .. } => vec![],
        }
    }
}

impl EventsV0_14 {
    fn run_started(&mut self, prompt: &Prompt) -> Vec<Value> {
        self.run = RunV0_14::default();
        let message = user(prompt, self.clock.tick());
        let mut frames = vec![bare_frame("agent_start"), bare_frame("turn_start")];
        frames.extend(self.message(message));
        frames
    }

    /// The frames of a message that is not streamed.
    fn message(&mut self, message: Value) -> [Value; 2] {
        let start = json!({ "type": "message_start", "message": message });
        [start, self.message_end(message)]
    }

    fn message_end(&mut self, message: Value) -> Value {
        self.run.messages.push(message.clone());
        json!({ "type": "message_end", "message": message })
    }

    /// The next request to the model ends the turn before it.
    fn next_turn(&mut self) -> Vec<Value> {
        let mut frames = self.turn_end();
        if !frames.is_empty() {
            frames.push(bare_frame("turn_start"));
        }
        frames
    }

    fn turn_end(&mut self) -> Vec<Value> {
        let Some(answer) = self.run.answer.take() else {
            return vec![];
        };
        let results = std::mem::take(&mut self.run.results);
        vec![json!({ "type": "turn_end", "message": answer, "toolResults": results })]
    }

    fn chunk(&mut self, chunk: &Chunk) -> Vec<Value> {
        let mut frames = Vec::new();
        let reply = self.reply(&mut frames);
        frames.extend(reply.add(chunk));
        if let Chunk::Stop(stop) = chunk {
            let (reason, error) = match stop {
                StopReason::MaxTokens => ("length", None),
                StopReason::Refusal => ("error", Some("The model refused to go on.")),
                StopReason::End | StopReason::ToolUse if reply.has_calls() => ("toolUse", None),
                StopReason::End | StopReason::ToolUse => ("stop", None),
            };
            frames.extend(self.answer(reason, error));
        }
        frames
    }

    /// The reply that is streaming. Starts one if there is none.
    fn reply(&mut self, frames: &mut Vec<Value>) -> &mut StreamingReply {
        let (model_info, clock) = (&self.model_info, &mut self.clock);
        self.run.reply.get_or_insert_with(|| {
            let reply = StreamingReply::new(
                Form::Untotalled,
                model_info.clone().unwrap_or_default(),
                clock.tick(),
            );
            frames.push(json!({ "type": "message_start", "message": reply.partial() }));
            frames.push(reply.start());
            reply
        })
    }

    /// The reply is over.
    fn answer(&mut self, reason: &str, error: Option<&str>) -> Vec<Value> {
        let mut frames = Vec::new();
        let message = self.reply(&mut frames).message(reason, error);
        self.run.reply = None;
        self.run.answer = Some(message.clone());
        frames.push(StreamingReply::end(&message));
        frames.push(self.message_end(message));
        frames
    }

    fn tool_end(&mut self, call: &ReportedCall, outcome: &ToolResult) -> Vec<Value> {
        let result = match &outcome.output {
            ToolOutput::Text(why) if !outcome.ok => json!(why),
            _ => Value::Object(tool_result(outcome)),
        };
        let message = tool_message(call, outcome, self.clock.tick());
        self.run.results.push(message.clone());
        let end = json!({
            "type": "tool_execution_end",
            "toolCallId": call.id,
            "toolName": call.tool,
            "result": result,
            "isError": !outcome.ok,
        });
        let mut frames = vec![end];
        frames.extend(self.message(message));
        frames
    }

    /// An aborted run ends with a message that says so, in a turn of its own if a tool was running.
    fn run_ended(&mut self, halted: bool) -> Vec<Value> {
        let mut frames = Vec::new();
        if halted {
            frames.extend(self.next_turn());
            frames.extend(self.answer("aborted", Some(ABORTED)));
        }
        frames.extend(self.turn_end());
        let messages = std::mem::take(&mut self.run.messages);
        frames.push(json!({ "type": "agent_end", "messages": messages }));
        frames
    }

    fn failed(&mut self, in_run: bool, failure: &Failure) -> Vec<Value> {
        match failure.source {
            FailureSource::Provider if in_run => self.answer("error", Some(&failure.message)),
            FailureSource::Config => vec![],
            _ => vec![json!({ "type": "error", "error": failure.message })],
        }
    }
}

fn tool_start(call: &ReportedCall) -> Value {
    json!({
        "type": "tool_execution_start",
        "toolCallId": call.id,
        "toolName": call.tool,
        "args": arguments(&call.args),
    })
}

fn compaction(summary: &Summary) -> Value {
    let mut frame = json!({
        "type": "compaction",
        "summary": summary.text,
        "tokensBefore": summary.before,
    });
    if summary.auto {
        frame["auto"] = json!(true);
    }
    frame
}
