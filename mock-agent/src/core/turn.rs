//! A turn: from what the user says to the model's last word on it.

use super::approval::Decision;
use super::attachments;
use super::call::Call;
use super::event::Event;
use super::failure::Halt;
use super::failure::{Code, Failure};
use super::hooks::{After, ExtraRequest};
use super::reply::ReplyBuilder;
use super::session::Session;
use super::side_request::silent_reply;
use super::tool_calls::{ToolCalls, requested_calls};
use super::usage::TurnUsage;
use crate::core::queues::Prompt;
use crate::model::message::{ContentBlock, StopReason};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;

/// A turn at work.
pub(crate) struct Turn {
    prompt: Prompt,
    pub(crate) model: String,
    pub(crate) calls: ToolCalls,
    pub(crate) usage: TurnUsage,
    /// The reply that is streaming in.
    pub(crate) partial: RefCell<ReplyBuilder>,
    halt: Cell<Option<Halt>>,
    halted: Notify,
    /// How the model failed.
    pub(crate) failure: Cell<Option<Failure>>,
    /// The session does not notice that the turn is over. Only a fault does that.
    busy: Cell<bool>,
}

/// The time to get under way that work gets which is to be left to itself. Only a fault leaves it.
const HEAD_START: Duration = Duration::from_millis(200);

impl Turn {
    pub(crate) fn new(prompt: Prompt, model: String) -> Self {
        Turn {
            prompt,
            model,
            calls: ToolCalls::default(),
            usage: TurnUsage::default(),
            partial: RefCell::default(),
            halt: Cell::default(),
            halted: Notify::new(),
            failure: Cell::default(),
            busy: Cell::default(),
        }
    }

    pub(crate) fn id(&self) -> &str {
        &self.prompt.turn
    }

    pub(crate) fn prompt(&self) -> &Prompt {
        &self.prompt
    }

    /// Stops it, soon.
    pub(crate) fn halt(&self, why: Halt) {
        self.halt.set(self.halt.get().or(Some(why)));
        self.halted.notify_one();
    }

    /// The turn, and its call that waits for an answer under this id.
    pub(crate) fn asked(self: Rc<Self>, call: &str) -> Option<(Rc<Self>, Rc<Call>)> {
        let call = self.calls.asked(call)?;
        Some((self, call))
    }

    pub(crate) fn decide(&self, call: &str, decision: Decision) {
        self.calls.decide(call, decision);
    }

    pub(crate) fn leaves_busy(&self) -> bool {
        self.busy.get()
    }

    /// Does the whole turn, and says its end.
    pub(crate) async fn run(&self, session: &Session) {
        let hooks = &session.hooks;
        if hooks.stops_turn_at_start() {
            self.halt(Halt::Stop);
        }
        let mut work = Box::pin(self.work(session));
        let halt = tokio::select! {
            biased;
            why = self.wait_for_halt() => Some(why),
            () = &mut work => None,
        };
        if let Some(why) = halt {
            if hooks.abandons_work(why, self.calls.any_open()) {
                let _ = tokio::time::timeout(HEAD_START, &mut work).await;
                std::mem::forget(work);
            } else {
                drop(work);
            }
            self.break_off(session, why);
        }
        self.usage.settle();
        let saved = match hooks.saves_turn() {
            true => session.conversation.borrow_mut().save(),
            false => Ok(()),
        };
        if let Err(error) = saved {
            let why = format!("The session could not be saved: {error}");
            self.fail(session, &Failure::lasting(Code::Internal, why));
        }
        let silent = halt.is_some_and(|why| !hooks.reports_turn_end(why));
        if silent || self.busy.get() {
            return;
        }
        self.busy
            .set(halt == Some(Halt::Stop) && hooks.stays_busy(After::Stop));
        let first = &session.settings.model;
        if *session.model_name.borrow() != *first && hooks.resets_model(After::Turn) {
            session.set_model(first, None);
        }
        let (turn, usage) = (self.id(), self.usage.total());
        let again = halt.is_none() && session.retry.follows(session, self);
        session.events.emit(&Event::TurnEnd {
            turn,
            usage,
            halt,
            again,
        });
    }

    async fn wait_for_halt(&self) -> Halt {
        loop {
            match self.halt.get() {
                Some(why) => return why,
                None => self.halted.notified().await,
            }
        }
    }

    pub(crate) fn fail(&self, session: &Session, failure: &Failure) {
        session.events.emit(&Event::Failed {
            turn: Some(self.id()),
            failure,
        });
    }

    pub(crate) fn notice(&self, session: &Session, text: &str) {
        let turn = self.id();
        session.events.emit(&Event::Notice { turn, text });
    }

