//! A turn: the user's prompt, then requests to the model and tool calls until the model requests no more tools.

use super::attachments::{self, AttachmentError};
use super::call_runner::run_calls;
use super::forgetting::{forget, misremember, stuck_attachment};
use super::model_request::{collect_reply, stream_reply};
use super::tool_calls::{requested_calls, shorten};
use super::{
    ApprovalMode, Event, Failure, FailureSource, Halt, Prompt, ReplyBuilder, Session, ToolCalls,
};
use crate::faults::{Bug, Faults};
use crate::model::{ContentBlock, Message, PromptMarker, Stop, Usage};
use std::cell::{Cell, OnceCell, RefCell};
use std::time::Duration;
use tokio::sync::SetOnce;

/// A turn that waits or runs.
#[derive(Default)]
pub(crate) struct Turn {
    pub(super) prompt: Prompt,
    /// Its model, by the name of the model's API. It is chosen when the turn starts.
    pub(super) model: OnceCell<String>,
    pub(super) calls: ToolCalls,
    /// The tokens that its finished requests have used.
    pub(super) used: Cell<Usage>,
    /// The tokens that the running request has used.
    pub(super) running: Cell<Usage>,
    /// Asks it to stop. The first reason counts.
    pub(super) stop: SetOnce<Halt>,
    /// The reply that is streaming in.
    pub(super) partial: RefCell<ReplyBuilder>,
    /// The failure of the model that has ended it.
    pub(super) failure: RefCell<Option<Failure>>,
    /// Whether the session stays busy after it. Only a fault sets this.
    pub(super) stays_busy: Cell<bool>,
}

/// A running turn and its session, as its model requests, tool calls and sub-agents see them.
#[derive(Clone, Copy)]
pub(super) struct TurnContext<'a> {
    pub(super) session: &'a Session,
    pub(super) turn: &'a Turn,
}

/// The time in which abandoned work can start, and for which a variant stays busy after a turn.
const HEAD_START: Duration = Duration::from_millis(200);

impl Turn {
    pub(super) fn id(&self) -> &str {
        &self.prompt.turn
    }

    pub(super) fn model(&self) -> &str {
        self.model.get().map_or("", String::as_str)
    }

    /// Adds the usage of a finished request.
    pub(super) fn add_usage(&self, usage: Usage) {
        let mut used = self.used.get();
        used += usage;
        self.used.set(used);
    }

    /// Counts the running request as finished.
    pub(super) fn finish_request(&self) {
        self.add_usage(self.running.take());
    }

    /// Runs the turn, and reports its end.
    pub(super) async fn run(&self, session: &Session) {
        let faults = &session.faults;
        if session.stops_next_turn.take() {
            let _ = self.stop.set(Halt::Stop);
        }
        let turn = TurnContext {
            session,
            turn: self,
        };
        let mut work = Box::pin(turn.work());
        let halt = tokio::select! {
            biased;
            halt = self.stop.wait() => Some(*halt),
            () = &mut work => None,
        };
        if let Some(halt) = halt {
            if abandons_work(faults, halt, self.calls.any_open()) {
                let _ = tokio::time::timeout(HEAD_START, &mut work).await;
                std::mem::forget(work);
            } else {
                drop(work);
            }
            turn.clean_up(halt);
        }
        self.finish_request();
        let saved = {
            let mut conversation = session.conversation.borrow_mut();
            let unsaved = conversation.was_resumed && faults.triggers(Bug::ResumedStaysUnsaved);
            if unsaved { Ok(()) } else { conversation.save() }
        };
        if let Err(error) = saved {
            let why = format!("The session could not be saved: {error}");
            turn.emit_failure(&Failure::permanent(FailureSource::Internal, why));
        }
        let silent = match halt {
            Some(Halt::Stop) => faults.triggers(Bug::StopHasNoEnd),
            Some(Halt::Exit) => faults.triggers(Bug::ExitHasNoEnd),
            None => self.failure.borrow().is_some() && faults.triggers(Bug::FailureIsTheEnd),
        };
        if silent || self.stays_busy.get() {
            return;
        }
        self.stays_busy
            .set(halt == Some(Halt::Stop) && faults.triggers(Bug::StopLeavesBusy));
        let is_first_model = *session.model_name.borrow() == session.settings.model;
        if !is_first_model {
            session.reset_model_if(Bug::ModelLastsOneTurn);
        }
        let will_retry = |failure: &Failure| session.will_retry(failure);
        session.events.emit(&Event::TurnEnd {
            turn: self.id(),
            usage: self.used.get(),
            halt,
            will_retry: halt.is_none() && self.failure.borrow().as_ref().is_some_and(will_retry),
        });
        if faults.triggers(Bug::StaysBusyBriefly) {
            tokio::time::sleep(HEAD_START).await;
        }
    }
}

