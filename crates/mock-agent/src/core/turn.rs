//! A turn: the user's prompt, then requests to the model and tool calls until the model requests no more tools.

use super::approval::ApprovalMode;
use super::attachments;
use super::call_runner::run_calls;
use super::event::Event;
use super::failure::{Failure, FailureSource, Halt};
use super::forgetting::forget;
use super::model_request::{collect_reply, stream_reply};
use super::queues::Prompt;
use super::reply::ReplyBuilder;
use super::retry::RetryState;
use super::state::SessionState;
use super::tool_calls::{ToolCalls, requested_calls, shorten};
use super::turn_context::{StopSignal, TurnContext, TurnUsage};
use crate::faults::{Bug, Faults};
use crate::model::Stop;
use crate::model::message::{ContentBlock, Message};
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
        let faults = &state.faults;
        if state.stops_next_turn.take() {
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
            if abandons_work(faults, halt, self.calls.any_open()) {
                let _ = tokio::time::timeout(HEAD_START, &mut work).await;
                std::mem::forget(work);
            } else {
                drop(work);
            }
            self.clean_up(turn, halt);
        }
        self.usage.finish_request();
        let mut conversation = state.conversation.borrow_mut();
        let unsaved = conversation.was_resumed && faults.triggers(Bug::ResumedStaysUnsaved);
        let saved = if unsaved { Ok(()) } else { conversation.save() };
        drop(conversation);
        if let Err(error) = saved {
            let why = format!("The session could not be saved: {error}");
            turn.emit_failure(&Failure::permanent(FailureSource::Internal, why));
        }
        let silent = match halt {
            Some(Halt::Stop) => faults.triggers(Bug::StopHasNoEnd),
            Some(Halt::Exit) => faults.triggers(Bug::ExitHasNoEnd),
            None => false,
        };
        if silent || self.stays_busy() {
            return;
        }
        self.stays_busy
            .set(halt == Some(Halt::Stop) && faults.triggers(Bug::StopLeavesBusy));
        let is_first_model = *state.model_name.borrow() == state.settings.model;
        if !is_first_model {
            state.reset_model_if(Bug::ModelLastsOneTurn);
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
        let faults = &state.faults;
        match self.prompt_content(state) {
            Ok(_) if self.prompt.resumes => {}
            Ok(content) => {
                let mut conversation = state.conversation.borrow_mut();
                forget(&mut conversation.messages, faults);
                conversation.push_user(content);
            }
            Err(why) => {
                let failure = Failure::permanent(FailureSource::Protocol, why);
                return turn.emit_failure(&failure);
            }
        }
        deliver_queued(state, false);
        if faults.triggers(Bug::RequestsTitle) {
            let text = &self.prompt.text;
            let text = format!("Find a title of a few words for this: {text}");
            let system = Some("You find titles for conversations.");
            send_extra(turn, system, &[Message::user(text)]).await;
        }
        for _ in 0..state.settings.max_turns {
            state.events.emit(&Event::ModelRequest);
            let mut reply = stream_reply(&turn, &self.partial).await;
            if reply.as_ref().is_err_and(|error| !error.retryable)
                && faults.triggers(Bug::RepeatsRefusedRequest)
            {
                reply = stream_reply(&turn, &self.partial).await;
            }
            let reply = match reply {
                Ok(reply) => reply,
                Err(error) => return self.fail(turn, error.into()),
            };
            report_stop_reason(turn, reply.stop);
            if reply.content.is_empty() && faults.triggers(Bug::EmptyReplyStuck) {
                self.stays_busy.set(true);
            }
            let calls = requested_calls(&reply.content);
            if calls.is_empty() {
                let summarizes = faults.triggers(Bug::RequestsSummary);
                if summarizes || faults.triggers(Bug::RepeatsLastRequest) {
                    let text = "Summarize the conversation so far.";
                    let mut messages = state.conversation.borrow().messages.clone();
                    messages.extend(summarizes.then(|| Message::user(text.into())));
                    send_extra(turn, None, &messages).await;
                }
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
            let mut results = self.calls.take_results();
            shorten(&mut results, faults);
            state.conversation.borrow_mut().push_user(results);
            if denied && faults.triggers(Bug::EndsTurnOnDenial)
                || faults.triggers(Bug::EndsTurnAfterTools)
            {
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
        let (root, faults) = (state.workspace.root(), &state.faults);
        let mut files = self.prompt.files.as_slice();
        if !files.is_empty() && faults.triggers(Bug::LosesFiles) {
            files = &[];
        }
        let mut content = Vec::new();
        for path in files {
            let mut file = attachments::load(path, root)?;
            if let ContentBlock::Image { media_type, .. } = &mut file
                && media_type != "image/png"
                && faults.triggers(Bug::ImagesArePng)
            {
                "image/png".clone_into(media_type);
            }
            content.push(file);
        }
        if !self.prompt.text.is_empty() || content.is_empty() {
            content.push(ContentBlock::Text(match faults.triggers(Bug::LosesInput) {
                true => "(nothing)".into(),
                false => self.prompt.text.clone(),
            }));
        }
        content.extend_from_slice(&self.prompt.blocks);
        Ok(content)
    }

    /// Ends the turn with a failure of the model.
    fn fail(&self, turn: TurnContext<'_>, failure: Failure) {
        let state = turn.state;
        state.forget_turns_if(Bug::ProviderErrorForgets);
        state.reset_model_if(Bug::FailureResetsModel);
        turn.emit_failure(&failure);
        self.failure.set(Some(failure));
        state.exit_if(Bug::ProviderErrorExits);
        self.stays_busy
            .set(state.faults.triggers(Bug::ProviderErrorLeavesBusy));
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
        let silent =
            stopped && self.calls.any_open() && state.faults.triggers(Bug::StopCancelsNothing);
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
        if !stopped {
            return;
        }
        state.forget_turns_if(Bug::StopForgets);
        state.forget_allowed_if(Bug::StopForgetsAllowed);
        if state.faults.triggers(Bug::StopResetsMode) {
            state.approvals.borrow_mut().mode = ApprovalMode::Default;
        }
        if state.faults.triggers(Bug::ReportsStopAsFailure) {
            turn.emit_failure(&Failure::permanent(FailureSource::Internal, "Cancelled"));
        }
    }
}

/// Whether a fault lets the work of a stopped turn go on in the background; `tool` if a tool is running.
fn abandons_work(faults: &Faults, halt: Halt, tool: bool) -> bool {
    match halt {
        Halt::Stop if tool => {
            // The tool spares its children when it starts; the effect shows here.
            let _ = faults.triggers(Bug::StopKeepsChildren);
            faults.triggers(Bug::StopKeepsTool)
        }
        Halt::Stop => faults.triggers(Bug::StopKeepsRequest),
        Halt::Exit => tool && faults.triggers(Bug::ToolOutlivesAgent),
    }
}

/// Sends a request that is no part of the conversation, with this system prompt or with all that others have. Its reply is not used.
async fn send_extra(turn: TurnContext<'_>, system: Option<&str>, messages: &[Message]) {
    let tools = match system {
        None => turn.state.tools.specs(),
        Some(_) => vec![],
    };
    let mut request = turn.state.settings.request(turn.model, messages, &tools);
    request.system = system.unwrap_or(request.system);
    let _ = collect_reply(turn.state, &request).await;
}

/// Adds the queued prompts that are due to the conversation. False if there are none.
fn deliver_queued(state: &SessionState, done: bool) -> bool {
    let queues = &state.queues;
    let prompts = &queues.due(done, &state.faults);
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
