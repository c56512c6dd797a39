//! Hooks: what happens after a stop, a failure or another event.

use crate::core::approval::Approvals;
use crate::model::message::Message;

/// What happened just before the core calls a hook about its consequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    ModeChange,
    ModelChange,
    RejectedCommand,
    Stop,
    ModelError,
    EmptyReply,
    Turn,
    FailedCompaction,
}

/// The decisions about what a stop, a failure or another event leads to.
pub(crate) trait ConsequenceHooks {
    /// Whether the process exits.
    fn exits(&self, _after: After) -> bool {
        false
    }

    /// Whether the session stays busy although the turn is over.
    fn stays_busy(&self, _after: After) -> bool {
        false
    }

    /// Changes what the session remembers. Correct is to change nothing.
    fn forget(&self, _after: After, _approvals: &mut Approvals, _messages: &mut Vec<Message>) {}

    /// Whether the session goes back to its first model.
    fn resets_model(&self, _after: After) -> bool {
        false
    }
}
