//! Hooks: which calls need an approval, and what the answers of the host do.

use crate::core::approval::{ApprovalMode, Decision};
use crate::core::event::ReportedCall;
use crate::tools::Category;

/// What happens to an answer of the host if its call does not wait for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LateAnswer {
    Rejected,
    Accepted,
    /// The call is reported as started once more.
    StartsAgain,
}

/// The decisions about approvals.
pub(crate) trait ApprovalHooks {
    /// Whether a call needs an approval; `required` is the correct answer.
    fn needs_approval(&self, required: bool, _mode: ApprovalMode, _call: &ReportedCall) -> bool {
        required
    }

    /// Whether an answer of the host counts; `is_first` if its call has waited longest.
    fn accepts_answer(&self, _is_first: bool) -> bool {
        true
    }

    /// The host's decision on a call of this tool.
    fn decision(&self, decision: Decision, _tool: &str) -> Decision {
        decision
    }

    /// What happens to an answer for a call that does not wait for one; `known` if the current turn has such a call.
    fn late_answer(&self, _known: bool) -> LateAnswer {
        LateAnswer::Rejected
    }

    /// The categories that "always" approves.
    fn always_approved(&self, category: Category) -> Vec<Category> {
        vec![category]
    }

    /// The mode after the host has asked for `wanted`.
    fn new_mode(
        &self,
        _current: ApprovalMode,
        wanted: ApprovalMode,
        _in_turn: bool,
    ) -> ApprovalMode {
        wanted
    }

    /// The mode after a turn.
    fn mode_after_turn(&self, mode: ApprovalMode) -> ApprovalMode {
        mode
    }
}
