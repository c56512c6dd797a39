//! A turn: from what the user says to the model's last word on it.

use super::approval::Decision;
use super::attachments;
use super::call::Call;
use super::event::Event;
use super::failure::Halt;
use super::failure::{Code, Failure};
use super::reply::ReplyBuilder;
use super::session::Session;
use super::side_request::silent_reply;
use super::tool_calls::{ToolCalls, requested_calls};
use super::usage::TurnUsage;
use crate::core::queues::Prompt;
use crate::faults::Bug;
use crate::model::ModelRequest;
use crate::model::message::{Block, Message, Role, StopReason};
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
        let faults = &session.faults;
        if faults.poisons() {
            self.halt(Halt::Stop);
        }
        let mut work = Box::pin(self.work(session));
        let halt = tokio::select! {
            biased;
            why = self.wait_for_halt() => Some(why),
            () = &mut work => None,
        };
        if let Some(why) = halt {
            if faults.keeps_work(why, self.calls.any_open()) {
                let _ = tokio::time::timeout(HEAD_START, &mut work).await;
                std::mem::forget(work);
            } else {
                drop(work);
            }
            self.break_off(session, why);
        }
        self.usage.settle();
        let saved = match session.faults.leaves_unsaved() {
            true => Ok(()),
            false => session.conversation.borrow_mut().save(),
        };
        if let Err(error) = saved {
            let why = format!("The session could not be saved: {error}");
            self.fail(session, &Failure::lasting(Code::Internal, why));
        }
        let endless = match halt {
            Some(Halt::Stop) => faults.plays(Bug::StopHasNoEnd),
            Some(Halt::Exit) => faults.plays(Bug::ExitHasNoEnd),
            None => false,
        };
        if endless || self.busy.get() {
            return;
        }
        self.busy
            .set(halt == Some(Halt::Stop) && faults.plays(Bug::StopLeavesBusy));
        let first = &session.settings.model;
        if *session.model_name.borrow() != *first && faults.plays(Bug::ModelLastsOneTurn) {
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
                session.faults.forget(&mut conversation.messages);
                conversation.user(content);
            }
            Err(why) => return self.fail(session, &Failure::lasting(Code::Protocol, why)),
        }
        self.hear(session, false);
        if session.faults.plays(Bug::AsksForTitle) {
            self.ask_for_title(session).await;
        }
        for _ in 0..session.settings.max_turns {
            session.events.emit(&Event::ModelRequest);
            let mut reply = self.reply(session).await;
            if reply.as_ref().is_err_and(|error| !error.retryable)
                && session.faults.plays(Bug::AsksRefusedAgain)
            {
                reply = self.reply(session).await;
            }
            let reply = match reply {
                Ok(reply) => reply,
                Err(error) => return self.give_up(session, &error.into()),
            };
            self.remark(session, reply.stop);
            if reply.content.is_empty() && session.faults.plays(Bug::EmptyReplyStuck) {
                self.busy.set(true);
            }
            let wanted = requested_calls(&reply.content);
            if wanted.is_empty() {
                self.ask_besides(session).await;
            }
            session.conversation.borrow_mut().assistant(reply.content);
            if wanted.is_empty() {
                if self.hear(session, true) {
                    continue;
                }
                return;
            }
            let denied = self.calls.run(session, self, wanted).await;
            let results = session.faults.results(self.calls.take());
            session.conversation.borrow_mut().user(results);
            if denied && session.faults.plays(Bug::EndsTurnOnDenial)
                || session.faults.plays(Bug::EndsTurnAfterTools)
            {
                return;
            }
            self.hear(session, false);
        }
        let limit = session.settings.max_turns;
        let text = format!("Stopped: the limit of {limit} model turns (--max-turns) is reached");
        self.notice(session, &text);
    }

    /// Asks the model what to call the conversation, as some agents do. The answer is of no account here.
    async fn ask_for_title(&self, session: &Session) {
        let messages = [Message {
            role: Role::User,
            content: vec![Block::Text(format!(
                "Find a title of a few words for this: {}",
                self.prompt.text
            ))],
        }];
        let request = ModelRequest {
            system: "You find titles for conversations.",
            model: &self.model,
            ..session.settings.request(&messages, &[])
        };
        let _ = silent_reply(session, &request).await;
    }

    /// Asks once more behind the last answer: for a summary, or the same again. The answer is of no account here.
    async fn ask_besides(&self, session: &Session) {
        let mut messages = session.conversation.borrow().messages.clone();
        if session.faults.plays(Bug::AsksForSummary) {
            messages.push(Message {
                role: Role::User,
                content: vec![Block::Text("Summarize the conversation so far.".into())],
            });
        } else if !session.faults.plays(Bug::AsksTwice) {
            return;
        }
        let tools = session.tools.specs();
        let request = ModelRequest {
            model: &self.model,
            ..session.settings.request(&messages, &tools)
        };
        let _ = silent_reply(session, &request).await;
    }

    /// Takes what was queued and is due to the conversation. False if there is nothing.
    fn hear(&self, session: &Session, done: bool) -> bool {
        let queues = &session.queues;
        let prompts = session.faults.due(queues, done);
        for prompt in &prompts {
            let mut content = vec![Block::Text(prompt.text.clone())];
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
    fn opening(&self, session: &Session) -> Result<Vec<Block>, String> {
        let root = session.workspace.root();
        let files = session.faults.files(&self.prompt.files).iter();
        let mut content = files
            .map(|path| attachments::load(path, root).map(|file| session.faults.attached(file)))
            .collect::<Result<Vec<_>, _>>()?;
        if !self.prompt.text.is_empty() || content.is_empty() {
            content.push(Block::Text(session.faults.prompt(&self.prompt.text)));
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
        if session.faults.plays(Bug::ProviderErrorForgets) {
            session.conversation.borrow_mut().messages.clear();
        }
        if session.faults.plays(Bug::FailureResetsModel) {
            session.set_model(&session.settings.model, None);
        }
        self.fail(session, failure);
        self.failure.set(Some(failure.clone()));
        if session.faults.plays(Bug::ProviderErrorExits) {
            session.events.outbox.die(0);
        }
        self.busy
            .set(session.faults.plays(Bug::ProviderErrorLeavesBusy));
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
        let silent =
            stopped && self.calls.any_open() && session.faults.plays(Bug::StopCancelsNothing);
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
        if stopped && session.faults.plays(Bug::StopForgets) {
            conversation.messages.clear();
        }
        if stopped {
            session.stop_forgets();
        }
        if stopped && session.faults.plays(Bug::StopIsError) {
            self.fail(session, &Failure::lasting(Code::Internal, "Cancelled"));
        }
    }
}
