//! Approvals: the host's decisions on tool calls, and the approval mode.

use super::Session;
use crate::core::{ApprovalMode, Decision, Event, Failure};
use crate::faults::Bug;
use crate::tools::Category;

impl Session {
    /// Applies the host's decision to a call that waits for an approval.
    ///
    /// # Errors
    /// No such call waits.
    pub(crate) fn decide(&self, id: &str, decision: Decision) -> Result<(), Failure> {
        let turn = self.running_turn();
        let waiting = turn.and_then(|turn| Some((turn.calls.awaiting(id)?, turn)));
        let Some((call, turn)) = waiting else {
            if self.accepts_late(id, &decision) {
                return Ok(());
            }
            let why = format!("No tool request is waiting under the call_id {id:?}");
            return Err(Failure::protocol(why));
        };
        let is_first = turn.calls.all_awaiting().first().is_some_and(|n| n == id);
        if !is_first && self.faults.triggers(Bug::AnswersInOrder) {
            return Ok(());
        }
        let mut approvals = self.approvals.borrow_mut();
        let decision = approvals.apply(decision, &call, &self.faults);
        turn.calls.decide(id, decision);
        Ok(())
    }

    /// The category of an open call.
    pub(crate) fn category_of(&self, id: &str) -> Option<Category> {
        Some(self.running_turn()?.calls.find(id)?.category)
    }

    /// Whether a fault accepts a decision on a call that does not wait for one.
    fn accepts_late(&self, id: &str, decision: &Decision) -> bool {
        let turn = self.running_turn();
        let call = turn.as_ref().and_then(|turn| turn.calls.find(id));
        if self.faults.is_armed(Bug::RunsBeforeApproval) {
            if let (Some(call), Decision::Approve { always: true }) = (call, decision) {
                self.approvals.borrow_mut().allowed.insert(call.category);
            }
            return true;
        }
        let (Some(turn), Some(call)) = (turn, call) else {
            return false;
        };
        let starts = self.faults.triggers(Bug::StartsTwice);
        if starts {
            let (turn, call) = (turn.id(), &*call);
            self.events.emit(&Event::ToolStart { turn, call });
        }
        starts
    }

    /// Sets the approval mode.
    pub(crate) fn set_mode(&self, mode: ApprovalMode) {
        let mut approvals = self.approvals.borrow_mut();
        approvals.set_mode(mode, self.has_turn(), &self.faults);
        drop(approvals);
        self.forget_turns_if(Bug::ModeForgetsTurns);
        self.forget_allowed_if(Bug::ModeForgetsAllowed);
    }
}
