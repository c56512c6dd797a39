//! "Events" of the specification. A turn of the core is a run here, with one turn for each reply of the model.

use super::compaction::{compaction_start, compaction_v0_14, scheduled, summary_retry};
use super::messages::{bare_frame, bash, system_message, text, tool_message, tool_result, user};
use super::queue::{queue_update, queue_update_before};
use super::responses::response;
use super::stream::StreamingReply;
use super::{
    LogEntry, PiSession, PiState, Reply, RunState, V0_14, V0_87, V1_6, commands, dialogs, v0_14,
};
use crate::core::{Event, Failure, FailureSource, Prompt, Queues, ReportedCall};
use crate::model::{Chunk, Stop, arguments};
use crate::os::stdin::Input;
use crate::protocols::frames::present;
use crate::protocols::session::{LocalFuture, Protocol};
use crate::tools::{ToolOutput, ToolResult};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

impl Protocol for PiState {
    fn take(session: PiSession<'_>, input: Input) {
        let version = session.state().version;
        match version {
            V0_14 => v0_14::take(session, &input),
            _ => commands::take(session, &input),
        }
    }

    fn before_exit(&mut self, _at_once: bool) -> Option<LocalFuture> {
        let work = self.script.at_shutdown.take()?;
        Some(Box::pin(work.run()))
    }

    fn frames(&mut self, event: &Event<'_>) -> Vec<Value> {
        let is_v0_14 = self.version == V0_14;
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
            Event::ApprovalRequest { call, .. } if !is_v0_14 => {
                let mut frames = self.tool_start(call);
                frames.extend(dialogs::ask_permission(self, call));
                frames
            }
            Event::ToolStart { call, .. } => {
                let now = (self.clock.tick(), Instant::now());
                self.run.running_since.insert(call.id.clone(), now);
                self.tool_start(call)
            }
            Event::ToolProgress { call, output } if !is_v0_14 => vec![tool_update(call, output)],
            Event::ToolEnd { call, outcome, .. } => self.tool_end(call, outcome),
            Event::ToolCancel { call, .. } => {
                let why = match call.tool.as_str() {
                    _ if is_v0_14 => "Aborted",
                    "bash" => "Command aborted",
                    _ => "Operation aborted",
                };
                self.tool_end(call, &ToolResult::error(why))
            }
            Event::TurnEnd {
                halt, will_retry, ..
            } => self.run_ended(halt.is_some(), *will_retry),
            Event::Idle => self.settled(),
            Event::RetryStart(retry) => {
                let start = scheduled("auto_retry_start", retry);
                self.retry = Some(retry.attempt);
                let entry = self.take_back_failed_reply();
                std::iter::once(start).chain(entry).collect()
            }
            Event::RetryEnd { attempt, error } => self.retry_ended(*attempt, *error),
            Event::CompactionStart(reason) if !is_v0_14 => {
                self.compacting = Some(*reason);
                vec![compaction_start(*reason)]
            }
            Event::SummaryRetry(retry) if self.version >= V0_87 => vec![summary_retry(retry)],
            Event::CompactionEnd(summary) if is_v0_14 => vec![compaction_v0_14(summary)],
            Event::CompactionEnd(summary) => self.compacted(summary),
            Event::ShellCommandEnd(executed) => {
                let message = bash(executed, self.clock.tick());
                vec![json!({ "type": "bash_end", "message": message })]
            }
            Event::Failed { turn, failure } => self.failed(turn.is_some(), failure),
            _ => vec![],
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
        if first && self.version >= V0_87 {
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
        if self.version < V0_87 {
            return None;
        }
        let more = json!({ "targetId": id, "replacement": null });
        Some(self.append_visible_entry("context_edit", more))
    }

    /// The next request to the model ends the turn before it.
    fn next_turn(&mut self) -> Vec<Value> {
        let level = Some(&self.thinking_level).filter(|level| !level.is_empty());
        self.run.level = level.filter(|_| self.version >= V1_6).cloned();
        let had_calls = !self.run.results.is_empty();
        let mut frames = self.turn_end();
        if !frames.is_empty() {
            if self.queue_starts_runs && !had_calls && !self.run.dequeued.is_empty() {
                frames.push(self.agent_end(false));
                frames.push(bare_frame("agent_start"));
            }
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
        let mut results = std::mem::take(&mut self.run.results);
        let mut frames = Vec::new();
        if self.version > V0_14 && !self.results_at_once {
            results = in_order_of_calls(&answer, results);
            let messages = results.iter().cloned();
            frames.extend(messages.flat_map(|message| self.message(message)));
        }
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
                Stop::MaxTokens | Stop::ModelContextWindowExceeded => ("length", None),
                Stop::Refusal => ("error", Some("The model refused to go on.")),
                _ if reply.has_calls() => ("toolUse", None),
                _ => ("stop", None),
            };
            frames.extend(self.answer(reason, error));
            self.log.unmeasured = false;
        }
        frames
    }

