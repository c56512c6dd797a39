//! The work that an agent has begun and not ended, such as turns and unanswered commands, as the dialect defines it (`session.work`).

use crate::dialect::Dialect;
use crate::rules::frame_context::FrameContext;
use frame_language::Truth;

/// The open pieces of work, counted for each kind of work of the dialect.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenWork {
    open: Vec<u64>,
    /// Whether an event has come since the host last sent a line.
    answered: bool,
    /// Whether the newest frame ended the work of a prompt.
    pub(super) ended_turn: bool,
}

impl OpenWork {
    /// Notes a frame. A frame that may begin work begins it; only a frame that certainly ends work ends it.
    pub(super) fn note(&mut self, dialect: &Dialect, context: &FrameContext<'_>) {
        let kinds = &dialect.session.work;
        self.open.resize(kinds.len(), 0);
        self.ended_turn = false;
        for (open, kind) in self.open.iter_mut().zip(kinds) {
            if context.matches(&kind.to) == Truth::True {
                *open = open.saturating_sub(1);
                self.ended_turn |= kind.is_turn;
            }
            if context.matches(&kind.from) != Truth::False {
                *open += 1;
            }
        }
    }

    /// Notes a line of the host, or of the agent.
    pub(super) fn note_line(&mut self, is_event: bool) {
        self.answered = is_event;
    }

    /// Whether all work has certainly ended.
    pub(super) fn is_over(&self) -> bool {
        self.answered && !self.open.is_empty() && self.open.iter().all(|open| *open == 0)
    }
}
