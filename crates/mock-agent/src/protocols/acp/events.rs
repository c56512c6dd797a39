//! The events of a session of the core as frames.

use super::rpc;
use super::state::{text, updated_at};
use super::{AcpState, Pending, tools};
use crate::core::{ABORTED, Decision, Event, Halt, ReportedCall, Session};
use crate::model::{BlockStart, Chunk, Stop, Usage};
use crate::protocols::frames::extended;
use crate::tools::{ToolOutput, ToolResult};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// What the client can answer to a request for a permission: the id, which is the kind with hyphens, and the name.
const OPTIONS: [(&str, &str); 4] = [
    ("allow_once", "Allow once"),
    ("allow_always", "Always allow"),
    ("reject_once", "Reject"),
    ("reject_always", "Always reject"),
];

/// The frames of an event in a session.
pub(super) fn frames(shared: &Rc<RefCell<AcpState>>, id: &str, event: &Event<'_>) -> Vec<Value> {
    let mut state = shared.borrow_mut();
    let Some(core) = state.sessions.get(id).map(|open| Rc::clone(&open.core)) else {
        return vec![];
    };
    Encoder {
        state: &mut state,
        id,
        core,
        frames: Vec::new(),
    }
    .encode(event)
}

struct Encoder<'a> {
    state: &'a mut AcpState,
    id: &'a str,
    core: Rc<Session>,
    frames: Vec<Value>,
}