    /// The reply that is streaming. Starts one if there is none.
    fn reply(&mut self, frames: &mut Vec<Value>) -> &mut StreamingReply {
        let (version, model_info, clock) = (self.version, &self.model_info, &mut self.clock);
        self.run.reply.get_or_insert_with(|| {
            let reply = StreamingReply::new(version, model_info.clone(), clock.tick())
                .asked_for(self.run.level.clone());
            frames.push(json!({ "type": "message_start", "message": reply.partial() }));
            if version == V0_14 {
                frames.push(reply.start());
            }
            reply
        })
    }

    fn answer(&mut self, reason: &str, error: Option<&str>) -> Vec<Value> {
        let mut frames = Vec::new();
        let message = self.reply(&mut frames).message(reason, error);
        self.run.reply = None;
        self.run.answer = Some(message.clone());
        if self.version == V0_14 {
            frames.push(StreamingReply::end(&message));
        }
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
        if self.version > V0_14 {
            self.run.started_calls.push(call.id.clone());
        }
        if let Some(parent) = &call.parent {
            let record = json!({ "id": call.id, "name": call.tool, "arguments": call.args, "status": "unfinished" });
            self.run.nested_calls.push((parent.clone(), record));
        }
        vec![present(json!({
            "type": "tool_execution_start",
            "toolCallId": call.id,
            "toolName": call.tool,
            "args": arguments(&call.args),
            "parentToolCallId": call.parent,
        }))]
    }

    fn tool_end(&mut self, call: &ReportedCall, outcome: &ToolResult) -> Vec<Value> {
        let is_v0_14 = self.version == V0_14;
        let mut outcome = outcome.clone();
        if !outcome.ok && !is_v0_14 {
            outcome.details.get_or_insert_with(|| json!({}));
        }
        let now = self.clock.tick();
        let since = self.run.running_since.remove(&call.id);
        let duration = since
            .filter(|_| self.version >= V1_6)
            .map(|(counted, began)| duration_ms(now - counted, began.elapsed()));
        let mut message = tool_message(call, &outcome, now);
        let mut frames = Vec::new();
        if call.parent.is_none() {
            frames = self.end_nested_calls(call, &mut message);
            self.run.results.push(message.clone());
        }
        let result = match &outcome.output {
            ToolOutput::Text(why) if !outcome.ok && is_v0_14 => json!(why),
            _ => tool_result(&outcome),
        };
        if call.parent.is_some() {
            self.record_nested_end(call, &outcome, duration);
        }
        frames.push(present(json!({
            "type": "tool_execution_end",
            "toolCallId": call.id,
            "toolName": call.tool,
            "result": result,
            "isError": !outcome.ok,
            "durationMs": duration,
            "parentToolCallId": call.parent,
        })));
        if call.parent.is_none() && (is_v0_14 || self.results_at_once) {
            frames.extend(self.message(message));
        }
        frames
    }

    fn record_nested_end(&mut self, call: &ReportedCall, outcome: &ToolResult, ms: Option<u64>) {
        let mut records = self.run.nested_calls.iter_mut();
        let Some((_, record)) = records.find(|(_, record)| record["id"] == *call.id) else {
            return;
        };
        record["status"] = json!(if outcome.ok { "ok" } else { "error" });
        if let Some(ms) = ms {
            record["durationMs"] = json!(ms);
        }
        if let ToolOutput::Text(why) = &outcome.output
            && !outcome.ok
        {
            record["error"] = json!(why);
        }
    }

    /// Ends the calls that a tool made and that are open, and records all of them in the tool's result message.
    fn end_nested_calls(&mut self, call: &ReportedCall, message: &mut Value) -> Vec<Value> {
        let calls = std::mem::take(&mut self.run.nested_calls);
        let (own, others) = calls
            .into_iter()
            .partition(|(parent, _)| *parent == call.id);
        self.run.nested_calls = others;
        let records: Vec<Value> = Vec::into_iter(own).map(|(_, record)| record).collect();
        if records.is_empty() {
            return vec![];
        }
        let open = records
            .iter()
            .filter(|record| record["status"] == "unfinished");
        let ends = open.map(|record| {
            json!({
                "type": "tool_execution_end",
                "toolCallId": record["id"],
                "toolName": record["name"],
                "result": { "content": [text("Operation aborted")], "details": {} },
                "isError": true,
                "parentToolCallId": call.id,
            })
        });
        let ends = ends.collect();
        message["nestedCalls"] = json!({ "calls": records, "complete": true });
        ends
    }