impl TurnContext<'_> {
    fn emit_failure(self, failure: &Failure) {
        self.session.events.emit(&Event::Failed {
            turn: Some(self.turn.id()),
            failure,
        });
    }

    pub(super) fn emit_notice(self, text: &str) {
        let turn = self.turn.id();
        self.session.events.emit(&Event::Notice { turn, text });
    }

    async fn work(self) {
        let TurnContext { session, turn } = self;
        let faults = &session.faults;
        match self.prompt_content() {
            Ok(_) if turn.prompt.resumes => {}
            Ok(mut content) => {
                let mut conversation = session.conversation.borrow_mut();
                forget(&mut conversation.messages, faults);
                content.extend(stuck_attachment(&conversation.messages, &content, faults));
                conversation.push_user(content);
            }
            Err(why) => {
                let failure = Failure::protocol(why.to_string());
                return self.emit_failure(&failure);
            }
        }
        deliver_queued(session, false);
        if faults.triggers(Bug::RequestsTitle) {
            let prompt = &turn.prompt.text;
            let text = format!("Find a title of a few words for this: {prompt}");
            let system = Some("You find titles for conversations.");
            send_extra(self, system, &[Message::user(text)]).await;
        }
        for _ in 0..session.settings.max_turns {
            session.events.emit(&Event::ModelRequest);
            let mut reply = stream_reply(self).await;
            if reply.as_ref().is_err_and(|error| !error.is_retryable())
                && faults.triggers(Bug::RepeatsRefusedRequest)
            {
                reply = stream_reply(self).await;
            }
            let mut reply = match reply {
                Ok(reply) => reply,
                Err(error) => return self.fail(error.into()),
            };
            self.report_stop_reason(reply.stop);
            if reply.content.is_empty() && faults.triggers(Bug::EmptyReplyStuck) {
                turn.stays_busy.set(true);
            }
            let calls = requested_calls(&reply.content);
            if calls.is_empty() {
                let summarizes = faults.triggers(Bug::RequestsSummary);
                if summarizes || faults.triggers(Bug::RepeatsLastRequest) {
                    let text = "Summarize the conversation so far.";
                    let mut messages = session.conversation.borrow().messages.clone();
                    messages.extend(summarizes.then(|| Message::user(text.into())));
                    send_extra(self, None, &messages).await;
                }
            }
            misremember(&mut reply.content, faults);
            session
                .conversation
                .borrow_mut()
                .push_assistant(reply.content);
            if calls.is_empty() {
                if deliver_queued(session, true) {
                    continue;
                }
                return;
            }
            let denied = run_calls(&self, calls).await;
            let mut results = turn.calls.take_results();
            shorten(&mut results, faults);
            session.conversation.borrow_mut().push_user(results);
            if denied && faults.triggers(Bug::EndsTurnOnDenial)
                || faults.triggers(Bug::EndsTurnAfterTools)
            {
                return;
            }
            deliver_queued(session, false);
        }
        if faults.triggers(Bug::RequestsLastWord) {
            let messages = session.conversation.borrow().messages.clone();
            send_extra(self, Some("Say what is left to do."), &messages).await;
        }
        let limit = session.settings.max_turns;
        let text = format!("Stopped: the limit of {limit} model turns (--max-turns) is reached");
        self.emit_notice(&text);
    }

    /// Reports why a reply is not complete.
    fn report_stop_reason(self, stop: Stop) {
        match stop {
            Stop::MaxTokens => {
                let limit = self.session.settings.max_tokens;
                self.emit_notice(&format!(
                    "The reply was cut off: the limit of {limit} output tokens is reached"
                ));
            }
            Stop::ModelContextWindowExceeded => {
                self.emit_notice("The reply was cut off: the model's context is full");
            }
            Stop::Refusal => self.emit_notice("The model refused to go on"),
            _ => {}
        }
    }

    /// The user's text with the attachments.
    fn prompt_content(self) -> Result<Vec<ContentBlock>, AttachmentError> {
        let (session, prompt) = (self.session, &self.turn.prompt);
        let (root, faults) = (&*session.workspace.root, &session.faults);
        let mut files = prompt.files.as_slice();
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
        if !prompt.is_in_blocks && (!prompt.text.is_empty() || content.is_empty()) {
            content.push(ContentBlock::Text(if faults.triggers(Bug::LosesInput) {
                "(nothing)".into()
            } else {
                prompt.text.clone()
            }));
        }
        content.extend_from_slice(&prompt.blocks);
        Ok(content)
    }

    /// Ends the turn with a failure of the model.
    fn fail(self, failure: Failure) {
        let TurnContext { session, turn } = self;
        session.forget_turns_if(Bug::ProviderErrorForgets);
        session.forget_last_turn_if(Bug::ForgetsHaltedTurn);
        session.reset_model_if(Bug::FailureResetsModel);
        self.emit_failure(&failure);
        turn.failure.replace(Some(failure));
        session.exit_if(Bug::ProviderErrorExits);
        turn.stays_busy
            .set(session.faults.triggers(Bug::ProviderErrorLeavesBusy));
    }

    /// Cancels the open calls of a stopped turn, and keeps the text of its incomplete reply.
    fn clean_up(self, halt: Halt) {
        let TurnContext { session, turn } = self;
        let stopped = halt == Halt::Stop;
        let reason = match halt {
            Halt::Stop => "Stopped by user",
            Halt::Exit => "The agent is shutting down",
        };
        let mut conversation = session.conversation.borrow_mut();
        conversation.push_assistant(turn.partial.take().into_text_blocks());
        let silent =
            stopped && turn.calls.any_open() && session.faults.triggers(Bug::StopCancelsNothing);
        for call in turn.calls.cancel_all(reason) {
            if !silent {
                session.events.emit(&Event::ToolCancel {
                    turn: turn.id(),
                    call: &call,
                    reason,
                });
            }
        }
        conversation.push_user(turn.calls.take_results());
        drop(conversation);
        if !stopped {
            return;
        }
        session.forget_turns_if(Bug::StopForgets);
        session.forget_last_turn_if(Bug::ForgetsHaltedTurn);
        session.forget_allowed_if(Bug::StopForgetsAllowed);
        if session.faults.triggers(Bug::StopResetsMode) {
            session.approvals.borrow_mut().mode = ApprovalMode::Default;
        }
        if session.faults.triggers(Bug::ReportsStopAsFailure) {
            self.emit_failure(&Failure::permanent(FailureSource::Internal, "Cancelled"));
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

/// Sends a request that is not part of the conversation, with this system prompt or with everything that other requests have. Its reply is
/// not used.
async fn send_extra(turn: TurnContext<'_>, system: Option<&str>, messages: &[Message]) {
    let tools = match system {
        None => turn.session.tools.specs(),
        Some(_) => vec![],
    };
    let mut request = turn
        .session
        .settings
        .request(turn.turn.model(), messages, &tools);
    request.system = system.unwrap_or(request.system);
    let _ = collect_reply(turn.session, &request).await;
}

/// Adds the queued prompts that are due to the conversation. False if there are none.
fn deliver_queued(session: &Session, done: bool) -> bool {
    let queues = &session.queues;
    let prompts = &queues.due(done, &session.faults);
    for prompt in prompts {
        // A prompt that is added to a turn that goes on changes it only by its marker.
        if done || PromptMarker::find(&prompt.text).is_some() {
            session.on_prompt(&prompt.text);
        }
        let mut content = vec![ContentBlock::Text(prompt.text.clone())];
        content.extend_from_slice(&prompt.blocks);
        session.conversation.borrow_mut().push_user(content);
    }
    if prompts.is_empty() {
        return false;
    }
    let event = Event::PromptsDelivered { prompts, queues };
    session.events.emit(&event);
    true
}