impl Encoder<'_> {
    fn encode(mut self, event: &Event<'_>) -> Vec<Value> {
        match event {
            Event::TurnStart { .. } => self.with_prompt(|prompt| {
                prompt.started = true;
                prompt.failure = None;
            }),
            Event::ModelRequest => self.with_prompt(|prompt| prompt.requests += 1),
            Event::ModelChunk { chunk, .. } => self.chunk(chunk),
            Event::ApprovalRequest { call, .. } => self.ask(call),
            Event::ToolRefused { call, failure, .. } => {
                self.announce(call);
                self.call_update(
                    call,
                    json!({ "status": "failed", "content": [content(&failure.message)] }),
                );
            }
            Event::ToolStart { call, .. } => {
                self.announce(call);
                self.call_update(call, json!({ "status": "in_progress" }));
            }
            Event::ToolProgress { call, output } => {
                self.call_update(call, json!({ "content": [content(output)] }));
            }
            Event::ToolShows { call, content } => {
                self.call_update(call, json!({ "content": [content] }));
            }
            Event::ToolEnd { call, outcome, .. } => self.call_update(call, ended(outcome)),
            Event::ToolCancel { call, reason, .. } => {
                self.cancel_permission(&call.id);
                self.call_update(
                    call,
                    json!({ "status": "failed", "content": [content(reason)] }),
                );
            }
            Event::Notice { text, .. } => self.notice("warning", text),
            Event::RetryStart(retry) => {
                let title = format!(
                    "{}, retrying ({}/{})",
                    retry.failure.message, retry.attempt, retry.of
                );
                self.notice("warning", &title);
            }
            Event::Failed { turn, failure } => {
                self.failed(turn.is_some(), &failure.message, failure.retryable)
            }
            Event::TurnEnd { halt, .. } => {
                let (max, halted) = (self.core.settings.max_turns, *halt == Some(Halt::Exit));
                self.with_prompt(|prompt| {
                    prompt.cancelled |= halted;
                    if prompt.stop == "max_turn_requests" && prompt.requests < max {
                        prompt.stop = "end_turn";
                    }
                });
            }
            Event::CompactionStart(_) => self.compaction_starts(),
            Event::CompactionEnd(summary) => {
                if let Some(compaction) = self.compaction() {
                    let summary = text(&summary.text);
                    self.update(json!({ "sessionUpdate": "compaction_summary_chunk", "compactionId": compaction, "content": summary }));
                    self.update(json!({ "sessionUpdate": "compaction_update", "compactionId": compaction, "status": "completed", "summary": [summary] }));
                }
                if !self.state.takes("compaction_update") {
                    self.say("The conversation was compacted.");
                }
            }
            Event::Idle => {
                let is_over = self.state.sessions[self.id]
                    .prompt
                    .as_ref()
                    .is_some_and(|prompt| prompt.started);
                if is_over {
                    self.frames = finish(self.state, self.id);
                }
            }
            _ => {}
        }
        self.frames
    }

    fn update(&mut self, update: Value) {
        let frame = self.state.update(self.id, update);
        self.frames.extend(frame);
    }

    fn with_prompt(&mut self, change: impl FnOnce(&mut super::OpenPrompt)) {
        let open = self.state.sessions.get_mut(self.id);
        open.and_then(|open| open.prompt.as_mut()).map(change);
    }

    /// A whole message of the agent.
    fn say(&mut self, said: &str) {
        if let Some(open) = self.state.sessions.get_mut(self.id) {
            let message = open.next_message();
            self.update(json!({ "sessionUpdate": "agent_message_chunk", "messageId": message, "content": text(said) }));
        }
    }

    fn notice(&mut self, severity: &str, title: &str) {
        self.update(json!({ "sessionUpdate": "notice", "severity": severity, "title": title }));
    }

    fn chunk(&mut self, chunk: &Chunk) {
        let Some(open) = self.state.sessions.get_mut(self.id) else {
            return;
        };
        let (kind, said) = match chunk {
            Chunk::Start {
                block: BlockStart::Text | BlockStart::Thinking,
                ..
            } => {
                open.next_message();
                return;
            }
            Chunk::Text { text, .. } => ("agent_message_chunk", text),
            Chunk::Thinking { text, .. } => ("agent_thought_chunk", text),
            Chunk::Usage(usage) => return self.with_prompt(|prompt| prompt.usage = *usage),
            Chunk::Stop(stop) => return self.reply_ended(*stop),
            _ => return,
        };
        if !said.is_empty() {
            let message = open.message();
            self.update(
                json!({ "sessionUpdate": kind, "messageId": message, "content": text(said) }),
            );
        }
    }

    fn reply_ended(&mut self, stop: Stop) {
        let mut usage = Usage::default();
        self.with_prompt(|prompt| {
            prompt.stop = match stop {
                Stop::MaxTokens | Stop::ModelContextWindowExceeded => "max_tokens",
                Stop::Refusal => "refusal",
                Stop::ToolUse => "max_turn_requests",
                _ => "end_turn",
            };
            usage = prompt.usage;
        });
        let (rates, window) = (self.state.model_info.rates, self.state.model_info.window);
        let counts = [
            (usage.input, rates.input),
            (usage.output, rates.output),
            (usage.cache_read, rates.cache_read),
            (usage.cache_write, rates.cache_write),
        ];
        let Some(open) = self.state.sessions.get_mut(self.id) else {
            return;
        };
        open.cost += counts
            .map(|(count, rate)| count as f64 * rate / 1e6)
            .iter()
            .sum::<f64>();
        let cost = json!({ "amount": open.cost, "currency": "USD" });
        self.update(json!({ "sessionUpdate": "usage_update", "used": usage.context(), "size": window, "cost": cost }));
    }

    /// Announces a call, once.
    fn announce(&mut self, call: &ReportedCall) {
        let mut is_new = true;
        self.with_prompt(|prompt| is_new = prompt.calls.insert(call.id.clone()));
        if is_new {
            let update = json!({ "sessionUpdate": "tool_call" });
            self.update(extended(update, described(&self.core, call)));
        }
    }

    fn call_update(&mut self, call: &ReportedCall, change: Value) {
        let update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": call.id });
        self.update(extended(update, change));
    }

    /// Asks for the permission for a call, unless its kind is always rejected.
    fn ask(&mut self, call: &ReportedCall) {
        self.announce(call);
        if self.state.sessions[self.id]
            .rejected
            .contains(&call.category)
        {
            let (core, call) = (Rc::clone(&self.core), call.id.clone());
            tokio::task::spawn_local(async move {
                let reason = "calls of this kind are always rejected".to_owned();
                let _ = core.decide(&call, Decision::Deny { reason });
            });
            return;
        }
        let (session, id) = (self.id.to_owned(), call.id.clone());
        let request = self.state.open(Pending::Permission { session, call: id });
        let options = OPTIONS.map(|(kind, name)| json!({ "optionId": kind.replace('_', "-"), "name": name, "kind": kind }));
        let params = json!({ "sessionId": self.id, "toolCall": described(&self.core, call), "options": options });
        self.frames
            .push(rpc::request(request, "session/request_permission", params));
    }

    /// Cancels the open request for the permission for a call.
    fn cancel_permission(&mut self, call: &str) {
        let is_meant = |pending: &Pending| matches!(pending, Pending::Permission { session, call: known } if session == self.id && known == call);
        let mut pending = self.state.pending.iter();
        if let Some(request) = pending
            .find(|(_, one)| is_meant(one))
            .map(|(request, _)| *request)
        {
            self.state.pending.remove(&request);
            self.frames.push(rpc::cancel(request));
        }
    }

    fn compaction(&self) -> Option<String> {
        self.state.sessions[self.id]
            .prompt
            .as_ref()?
            .compaction
            .clone()
    }

    fn compaction_starts(&mut self) {
        let Some(open) = self.state.sessions.get_mut(self.id) else {
            return;
        };
        open.parts += 1;
        let compaction = format!("compaction-{}", open.parts);
        if let Some(prompt) = &mut open.prompt {
            prompt.started = true;
            prompt.compaction = Some(compaction.clone());
        }
        self.update(json!({ "sessionUpdate": "compaction_update", "compactionId": compaction, "status": "in_progress" }));
    }

    fn failed(&mut self, in_turn: bool, message: &str, retryable: bool) {
        if in_turn {
            return self
                .with_prompt(|prompt| prompt.failure = Some((message.to_owned(), retryable)));
        }
        let Some(compaction) = self.compaction() else {
            return self.notice("error", message);
        };
        let mut update = json!({ "sessionUpdate": "compaction_update", "compactionId": compaction, "status": "cancelled" });
        if message != ABORTED {
            update["status"] = json!("failed");
            update["error"] = json!(message);
            self.say(message);
        }
        self.update(update);
    }
}

