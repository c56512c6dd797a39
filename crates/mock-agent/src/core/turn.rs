//! A turn: the user's prompt, then requests to the model and tool calls until the model requests no more tools.

use super::attachments;
use super::call_runner::run_calls;
use super::event::Event;
use super::failure::{Failure, FailureSource, Halt};
use super::hooks::{After, ExtraRequest};
use super::model_request::{collect_reply, stream_reply};
use super::queues::Prompt;
use super::reply::ReplyBuilder;
use super::retry::RetryState;
use super::state::SessionState;
use super::tool_calls::{ToolCalls, requested_calls};
use super::turn_context::{StopSignal, TurnContext, TurnUsage};
use crate::model::Stop;
use crate::model::message::ContentBlock;
use std::cell::{Cell, RefCell};
use std::time::Duration;

/// A turn that runs or is about to.
pub(crate) struct Turn {
    pub(super) prompt: Prompt,
    /// Its model, by the name of the model's API.
    model: String,
    pub(super) calls: ToolCalls,
    usage: TurnUsage,
    pub(super) stop: StopSignal,
    /// The reply that is streaming in.
    partial: RefCell<ReplyBuilder>,
    /// The failure of the model that has ended the turn.
    failure: Cell<Option<Failure>>,
    /// Whether the session stays busy after the turn. Only a fault sets this.
    stays_busy: Cell<bool>,
}

/// The time that abandoned work gets to start. Only a fault abandons work.
const HEAD_START: Duration = Duration::from_millis(200);