    /// An aborted run ends with a message that reports it, in a turn of its own if a tool was running.
    fn run_ended(&mut self, halted: bool, again: bool) -> Vec<Value> {
        if std::mem::take(&mut self.leaves_run_open) {
            self.run = RunState::default();
            return vec![];
        }
        self.aborted = halted;
        let mut frames = Vec::new();
        if halted {
            frames.extend(self.next_turn());
            let why = match self.version {
                V0_14 => "Request was aborted.",
                _ => "This operation was aborted",
            };
            frames.extend(self.answer("aborted", Some(why)));
        }
        frames.extend(self.turn_end());
        self.run.active = false;
        frames.push(self.agent_end(again));
        frames.extend(self.work_ended());
        self.save_session();
        frames
    }

    fn agent_end(&mut self, again: bool) -> Value {
        let messages = std::mem::take(&mut self.run.messages);
        let will_retry = (self.version >= V0_87).then_some(again);
        present(json!({ "type": "agent_end", "messages": messages, "willRetry": will_retry }))
    }

    fn retry_ended(&mut self, attempt: u32, error: Option<&str>) -> Vec<Value> {
        let mut frames = Vec::new();
        self.aborted |= !self.pending_aborts.is_empty();
        if self.retry.take().is_some() {
            frames.push(retry_end(attempt, error));
        }
        frames.extend(self.work_ended());
        frames
    }

    /// The run is over, with all of its retries and queued messages.
    fn settled(&mut self) -> Vec<Value> {
        let unsettled = std::mem::take(&mut self.unsettled);
        if self.version < V0_87 {
            return vec![];
        }
        let aborted = (self.version >= V1_6).then_some(std::mem::take(&mut self.aborted));
        let settled =
            unsettled.then(|| present(json!({ "type": "agent_settled", "aborted": aborted })));
        settled.into_iter().chain(self.answer_aborts()).collect()
    }

    /// A run, its retries or a compaction ended: answers the aborts, in versions where they do not wait for `agent_settled`.
    pub(super) fn work_ended(&mut self) -> Vec<Value> {
        match self.version {
            V0_87 | V1_6 => vec![],
            _ => self.answer_aborts(),
        }
    }

    fn answer_aborts(&mut self) -> Vec<Value> {
        let ids = std::mem::take(&mut self.pending_aborts).into_iter();
        ids.filter_map(|id| response(&id, "abort", Ok(Reply::Done)))
            .collect()
    }

    fn failed(&mut self, in_run: bool, failure: &Failure) -> Vec<Value> {
        match (failure.source, self.compacting.take_if(|_| !in_run)) {
            (_, Some(reason)) => self.compaction_failed(reason, failure),
            (FailureSource::Provider, None) if in_run => {
                self.answer("error", Some(&failure.message))
            }
            (FailureSource::Config, None) => vec![],
            _ if self.version == V0_14 => {
                vec![json!({ "type": "error", "error": failure.message })]
            }
            _ => {
                tracing::error!("{}", failure.message);
                vec![]
            }
        }
    }
}

/// How long a tool took: in half seconds, and a shorter time is counted, so that quick tools give the same bytes every time.
fn duration_ms(counted: u64, elapsed: Duration) -> u64 {
    let halves = elapsed.as_secs() * 2 + u64::from(elapsed.subsec_millis() >= 500);
    counted.max(halves * 500)
}

fn retry_end(attempt: u32, error: Option<&str>) -> Value {
    present(json!({
        "type": "auto_retry_end", "success": error.is_none(), "attempt": attempt, "finalError": error,
    }))
}

fn in_order_of_calls(answer: &Value, mut results: Vec<Value>) -> Vec<Value> {
    let calls = answer["content"].as_array().into_iter().flatten();
    let ids: Vec<_> = calls.filter_map(|block| block["id"].as_str()).collect();
    results.sort_by_key(|result| ids.iter().position(|id| result["toolCallId"] == **id));
    results
}

fn tool_update(call: &ReportedCall, output: &str) -> Value {
    present(json!({
        "type": "tool_execution_update",
        "toolCallId": call.id,
        "toolName": call.tool,
        "args": arguments(&call.args),
        "partialResult": { "content": [text(output)], "details": {} },
        "parentToolCallId": call.parent,
    }))
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
