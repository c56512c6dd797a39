//! "Events" of the specification: the encoder of 0.73 and later. A turn of the core is a run here, with one turn for each reply of the model.

use super::compaction::{compaction_start, summary_retry};
use super::dialogs;
use super::entries::LogEntry;
use super::messages::{
    arguments, bare_frame, system_message, text, tool_message, tool_result, user,
};
use super::queue::{queue_update, queue_update_before};
use super::responses::response;
use super::state::{PiState, RunState};
use super::stream::{Form, StreamingReply};
use crate::core::event::Event;
use crate::core::event::ReportedCall;
use crate::core::event_sink::EventEncoder;
use crate::core::failure::{Failure, FailureSource};
use crate::core::queues::Prompt;
use crate::core::queues::Queues;
use crate::model::Chunk;
use crate::model::message::StopReason;
use crate::tools::ToolResult;
use serde_json::{Value, json};

/// The error of a message that was aborted.
const ABORTED: &str = "This operation was aborted";

impl EventEncoder for PiState {
    fn encode(&mut self, event: &Event<'_>) -> Vec<Value> {
        match event {
            Event::Ready(hello) => {
                self.model_info = hello.model_info.clone();
                vec![]
            }
            Event::TurnStart { prompt, .. } => self.run_started(prompt),
            Event::ModelRequest => self.next_turn(),
            Event::PromptsDelivered { prompts, queues } => self.dequeued(prompts, queues),
            Event::ModelChunk { chunk, .. } => self.chunk(chunk),
            Event::ToolRefused { call, failure, .. } => {
                let mut frames = self.tool_start(call);
                frames.extend(self.tool_end(call, &ToolResult::error(&failure.message)));
                frames
            }
            Event::ApprovalRequest { call, .. } => {
                let mut frames = self.tool_start(call);
                frames.extend(dialogs::ask_permission(self, call));
                frames
            }
            Event::ToolStart { call, .. } => self.tool_start(call),
            Event::ToolProgress { call, output, .. } => vec![tool_update(call, output)],
            Event::ToolEnd { call, outcome, .. } => self.tool_end(call, outcome),
            Event::ToolCancel { call, .. } => {
                let what = if call.tool == "bash" {
                    "Command"
                } else {
                    "Operation"
                };
                self.tool_end(call, &ToolResult::error(format!("{what} aborted")))
            }
            Event::TurnEnd {
                halt, will_retry, ..
            } => self.run_ended(halt.is_some(), *will_retry),
            Event::Idle => self.settled(),
            Event::RetryStart {
                attempt,
                of,
                delay,
                failure,
            } => {
                let mut frames = vec![json!({
                    "type": "auto_retry_start",
                    "attempt": attempt,
                    "maxAttempts": of,
                    "delayMs": delay.as_millis() as u64,
                    "errorMessage": failure.message,
                })];
                self.retry = Some(*attempt);
                frames.extend(self.take_back_failed_reply());
                frames
            }
            Event::RetryEnd { attempt, error } => self.retry_ended(*attempt, *error),
            Event::CompactionStart(reason) => {
                self.compacting = Some(*reason);
                vec![compaction_start(*reason)]
            }
            Event::SummaryRetry(retry) => match self.version.retries_summaries() {
                true => vec![summary_retry(retry)],
                false => vec![],
            },
            Event::CompactionEnd(summary) => self.compacted(summary),
            Event::Failed { turn, failure } => self.failed(turn.is_some(), failure),
            Event::McpServerConnected { .. }
            | Event::ShellCommandEnd(_)
            | Event::Subagent { .. }
            | Event::Notice { .. } => vec![],
        }
    }
}

impl PiState {
    fn run_started(&mut self, prompt: &Prompt) -> Vec<Value> {
        self.run = RunState {
            active: true,
            ..RunState::default()
        };
        self.unsettled = true;
        let mut frames = vec![bare_frame("agent_start"), bare_frame("turn_start")];
        let first = !std::mem::replace(&mut self.has_sent_system_message, true);
        if first && self.version.has_system_message() {
            let message = system_message(self.clock.tick());
            frames.extend(self.message(message));
        }
        if !prompt.resumes {
            let message = user(prompt, self.clock.tick());
            frames.extend(self.message(message));
        }
        frames
    }

