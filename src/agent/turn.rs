//! A turn: from what the user says to the model's last word on it.

use super::approval::{Category, Decision};
use super::attachments;
use super::calls::{Calls, Wanted};
use super::event::{Code, Event, Failure};
use super::message::{Block, Message, Role, Stop, Usage};
use super::model::{Chunk, ModelError, Request};
use super::reply::Assembly;
use super::session::{Halt, Session};
use super::tools::Delegate;
use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;

/// What starts a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prompt {
    /// The turn's id.
    pub(super) turn: String,
    /// What the user says.
    pub(super) text: String,
    /// Paths of attached files.
    pub(super) files: Vec<String>,
}

/// A turn at work.
pub(super) struct Turn {
    prompt: Prompt,
    pub(super) calls: Calls,
    halt: Cell<Option<Halt>>,
    halted: Notify,
    /// Used by the requests that are over.
    spent: Cell<Usage>,
    /// Used by the request at work.
    spending: Cell<Usage>,
    partial: RefCell<Assembly>,
}

/// A model's whole reply.
struct Reply {
    content: Vec<Block>,
    stop: Stop,
}

/// The wait before the first retry; it doubles with each.
const BACKOFF: Duration = Duration::from_millis(50);

/// The longest wait before a retry, whatever the server wants.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

