//! The tokens that a turn uses.

use crate::model::message::TokenUsage;
use std::cell::Cell;

/// What a turn has used: the requests that are over, and the one at work.
#[derive(Debug, Default)]
pub(crate) struct TurnUsage {
    over: Cell<TokenUsage>,
    at_work: Cell<TokenUsage>,
}

impl TurnUsage {
    /// The request at work has used so much by now.
    pub(crate) fn so_far(&self, usage: TokenUsage) {
        self.at_work.set(usage);
    }

    /// What the request at work has used.
    pub(crate) fn now(&self) -> TokenUsage {
        self.at_work.get()
    }

    /// The request at work is over.
    pub(crate) fn settle(&self) {
        self.add(self.at_work.take());
    }

    /// Another request has used so much.
    pub(crate) fn add(&self, usage: TokenUsage) {
        let mut over = self.over.get();
        over += usage;
        self.over.set(over);
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.total() == TokenUsage::default()
    }

    /// Forgets all that is over.
    pub(crate) fn forget(&self) {
        self.over.take();
    }

    pub(crate) fn total(&self) -> TokenUsage {
        let mut total = self.over.get();
        total += self.at_work.get();
        total
    }
}