    /// The frames of a message that is not streamed.
    fn message(&mut self, message: Value) -> [Value; 2] {
        let start = json!({ "type": "message_start", "message": message });
        [start, self.message_end(message)]
    }

    fn message_end(&mut self, message: Value) -> Value {
        self.run.messages.push(message.clone());
        self.append_message(message.clone());
        json!({ "type": "message_end", "message": message })
    }

    /// Queued messages go with the next request. Each leaves its queue when it is sent.
    fn dequeued(&mut self, prompts: &[Prompt], queues: &Queues) -> Vec<Value> {
        for (place, prompt) in prompts.iter().enumerate() {
            let update = queue_update_before(&prompts[place + 1..], queues);
            let message = user(prompt, self.clock.tick());
            self.run.dequeued.push((update, message));
        }
        match prompts {
            [] => vec![queue_update(queues)],
            _ => vec![],
        }
    }

    /// The retry of a reply is a new message: the model does not get the failed one again.
    fn take_back_failed_reply(&mut self) -> Option<Value> {
        let failed = |entry: &mut LogEntry| entry.message["stopReason"] == "error";
        let LogEntry { id, .. } = self.log.entries.pop_if(failed)?;
        if !self.version.has_entries() {
            return None;
        }
        let more = json!({ "targetId": id, "replacement": null });
        let entry = self.append_new_entry("context_edit", more);
        Some(json!({ "type": "entry_appended", "entry": entry }))
    }

    /// The next request to the model ends the turn before it.
    fn next_turn(&mut self) -> Vec<Value> {
        let mut frames = self.turn_end();
        if !frames.is_empty() {
            frames.push(bare_frame("turn_start"));
        }
        for (update, message) in std::mem::take(&mut self.run.dequeued) {
            frames.push(update);
            frames.extend(self.message(message));
        }
        frames
    }