impl Turn {
    pub(super) fn new(prompt: Prompt) -> Self {
        Turn {
            prompt,
            calls: Calls::default(),
            halt: Cell::default(),
            halted: Notify::new(),
            spent: Cell::default(),
            spending: Cell::default(),
            partial: RefCell::default(),
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.prompt.turn
    }

    /// Stops it, soon.
    pub(super) fn halt(&self, why: Halt) {
        self.halt.set(self.halt.get().or(Some(why)));
        self.halted.notify_one();
    }

    /// The turn and the category of a call that waits for an answer under this id.
    pub(super) fn asked(self: Rc<Self>, call: &str) -> Option<(Rc<Self>, Category)> {
        let category = self.calls.asked(call)?;
        Some((self, category))
    }

    pub(super) fn decide(&self, call: &str, decision: Decision) {
        self.calls.decide(call, decision);
    }

    pub(super) fn has_open_calls(&self) -> bool {
        self.calls.any_open()
    }

    /// Does the whole turn, and says its end.
    pub(super) async fn run(&self, session: &Session) {
        let halt = tokio::select! {
            biased;
            why = self.wait_for_halt() => Some(why),
            () = self.work(session) => None,
        };
        if let Some(why) = halt {
            self.break_off(session, why);
        }
        self.settle_usage();
        if let Err(error) = session.dialogue.borrow_mut().save() {
            let why = format!("The session could not be saved: {error}");
            self.fail(session, &Failure::lasting(Code::Internal, why));
        }
        let usage = self.spent.get();
        let turn = self.id();
        session.voice.say(&Event::TurnEnd { turn, usage });
    }

    async fn wait_for_halt(&self) -> Halt {
        loop {
            match self.halt.get() {
                Some(why) => return why,
                None => self.halted.notified().await,
            }
        }
    }

    fn fail(&self, session: &Session, failure: &Failure) {
        session.voice.say(&Event::Failed {
            turn: Some(self.id()),
            failure,
        });
    }

    fn notice(&self, session: &Session, text: &str) {
        let turn = self.id();
        session.voice.say(&Event::Notice { turn, text });
    }

    async fn work(&self, session: &Session) {
        match self.opening(session) {
            Ok(content) => session.dialogue.borrow_mut().user(content),
            Err(why) => {
                return self.fail(session, &Failure::lasting(Code::Protocol, why));
            }
        }
        for _ in 0..session.settings.max_turns {
            let mut reply = match self.reply(session).await {
                Ok(reply) => reply,
                Err(error) => return self.fail(session, &error.failure()),
            };
            self.remark(session, reply.stop);
            session.call_ids.borrow_mut().settle(&mut reply.content);
            let wanted = wanted(&reply.content);
            session.dialogue.borrow_mut().assistant(reply.content);
            if wanted.is_empty() {
                return;
            }
            self.calls.run(session, self, wanted).await;
            session.dialogue.borrow_mut().user(self.calls.take());
        }
        let limit = session.settings.max_turns;
        let text = format!("Stopped: the limit of {limit} model turns (--max-turns) is reached");
        self.notice(session, &text);
    }

    /// What the user says, with the attachments.
    fn opening(&self, session: &Session) -> Result<Vec<Block>, String> {
        let root = session.workspace.root();
        let files = self.prompt.files.iter();
        let mut content = files
            .map(|path| attachments::load(path, root))
            .collect::<Result<Vec<_>, _>>()?;
        if !self.prompt.text.is_empty() || content.is_empty() {
            content.push(Block::Text(self.prompt.text.clone()));
        }
        Ok(content)
    }

    fn remark(&self, session: &Session, stop: Stop) {
        match stop {
            Stop::MaxTokens => {
                let limit = session.settings.max_tokens;
                let text =
                    format!("The reply was cut off: the limit of {limit} output tokens is reached");
                self.notice(session, &text);
            }
            Stop::Refusal => self.notice(session, "The model refused to go on"),
            Stop::End | Stop::ToolUse => {}
        }
    }

    /// The model's next reply, asked for again where that is allowed.
    async fn reply(&self, session: &Session) -> Result<Reply, ModelError> {
        let mut retries = 0;
        loop {
            let error = match self.attempt(session).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            self.settle_usage();
            self.partial.take();
            let limit = session.settings.retries(error.interrupted);
            if !error.retryable || retries == limit {
                return Err(error);
            }
            let wait = error.retry_after.unwrap_or(BACKOFF * 2u32.pow(retries));
            retries += 1;
            let what = if error.interrupted {
                "Stream interrupted"
            } else {
                error.message.trim_end_matches('.')
            };
            let text = format!("{what}, retrying... ({retries}/{limit})");
            self.notice(session, &text);
            tokio::time::sleep(wait.min(LONGEST_WAIT)).await;
        }
    }

    async fn attempt(&self, session: &Session) -> Result<Reply, ModelError> {
        let patience = session.settings.patience;
        let body = {
            let dialogue = session.dialogue.borrow();
            let tools = session.tools.specs();
            session
                .model
                .body(&session.settings.request(&dialogue.messages, &tools))
        };
        let mut stream = within(patience, session.model.send(body)).await??;
        loop {
            let chunk = match within(patience, stream.next()).await? {
                Some(chunk) => chunk?,
                None => return Err(ModelError::cut_short()),
            };
            session.voice.outbox.room().await;
            let turn = self.id();
            let said = Event::Said {
                turn,
                chunk: &chunk,
            };
            session.voice.say(&said);
            self.partial.borrow_mut().take_in(&chunk);
            match chunk {
                Chunk::Usage(usage) => self.spending.set(usage),
                Chunk::Stop(stop) => {
                    self.settle_usage();
                    let content = self.partial.take().whole();
                    return Ok(Reply { content, stop });
                }
                _ => {}
            }
        }
    }

    fn settle_usage(&self) {
        let mut spent = self.spent.get();
        spent += self.spending.take();
        self.spent.set(spent);
    }

    /// Puts in order what a halt has left open.
    fn break_off(&self, session: &Session, why: Halt) {
        let reason = match why {
            Halt::Stop => "Stopped by user",
            Halt::Exit => "The agent is shutting down",
        };
        let mut dialogue = session.dialogue.borrow_mut();
        dialogue.assistant(self.partial.take().text_only());
        for call in self.calls.abandon(reason) {
            let turn = self.id();
            session.voice.say(&Event::ToolCancel {
                turn,
                call: &call,
                reason,
            });
        }
        dialogue.user(self.calls.take());
    }
}

/// The calls in a reply.
fn wanted(content: &[Block]) -> Vec<Wanted> {
    let calls = content.iter().filter_map(|block| match block {
        Block::Call { id, tool, args, .. } => Some(Wanted {
            id: id.clone(),
            tool: tool.clone(),
            args: args.clone(),
        }),
        _ => None,
    });
    calls.collect()
}

async fn within<T>(limit: Duration, what: impl Future<Output = T>) -> Result<T, ModelError> {
    tokio::time::timeout(limit, what)
        .await
        .map_err(|_| ModelError::silent(limit))
}

/// A turn can have a task done by an agent that has the model and no tools.
pub(super) struct Helper<'a> {
    pub(super) turn: &'a Turn,
    pub(super) session: &'a Session,
}

impl Delegate for Helper<'_> {
    fn delegate<'a>(
        &'a self,
        task: &'a str,
    ) -> Pin<Box<dyn Future<Output = Result<String, String>> + 'a>> {
        Box::pin(async move {
            let asked = Message {
                role: Role::User,
                content: vec![Block::Text(task.to_owned())],
            };
            self.answer(&[asked]).await.map_err(|error| error.message)
        })
    }
}

impl Helper<'_> {
    async fn answer(&self, messages: &[Message]) -> Result<String, ModelError> {
        let settings = &self.session.settings;
        let request: Request<'_> = settings.request(messages, &[]);
        let body = self.session.model.body(&request);
        let mut stream = within(settings.patience, self.session.model.send(body)).await??;
        let mut said = Assembly::default();
        let mut usage = Usage::default();
        while let Some(chunk) = within(settings.patience, stream.next()).await? {
            let chunk = chunk?;
            if let Chunk::Usage(so_far) = chunk {
                usage = so_far;
            }
            said.take_in(&chunk);
        }
        let mut spent = self.turn.spent.get();
        spent += usage;
        self.turn.spent.set(spent);
        Ok(said.text())
    }
}
