//! What the parts of a turn share: the session's state, and the turn's id, model, token usage and stop signal.

use super::event::Event;
use super::failure::{Failure, Halt};
use super::state::SessionState;
use crate::model::message::Usage;
use std::cell::Cell;
use tokio::sync::Notify;

/// A running turn, as its model requests, tool calls and sub-agents see it.
#[derive(Clone, Copy)]
pub(crate) struct TurnContext<'a> {
    pub(crate) state: &'a SessionState,
    pub(crate) id: &'a str,
    /// The model of the turn, by the name of its API.
    pub(crate) model: &'a str,
    pub(crate) usage: &'a TurnUsage,
    pub(crate) stop: &'a StopSignal,
}

impl TurnContext<'_> {
    pub(super) fn emit_failure(&self, failure: &Failure) {
        self.state.events.emit(&Event::Failed {
            turn: Some(self.id),
            failure,
        });
    }

    pub(super) fn emit_notice(&self, text: &str) {
        let turn = self.id;
        self.state.events.emit(&Event::Notice { turn, text });
    }
}

/// Asks a turn to stop.
#[derive(Debug, Default)]
pub(crate) struct StopSignal {
    halt: Cell<Option<Halt>>,
    changed: Notify,
}

impl StopSignal {
    /// Asks the turn to stop. The first reason counts.
    pub(crate) fn send(&self, halt: Halt) {
        self.halt.set(self.halt.get().or(Some(halt)));
        self.changed.notify_one();
    }

    pub(super) async fn wait(&self) -> Halt {
        loop {
            match self.halt.get() {
                Some(halt) => return halt,
                None => self.changed.notified().await,
            }
        }
    }
}

/// The tokens that a turn has used: by finished requests, and by the one that is running.
#[derive(Debug, Default)]
pub(crate) struct TurnUsage {
    finished: Cell<Usage>,
    running: Cell<Usage>,
}

impl TurnUsage {
    /// Sets the usage of the running request.
    pub(super) fn set_running(&self, usage: Usage) {
        self.running.set(usage);
    }

    pub(super) fn running(&self) -> Usage {
        self.running.get()
    }

    /// Counts the running request as finished.
    pub(super) fn finish_request(&self) {
        self.add(self.running.take());
    }

    /// Adds a finished request.
    pub(super) fn add(&self, usage: Usage) {
        let mut finished = self.finished.get();
        finished += usage;
        self.finished.set(finished);
    }

    pub(super) fn is_zero(&self) -> bool {
        self.total() == Usage::default()
    }

    /// Forgets the finished requests.
    pub(super) fn forget_finished(&self) {
        self.finished.take();
    }

    pub(super) fn total(&self) -> Usage {
        let mut total = self.finished.get();
        total += self.running.get();
        total
    }
}