impl Turn {
    pub(super) fn new(prompt: Prompt, model: String) -> Self {
        Turn {
            prompt,
            model,
            calls: ToolCalls::default(),
            usage: TurnUsage::default(),
            stop: StopSignal::default(),
            partial: RefCell::default(),
            failure: Cell::default(),
            stays_busy: Cell::default(),
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.prompt.turn
    }

    pub(super) fn stays_busy(&self) -> bool {
        self.stays_busy.get()
    }

    /// Takes the failure that has ended the turn.
    pub(super) fn take_failure(&self) -> Option<Failure> {
        self.failure.take()
    }

    /// Runs the turn, and reports its end.
    pub(super) async fn run(&self, state: &SessionState, retry: &RetryState) {
        let hooks = &state.hooks;
        if hooks.stops_turn_at_start() {
            self.stop.send(Halt::Stop);
        }
        let turn = TurnContext {
            state,
            id: self.id(),
            model: &self.model,
            usage: &self.usage,
            stop: &self.stop,
        };
        let mut work = Box::pin(self.work(turn));
        let halt = tokio::select! {
            biased;
            halt = self.stop.wait() => Some(halt),
            () = &mut work => None,
        };
        if let Some(halt) = halt {
            if hooks.abandons_work(halt, self.calls.any_open()) {
                let _ = tokio::time::timeout(HEAD_START, &mut work).await;
                std::mem::forget(work);
            } else {
                drop(work);
            }
            self.clean_up(turn, halt);
        }
        self.usage.finish_request();
        let saved = match hooks.saves_turn() {
            true => state.conversation.borrow_mut().save(),
            false => Ok(()),
        };
        if let Err(error) = saved {
            let why = format!("The session could not be saved: {error}");
            turn.emit_failure(&Failure::permanent(FailureSource::Internal, why));
        }
        let silent = halt.is_some_and(|halt| !hooks.reports_turn_end(halt));
        if silent || self.stays_busy() {
            return;
        }
        self.stays_busy
            .set(halt == Some(Halt::Stop) && hooks.stays_busy(After::Stop));
        let first_model = &state.settings.model;
        if *state.model_name.borrow() != *first_model && hooks.resets_model(After::Turn) {
            state.set_model(first_model, None);
        }
        let failure = self.failure.take();
        let will_retry = halt.is_none() && retry.will_retry(state, failure.as_ref());
        self.failure.set(failure);
        state.events.emit(&Event::TurnEnd {
            turn: turn.id,
            usage: self.usage.total(),
            halt,
            will_retry,
        });
    }

    async fn work(&self, turn: TurnContext<'_>) {
        let state = turn.state;
        match self.prompt_content(state) {
            Ok(_) if self.prompt.resumes => {}
            Ok(content) => {
                let mut conversation = state.conversation.borrow_mut();
                state.hooks.on_turn_prompt(&mut conversation.messages);
                conversation.push_user(content);
            }
            Err(why) => {
                let failure = Failure::permanent(FailureSource::Protocol, why);
                return turn.emit_failure(&failure);
            }
        }
        deliver_queued(state, false);
        let extra = state.hooks.request_before_turn(&self.prompt.text);
        send_extra(turn, extra).await;
        for _ in 0..state.settings.max_turns {
            state.events.emit(&Event::ModelRequest);
            let mut reply = stream_reply(&turn, &self.partial).await;
            if reply.as_ref().is_err_and(|error| !error.retryable)
                && state.hooks.repeats_refused_request()
            {
                reply = stream_reply(&turn, &self.partial).await;
            }
            let reply = match reply {
                Ok(reply) => reply,
                Err(error) => return self.fail(turn, error.into()),
            };
            report_stop_reason(turn, reply.stop);
            if reply.content.is_empty() && state.hooks.stays_busy(After::EmptyReply) {
                self.stays_busy.set(true);
            }
            let calls = requested_calls(&reply.content);
            if calls.is_empty() {
                let extra = {
                    let conversation = state.conversation.borrow();
                    state.hooks.request_after_turn(&conversation.messages)
                };
                send_extra(turn, extra).await;
            }
            state
                .conversation
                .borrow_mut()
                .push_assistant(reply.content);
            if calls.is_empty() {
                if deliver_queued(state, true) {
                    continue;
                }
                return;
            }
            let denied = run_calls(turn, &self.calls, calls).await;
            let results = state.hooks.tool_results(self.calls.take_results());
            state.conversation.borrow_mut().push_user(results);
            if state.hooks.ends_turn_after_tools(denied) {
                return;
            }
            deliver_queued(state, false);
        }
        let limit = state.settings.max_turns;
        let text = format!("Stopped: the limit of {limit} model turns (--max-turns) is reached");
        turn.emit_notice(&text);
    }

    /// The user's text with the attachments.
    fn prompt_content(&self, state: &SessionState) -> Result<Vec<ContentBlock>, String> {
        let (root, hooks) = (state.workspace.root(), &state.hooks);
        let files = hooks.attached_files(&self.prompt.files).iter();
        let mut content = files
            .map(|path| attachments::load(path, root).map(|file| hooks.attachment(file)))
            .collect::<Result<Vec<_>, _>>()?;
        if !self.prompt.text.is_empty() || content.is_empty() {
            content.push(ContentBlock::Text(hooks.prompt_text(&self.prompt.text)));
        }
        content.extend_from_slice(&self.prompt.blocks);
        Ok(content)
    }

    /// Ends the turn with a failure of the model.
    fn fail(&self, turn: TurnContext<'_>, failure: Failure) {
        let state = turn.state;
        state.forget(After::ModelError);
        if state.hooks.resets_model(After::ModelError) {
            state.set_model(&state.settings.model, None);
        }
        turn.emit_failure(&failure);
        self.failure.set(Some(failure));
        if state.hooks.exits(After::ModelError) {
            state.events.outbox.exit(0);
        }
        self.stays_busy
            .set(state.hooks.stays_busy(After::ModelError));
    }

    /// Cancels the open calls of a stopped turn, and keeps the text of its incomplete reply.
    fn clean_up(&self, turn: TurnContext<'_>, halt: Halt) {
        let (state, stopped) = (turn.state, halt == Halt::Stop);
        let reason = match halt {
            Halt::Stop => "Stopped by user",
            Halt::Exit => "The agent is shutting down",
        };
        let mut conversation = state.conversation.borrow_mut();
        conversation.push_assistant(self.partial.take().into_text_blocks());
        let silent = stopped && self.calls.any_open() && !state.hooks.reports_cancelled_calls();
        for call in self.calls.cancel_all(reason) {
            if !silent {
                state.events.emit(&Event::ToolCancel {
                    turn: turn.id,
                    call: &call,
                    reason,
                });
            }
        }
        conversation.push_user(self.calls.take_results());
        drop(conversation);
        if stopped {
            state.forget(After::Stop);
        }
        if stopped && state.hooks.reports_stop_as_failure() {
            turn.emit_failure(&Failure::permanent(FailureSource::Internal, "Cancelled"));
        }
    }
}

/// Sends a request that is no part of the conversation. Its reply is not used.
async fn send_extra(turn: TurnContext<'_>, extra: Option<ExtraRequest>) {
    let Some(extra) = extra else {
        return;
    };
    let tools = match extra.tools {
        true => turn.state.tools.specs(),
        false => vec![],
    };
    let mut request = turn.state.settings.request(&extra.messages, &tools);
    request.model = turn.model;
    request.system = extra.system.unwrap_or(request.system);
    let _ = collect_reply(turn.state, &request).await;
}

/// Adds the queued prompts that are due to the conversation. False if there are none.
fn deliver_queued(state: &SessionState, done: bool) -> bool {
    let queues = &state.queues;
    let prompts = &state.hooks.due_prompts(queues, done);
    for prompt in prompts {
        match done {
            true => state.prompts.on_prompt(&prompt.text),
            false => state.prompts.on_steering(&prompt.text),
        }
        let mut content = vec![ContentBlock::Text(prompt.text.clone())];
        content.extend_from_slice(&prompt.blocks);
        state.conversation.borrow_mut().push_user(content);
    }
    if prompts.is_empty() {
        return false;
    }
    let event = Event::PromptsDelivered { prompts, queues };
    state.events.emit(&event);
    true
}

/// Reports why a reply is not complete.
fn report_stop_reason(turn: TurnContext<'_>, stop: Stop) {
    match stop {
        Stop::MaxTokens => {
            let limit = turn.state.settings.max_tokens;
            turn.emit_notice(&format!(
                "The reply was cut off: the limit of {limit} output tokens is reached"
            ));
        }
        Stop::Refusal => turn.emit_notice("The model refused to go on"),
        _ => {}
    }
}
