//! Faults in what happens after a stop, a failure or another event.

use crate::core::approval::{ApprovalMode, Approvals};
use crate::core::hooks::{After, ConsequenceHooks};
use crate::faults::Faults;
use crate::faults::bug::Bug;
use crate::model::message::Message;

impl ConsequenceHooks for Faults {
    fn exits(&self, after: After) -> bool {
        match after {
            After::Stop => self.triggers(Bug::StopExits),
            After::ModelError => self.triggers(Bug::ProviderErrorExits),
            After::RejectedCommand => self.triggers(Bug::BadCommandExits),
            After::Turn => self.triggers(Bug::ExitsAfterTurn),
            _ => false,
        }
    }

    fn stays_busy(&self, after: After) -> bool {
        match after {
            After::Stop => self.triggers(Bug::StopLeavesBusy),
            After::ModelError => self.triggers(Bug::ProviderErrorLeavesBusy),
            After::EmptyReply => self.triggers(Bug::EmptyReplyStuck),
            _ => false,
        }
    }

    fn forget(&self, after: After, approvals: &mut Approvals, messages: &mut Vec<Message>) {
        let (conversation, always) = match after {
            After::ModeChange => (Bug::ModeForgetsTurns, Some(Bug::ModeForgetsAllowed)),
            After::ModelChange => (Bug::ModelChangeForgets, Some(Bug::ModelForgetsAllowed)),
            After::Stop => (Bug::StopForgets, Some(Bug::StopForgetsAllowed)),
            After::ModelError => (Bug::ProviderErrorForgets, None),
            After::FailedCompaction => (Bug::FailedCompactForgets, None),
            _ => return,
        };
        if self.triggers(conversation) {
            messages.clear();
        }
        if always.is_some_and(|bug| self.triggers(bug)) {
            approvals.forget();
        }
        if after == After::Stop && self.triggers(Bug::StopResetsMode) {
            approvals.mode = ApprovalMode::Default;
        }
    }

    fn resets_model(&self, after: After) -> bool {
        match after {
            After::ModelError => self.triggers(Bug::FailureResetsModel),
            After::Turn => self.triggers(Bug::ModelLastsOneTurn),
            _ => false,
        }
    }
}
