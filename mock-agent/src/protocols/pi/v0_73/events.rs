//! "Events" of the page. A turn of the core is a run here, and has a turn for each reply of the model.

use super::super::messages::{arguments, text, tool_message, tool_result, user};
use super::super::stream::{Form, Reply};
use super::compactions::{started, summary_retry};
use super::dialogs;
use super::responses::response;
use super::state::{Modern, Run};
use crate::core::call::{Call, Outcome};
use crate::core::event::Event;
use crate::core::event_sink::EventEncoder;
use crate::core::failure::{Code, Failure};
use crate::core::message::Prompt;
use crate::core::message::Stop;
use crate::core::queues::Queues;
use crate::model::Chunk;
use serde_json::{Value, json};

/// What a message that was cut short says.
const CUT: &str = "This operation was aborted";

impl EventEncoder for Modern {
    fn encode(&mut self, event: &Event<'_>) -> Vec<Value> {
        match event {
            Event::Ready(hello) => {
                self.model_info = hello.model_info.clone();
                vec![]
            }
            Event::TurnStart { prompt, .. } => self.run_starts(prompt),
            Event::ModelRequest => self.next_turn(),
            Event::PromptsDelivered { prompts, queues } => self.heard(prompts, queues),
            Event::ModelChunk { chunk, .. } => self.said(chunk),
            Event::ToolRefused { call, failure, .. } => {
                let mut frames = self.tool_start(call);
                frames.extend(self.tool_end(call, &Outcome::error(&failure.message)));
                frames
            }
            Event::ApprovalRequest { call, .. } => {
                let mut frames = self.tool_start(call);
                frames.extend(dialogs::permission(self, call));
                frames
            }
            Event::ToolStart { call, .. } => self.tool_start(call),
            Event::ToolProgress { call, output, .. } => vec![tool_update(call, output)],
            Event::ToolEnd { call, outcome, .. } => self.tool_end(call, outcome),
            Event::ToolCancel { call, reason, .. } => self.tool_end(call, &Outcome::error(*reason)),
            Event::TurnEnd { halt, again, .. } => self.run_ends(halt.is_some(), *again),
            Event::Idle => self.settled(),
            Event::RetryStart {
                attempt,
                of,
                delay,
                failure,
            } => vec![json!({
                "type": "auto_retry_start",
                "attempt": attempt,
                "maxAttempts": of,
                "delayMs": delay.as_millis() as u64,
                "errorMessage": failure.message,
            })],
            Event::RetryEnd { attempt, error } => self.retry_ends(*attempt, *error),
            Event::CompactionStart(reason) => {
                self.compacting = Some(*reason);
                vec![started(*reason)]
            }
            Event::SummaryRetry(retry) => self
                .later
                .is_some()
                .then(|| summary_retry(retry))
                .into_iter()
                .collect(),
            Event::CompactionEnd(summary) => self.compacted(summary),
            Event::Failed { turn, failure } => self.failed(turn.is_some(), failure),
            Event::McpServerConnected { .. }
            | Event::ShellCommandEnd(_)
            | Event::Subagent { .. }
            | Event::Notice { .. } => vec![],
        }
    }
}

impl Modern {
    fn run_starts(&mut self, prompt: &Prompt) -> Vec<Value> {
        self.run = Run {
            active: true,
            ..Run::default()
        };
        let mut frames = vec![kind("agent_start"), kind("turn_start")];
        let clock = &mut self.clock;
        let instructions = self.later.as_mut().and_then(|later| later.begin_run(clock));
        if let Some(message) = instructions {
            frames.extend(self.whole(message));
        }
        if !prompt.resumes {
            let message = user(prompt, self.clock.tick());
            frames.extend(self.whole(message));
        }
        frames
    }

    /// The frames of a message that does not stream.
    fn whole(&mut self, message: Value) -> [Value; 2] {
        let start = json!({ "type": "message_start", "message": message });
        [start, self.message_end(message)]
    }

    fn message_end(&mut self, message: Value) -> Value {
        self.run.messages.push(message.clone());
        self.enter(message.clone());
        json!({ "type": "message_end", "message": message })
    }

    /// What was queued goes with the next request.
    fn heard(&mut self, prompts: &[Prompt], queues: &Queues) -> Vec<Value> {
        let messages: Vec<_> = prompts
            .iter()
            .map(|prompt| user(prompt, self.clock.tick()))
            .collect();
        self.run.heard.extend(messages);
        vec![queue_update(queues)]
    }

    /// The model is asked again: the turn before is over.
    fn next_turn(&mut self) -> Vec<Value> {
        let mut frames = self.turn_end();
        if !frames.is_empty() {
            frames.push(kind("turn_start"));
        }
        for message in std::mem::take(&mut self.run.heard) {
            frames.extend(self.whole(message));
        }
        frames
    }

    fn turn_end(&mut self) -> Vec<Value> {
        let Some(answer) = self.run.answer.take() else {
            return vec![];
        };
        let results = in_order_of_calls(&answer, std::mem::take(&mut self.run.ended));
        let mut frames: Vec<_> = results
            .iter()
            .flat_map(|message| self.whole(message.clone()))
            .collect();
        frames.push(json!({ "type": "turn_end", "message": answer, "toolResults": results }));
        frames.extend(self.script.thrown("turn_end"));
        frames
    }