    fn turn_end(&mut self) -> Vec<Value> {
        let Some(answer) = self.run.answer.take() else {
            return vec![];
        };
        let results = in_order_of_calls(&answer, std::mem::take(&mut self.run.results));
        let mut frames: Vec<_> = results
            .iter()
            .flat_map(|message| self.message(message.clone()))
            .collect();
        frames.push(json!({ "type": "turn_end", "message": answer, "toolResults": results }));
        frames.extend(self.script.error_at("turn_end"));
        frames
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
            self.log.unmeasured = false;
        }
        frames
    }

    /// The reply that is streaming. Starts one if there is none.
    fn reply(&mut self, frames: &mut Vec<Value>) -> &mut StreamingReply {
        let (model_info, clock) = (&self.model_info, &mut self.clock);
        let form = match self.version.streams_deltas() {
            false => Form::Whole,
            true => Form::Deltas,
        };
        self.run.reply.get_or_insert_with(|| {
            let reply = StreamingReply::new(form, model_info.clone(), clock.tick());
            frames.push(json!({ "type": "message_start", "message": reply.partial() }));
            reply
        })
    }

    /// The reply is over.
    fn answer(&mut self, reason: &str, error: Option<&str>) -> Vec<Value> {
        let mut frames = Vec::new();
        let message = self.reply(&mut frames).message(reason, error);
        self.run.reply = None;
        self.run.answer = Some(message.clone());
        frames.push(self.message_end(message));
        if !["error", "aborted"].contains(&reason)
            && let Some(attempt) = self.retry.take()
        {
            frames.push(retry_end(attempt, None));
        }
        frames
    }

    fn tool_start(&mut self, call: &ReportedCall) -> Vec<Value> {
        if self.run.started_calls.contains(&call.id) {
            return vec![];
        }
        self.run.started_calls.push(call.id.clone());
        vec![json!({
            "type": "tool_execution_start",
            "toolCallId": call.id,
            "toolName": call.tool,
            "args": arguments(&call.args),
        })]
    }

    fn tool_end(&mut self, call: &ReportedCall, outcome: &ToolResult) -> Vec<Value> {
        let outcome = &ToolResult {
            details: outcome.details.clone().or((!outcome.ok).then(|| json!({}))),
            ..outcome.clone()
        };
        let message = tool_message(call, outcome, self.clock.tick());
        self.run.results.push(message);
        vec![json!({
            "type": "tool_execution_end",
            "toolCallId": call.id,
            "toolName": call.tool,
            "result": tool_result(outcome),
            "isError": !outcome.ok,
        })]
    }

    /// An aborted run ends with a message that says so, in a turn of its own if a tool was running.
    fn run_ended(&mut self, halted: bool, again: bool) -> Vec<Value> {
        let mut frames = Vec::new();
        if halted {
            frames.extend(self.next_turn());
            frames.extend(self.answer("aborted", Some(ABORTED)));
        }
        frames.extend(self.turn_end());
        let messages = std::mem::take(&mut self.run.messages);
        self.run.active = false;
        let mut end = json!({ "type": "agent_end", "messages": messages });
        if self.version.has_will_retry() {
            end["willRetry"] = json!(again);
        }
        frames.push(end);
        frames.extend(self.work_ended());
        self.save_session();
        frames
    }

    fn retry_ended(&mut self, attempt: u32, error: Option<&str>) -> Vec<Value> {
        let mut frames = Vec::new();
        if self.retry.take().is_some() {
            frames.push(retry_end(attempt, error));
        }
        frames.extend(self.work_ended());
        frames
    }

    /// The run is over, with all of its retries and queued messages.
    fn settled(&mut self) -> Vec<Value> {
        let unsettled = std::mem::take(&mut self.unsettled);
        if !self.version.has_settled_event() {
            return vec![];
        }
        let mut frames = Vec::new();
        if unsettled {
            frames.push(bare_frame("agent_settled"));
        }
        frames.extend(self.answer_aborts());
        frames
    }

    /// A run, its retries or a compaction ended: answers the aborts, in versions where they do not wait for `agent_settled`.
    pub(super) fn work_ended(&mut self) -> Vec<Value> {
        match self.version.has_settled_event() {
            true => vec![],
            false => self.answer_aborts(),
        }
    }

    fn answer_aborts(&mut self) -> Vec<Value> {
        let ids = std::mem::take(&mut self.pending_aborts).into_iter();
        ids.map(|id| response(id.as_ref(), "abort", Ok(None)))
            .collect()
    }

    fn failed(&mut self, in_run: bool, failure: &Failure) -> Vec<Value> {
        match (failure.source, self.compacting.take_if(|_| !in_run)) {
            (_, Some(reason)) => self.compaction_failed(reason, failure),
            (FailureSource::Provider, None) if in_run => {
                self.answer("error", Some(&failure.message))
            }
            (FailureSource::Config, None) => vec![],
            _ => {
                tracing::error!("{}", failure.message);
                vec![]
            }
        }
    }
}

/// "auto_retry_end".
fn retry_end(attempt: u32, error: Option<&str>) -> Value {
    let mut frame =
        json!({ "type": "auto_retry_end", "success": error.is_none(), "attempt": attempt });
    if let Some(error) = error {
        frame["finalError"] = json!(error);
    }
    frame
}

/// The results of a reply's calls, in the order of the calls.
fn in_order_of_calls(answer: &Value, mut results: Vec<Value>) -> Vec<Value> {
    let calls = answer["content"].as_array().into_iter().flatten();
    let ids: Vec<_> = calls.filter_map(|block| block["id"].as_str()).collect();
    results.sort_by_key(|result| ids.iter().position(|id| result["toolCallId"] == **id));
    results
}

fn tool_update(call: &ReportedCall, output: &str) -> Value {
    json!({
        "type": "tool_execution_update",
        "toolCallId": call.id,
        "toolName": call.tool,
        "args": arguments(&call.args),
        "partialResult": { "content": [text(output)], "details": {} },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_their_calls() {
        let answer = json!({ "content": [
            { "type": "text", "text": "x" },
            { "type": "toolCall", "id": "a" },
            { "type": "toolCall", "id": "b" },
        ] });
        let result = |id: &str| json!({ "toolCallId": id });

        let ordered = in_order_of_calls(&answer, vec![result("b"), result("a")]);

        assert_eq!(ordered, [result("a"), result("b")]);
    }
}
