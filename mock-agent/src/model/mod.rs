//! The model: asked over HTTP like a real one, or played from a script in-process.

pub(super) mod anthropic;
mod builtin;
mod client;
mod decode;
mod effort;
mod error;
mod language;
mod openai;
mod parts;
mod request;
mod responses;
pub(super) mod script_file;
mod scripted;
mod sse;

pub(super) use client::Endpoint;
pub(super) use effort::Effort;
pub(super) use error::ModelError;
pub(super) use language::Language;
pub(super) use request::{Request, ToolSpec};
pub(super) use scripted::{Gate, Player};

use super::message::{Stop, Usage};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// One step of a reply as it streams in.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Chunk {
    /// A block begins. Blocks are numbered from 0 within the reply.
    Start {
        index: usize,
        block: Opening,
    },
    Text {
        index: usize,
        text: String,
    },
    Thinking {
        index: usize,
        text: String,
    },
    Signature {
        index: usize,
        signature: String,
    },
    /// A fragment of a call's arguments.
    Args {
        index: usize,
        fragment: String,
    },
    /// A block is over.
    End {
        index: usize,
    },
    /// What the request has used so far; replaces what was said before.
    Usage(Usage),
    /// The reply is whole.
    Stop(Stop),
}

/// What a block is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Opening {
    Text,
    Thinking,
    Redacted(String),
    Call { id: String, tool: String },
}

/// A model that can be asked.
pub(super) struct Model {
    language: Cell<Language>,
    /// How much it is to think; none if nothing is said of it.
    effort: Cell<Option<Effort>>,
    source: RefCell<Source>,
}

/// Where its replies come from.
#[derive(Clone)]
pub(super) enum Source {
    Player(Rc<Player>),
    Endpoint(Endpoint),
}

/// A reply that streams in. Dropping it drops the connection.
pub(super) enum Reply {
    Played(scripted::Played),
    Streamed(Box<client::Streamed>),
}

impl Model {
    pub(super) fn new(language: Language, source: Source) -> Self {
        Model {
            language: Cell::new(language),
            effort: Cell::new(None),
            source: RefCell::new(source),
        }
    }

    /// Has it served elsewhere from now on. A script plays on.
    pub(super) fn redirect(&self, endpoint: &Endpoint) {
        if let Source::Endpoint(now) = &mut *self.source.borrow_mut() {
            now.clone_from(endpoint);
        }
    }

    /// Asks in another language from now on.
    pub(super) fn speak(&self, language: Language) {
        self.language.set(language);
    }

    /// Has it think so much from now on; says nothing of it if there is none.
    pub(super) fn think(&self, effort: Option<Effort>) {
        self.effort.set(effort);
    }

    /// Sends a request's body and waits until the reply begins.
    pub(super) async fn send(&self, body: Value) -> Result<Reply, ModelError> {
        let source = self.source.borrow().clone();
        match source {
            Source::Player(player) => player
                .ask(self.language.get(), body)
                .await
                .map(Reply::Played),
            Source::Endpoint(endpoint) => endpoint
                .ask(self.language.get(), body)
                .await
                .map(|reply| Reply::Streamed(Box::new(reply))),
        }
    }

    /// The body of a request, in the model's language.
    pub(super) fn body(&self, request: &Request<'_>) -> Value {
        let language = self.language.get();
        let mut body = language.body(request);
        if let Some(effort) = self.effort.get() {
            effort.tell(language, &mut body);
        }
        body
    }
}

impl Reply {
    /// The next chunk; none behind the last.
    pub(super) async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        match self {
            Reply::Played(reply) => reply.next().await,
            Reply::Streamed(reply) => reply.next().await,
        }
    }
}