    async fn work(&self, session: &Session) {
        match self.opening(session) {
            Ok(_) if self.prompt.resumes => {}
            Ok(content) => {
                let mut conversation = session.conversation.borrow_mut();
                session.hooks.on_turn_prompt(&mut conversation.messages);
                conversation.user(content);
            }
            Err(why) => return self.fail(session, &Failure::lasting(Code::Protocol, why)),
        }
        self.hear(session, false);
        let extra = session.hooks.request_before_turn(&self.prompt.text);
        self.send_extra(session, extra).await;
        for _ in 0..session.settings.max_turns {
            session.events.emit(&Event::ModelRequest);
            let mut reply = self.reply(session).await;
            if reply.as_ref().is_err_and(|error| !error.retryable)
                && session.hooks.repeats_refused_request()
            {
                reply = self.reply(session).await;
            }
            let reply = match reply {
                Ok(reply) => reply,
                Err(error) => return self.give_up(session, &error.into()),
            };
            self.remark(session, reply.stop);
            if reply.content.is_empty() && session.hooks.stays_busy(After::EmptyReply) {
                self.busy.set(true);
            }
            let wanted = requested_calls(&reply.content);
            if wanted.is_empty() {
                let extra = {
                    let conversation = session.conversation.borrow();
                    session.hooks.request_after_turn(&conversation.messages)
                };
                self.send_extra(session, extra).await;
            }
            session.conversation.borrow_mut().assistant(reply.content);
            if wanted.is_empty() {
                if self.hear(session, true) {
                    continue;
                }
                return;
            }
            let denied = self.calls.run(session, self, wanted).await;
            let results = session.hooks.tool_results(self.calls.take());
            session.conversation.borrow_mut().user(results);
            if session.hooks.ends_turn_after_tools(denied) {
                return;
            }
            self.hear(session, false);
        }
        let limit = session.settings.max_turns;
        let text = format!("Stopped: the limit of {limit} model turns (--max-turns) is reached");
        self.notice(session, &text);
    }

    /// Sends a request that is no part of the conversation. Its answer is not used.
    async fn send_extra(&self, session: &Session, extra: Option<ExtraRequest>) {
        let Some(extra) = extra else {
            return;
        };
        let tools = match extra.tools {
            true => session.tools.specs(),
            false => vec![],
        };
        let mut request = session.settings.request(&extra.messages, &tools);
        request.model = &self.model;
        request.system = extra.system.unwrap_or(request.system);
        let _ = silent_reply(session, &request).await;
    }

    /// Takes what was queued and is due to the conversation. False if there is nothing.
    fn hear(&self, session: &Session, done: bool) -> bool {
        let queues = &session.queues;
        let prompts = session.hooks.due_prompts(queues, done);
        for prompt in &prompts {
            let mut content = vec![ContentBlock::Text(prompt.text.clone())];
            content.extend_from_slice(&prompt.blocks);
            session.conversation.borrow_mut().user(content);
        }
        if prompts.is_empty() {
            return false;
        }
        let prompts = &prompts;
        session
            .events
            .emit(&Event::PromptsDelivered { prompts, queues });
        true
    }

    /// What the user says, with the attachments.
    fn opening(&self, session: &Session) -> Result<Vec<ContentBlock>, String> {
        let root = session.workspace.root();
        let files = session.hooks.attached_files(&self.prompt.files).iter();
        let mut content = files
            .map(|path| attachments::load(path, root).map(|file| session.hooks.attachment(file)))
            .collect::<Result<Vec<_>, _>>()?;
        if !self.prompt.text.is_empty() || content.is_empty() {
            content.push(ContentBlock::Text(
                session.hooks.prompt_text(&self.prompt.text),
            ));
        }
        content.extend_from_slice(&self.prompt.blocks);
        Ok(content)
    }

    fn remark(&self, session: &Session, stop: StopReason) {
        match stop {
            StopReason::MaxTokens => {
                let limit = session.settings.max_tokens;
                let text =
                    format!("The reply was cut off: the limit of {limit} output tokens is reached");
                self.notice(session, &text);
            }
            StopReason::Refusal => self.notice(session, "The model refused to go on"),
            StopReason::End | StopReason::ToolUse => {}
        }
    }

    /// The model failed.
    fn give_up(&self, session: &Session, failure: &Failure) {
        session.forget(After::ModelError);
        if session.hooks.resets_model(After::ModelError) {
            session.set_model(&session.settings.model, None);
        }
        self.fail(session, failure);
        self.failure.set(Some(failure.clone()));
        if session.hooks.exits(After::ModelError) {
            session.events.outbox.exit(0);
        }
        self.busy.set(session.hooks.stays_busy(After::ModelError));
    }

    /// Puts in order what a halt has left open.
    fn break_off(&self, session: &Session, why: Halt) {
        let stopped = why == Halt::Stop;
        let reason = match why {
            Halt::Stop => "Stopped by user",
            Halt::Exit => "The agent is shutting down",
        };
        let mut conversation = session.conversation.borrow_mut();
        conversation.assistant(self.partial.take().text_only());
        let silent = stopped && self.calls.any_open() && !session.hooks.reports_cancelled_calls();
        for call in self.calls.abandon(reason) {
            let turn = self.id();
            let event = Event::ToolCancel {
                turn,
                call: &call,
                reason,
            };
            if !silent {
                session.events.emit(&event);
            }
        }
        conversation.user(self.calls.take());
        if stopped {
            let approvals = &mut session.approvals.borrow_mut();
            session
                .hooks
                .forget(After::Stop, approvals, &mut conversation.messages);
        }
        if stopped && session.hooks.reports_stop_as_failure() {
            self.fail(session, &Failure::lasting(Code::Internal, "Cancelled"));
        }
    }
}