/// Answers the prompt of a session, and saves what is kept of the session.
pub(super) fn finish(state: &mut AcpState, id: &str) -> Vec<Value> {
    let store = state.store.clone();
    let Some(open) = state.sessions.get_mut(id) else {
        return vec![];
    };
    let Some(prompt) = open.prompt.take() else {
        return vec![];
    };
    if let Some(store) = store {
        let saved = std::fs::write(store.companion(id), open.about().to_string());
        saved.unwrap_or_else(|why| tracing::warn!("the session could not be saved: {why}"));
    }
    let info = json!({
        "sessionUpdate": "session_info_update", "title": open.title, "updatedAt": updated_at(open.prompts),
    });
    let info = state.update(id, info);
    info.into_iter().chain([prompt.answer()]).collect()
}

fn content(shown: &str) -> Value {
    json!({ "type": "content", "content": text(shown) })
}

/// A call as it is announced.
fn described(core: &Session, call: &ReportedCall) -> Value {
    let mut described = json!({
        "toolCallId": call.id, "name": call.tool, "title": call.description,
        "kind": tools::kind(&call.tool), "status": "pending", "rawInput": call.args,
    });
    let path = call.args["file_path"]
        .as_str()
        .or(call.args["path"].as_str());
    if let Some(path) = path {
        let mut location = json!({ "path": core.workspace.given.join(path) });
        if let Some(line) = call.args["offset"].as_u64() {
            location["line"] = json!(line);
        }
        described["locations"] = json!([location]);
    }
    described
}

fn ended(outcome: &ToolResult) -> Value {
    let status = if outcome.ok { "completed" } else { "failed" };
    let (shown, raw) = match &outcome.output {
        ToolOutput::Text(shown) | ToolOutput::Diff { diff: shown, .. } => {
            (content(shown), json!({ "output": shown }))
        }
        ToolOutput::Image { media_type, data } => {
            let image = json!({ "type": "image", "mimeType": media_type, "data": data });
            (
                json!({ "type": "content", "content": image }),
                json!({ "mimeType": media_type }),
            )
        }
    };
    let shown = outcome.details.clone().unwrap_or_else(|| json!([shown]));
    json!({ "status": status, "content": shown, "rawOutput": raw })
}