    fn said(&mut self, chunk: &Chunk) -> Vec<Value> {
        let mut frames = Vec::new();
        let reply = self.reply(&mut frames);
        frames.extend(reply.add(chunk));
        if let Chunk::Stop(stop) = chunk {
            let (reason, error) = match stop {
                Stop::MaxTokens => ("length", None),
                Stop::Refusal => ("error", Some("The model refused to go on.")),
                Stop::End | Stop::ToolUse if reply.has_calls() => ("toolUse", None),
                Stop::End | Stop::ToolUse => ("stop", None),
            };
            frames.extend(self.answer(reason, error));
            self.log.unmeasured = false;
        }
        frames
    }

    /// The reply that streams in; begins it if there is none.
    fn reply(&mut self, frames: &mut Vec<Value>) -> &mut Reply {
        let (model_info, clock) = (&self.model_info, &mut self.clock);
        let form = match self.later {
            None => Form::Whole,
            Some(_) => Form::Deltas,
        };
        self.run.reply.get_or_insert_with(|| {
            let reply = Reply::new(form, model_info.clone(), clock.tick());
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
        frames
    }

    fn tool_start(&mut self, call: &Call) -> Vec<Value> {
        if self.run.started.contains(&call.id) {
            return vec![];
        }
        self.run.started.push(call.id.clone());
        vec![json!({
            "type": "tool_execution_start",
            "toolCallId": call.id,
            "toolName": call.tool,
            "args": arguments(&call.args),
        })]
    }

    fn tool_end(&mut self, call: &Call, outcome: &Outcome) -> Vec<Value> {
        let message = tool_message(call, outcome, self.clock.tick());
        self.run.ended.push(message);
        vec![json!({
            "type": "tool_execution_end",
            "toolCallId": call.id,
            "toolName": call.tool,
            "result": tool_result(outcome),
            "isError": !outcome.ok,
        })]
    }

    /// An aborted run ends with a message that says so, in a turn of its own if a tool was at work.
    fn run_ends(&mut self, halted: bool, again: bool) -> Vec<Value> {
        let mut frames = Vec::new();
        if halted {
            frames.extend(self.next_turn());
            frames.extend(self.answer("aborted", Some(CUT)));
        }
        frames.extend(self.turn_end());
        let messages = std::mem::take(&mut self.run.messages);
        self.run.active = false;
        let mut end = json!({ "type": "agent_end", "messages": messages });
        if self.later.is_some() {
            end["willRetry"] = json!(again);
        }
        frames.push(end);
        frames.extend(self.aborted());
        self.save();
        frames
    }

    fn retry_ends(&mut self, attempt: u32, error: Option<&str>) -> Vec<Value> {
        let mut frame =
            json!({ "type": "auto_retry_end", "success": error.is_none(), "attempt": attempt });
        if let Some(error) = error {
            frame["finalError"] = json!(error);
        }
        let mut frames = vec![frame];
        frames.extend(self.aborted());
        frames
    }

    /// Nothing goes on by itself any more.
    fn settled(&mut self) -> Vec<Value> {
        let Some(later) = &mut self.later else {
            return vec![];
        };
        let unsettled = std::mem::take(&mut later.unsettled);
        let mut frames: Vec<_> = unsettled
            .then(|| kind("agent_settled"))
            .into_iter()
            .collect();
        frames.extend(self.answer_aborts());
        frames
    }

    /// Answers the aborts that waited for the end of what is over now; later versions let them wait for all to settle.
    pub(super) fn aborted(&mut self) -> Vec<Value> {
        match self.later {
            None => self.answer_aborts(),
            Some(_) => vec![],
        }
    }

    fn answer_aborts(&mut self) -> Vec<Value> {
        let ids = std::mem::take(&mut self.aborts).into_iter();
        ids.map(|id| response(id.as_ref(), "abort", Ok(None)))
            .collect()
    }

    fn failed(&mut self, in_run: bool, failure: &Failure) -> Vec<Value> {
        match (failure.code, self.compacting.take_if(|_| !in_run)) {
            (_, Some(reason)) => self.not_compacted(reason, failure),
            (Code::Provider, None) if in_run => self.answer("error", Some(&failure.message)),
            _ => {
                tracing::error!("{}", failure.message);
                vec![]
            }
        }
    }
}

/// The results of a reply's calls, in the order in which the reply has the calls.
fn in_order_of_calls(answer: &Value, mut results: Vec<Value>) -> Vec<Value> {
    let calls = answer["content"].as_array().into_iter().flatten();
    let ids: Vec<_> = calls.filter_map(|block| block["id"].as_str()).collect();
    results.sort_by_key(|result| ids.iter().position(|id| result["toolCallId"] == **id));
    results
}

pub(super) fn kind(kind: &str) -> Value {
    json!({ "type": kind })
}

fn tool_update(call: &Call, output: &str) -> Value {
    json!({
        "type": "tool_execution_update",
        "toolCallId": call.id,
        "toolName": call.tool,
        "args": arguments(&call.args),
        "partialResult": { "content": [text(output)], "details": {} },
    })
}

/// What waits in the queues.
pub(super) fn queue_update(queues: &Queues) -> Value {
    json!({
        "type": "queue_update",
        "steering": queues.steering.texts(),
        "followUp": queues.following.texts(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_their_calls() {
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
