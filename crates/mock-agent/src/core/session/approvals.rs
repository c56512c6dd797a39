//! Approvals: the host's decisions on tool calls, and the approval mode.

use super::Session;
use crate::core::approval::{ApprovalMode, Decision};
use crate::core::event::Event;
use crate::core::failure::{Failure, FailureSource};
use crate::core::hooks::{After, LateAnswer};

impl Session {
    /// Applies the host's decision to a call that waits for an approval.
    ///
    /// # Errors
    /// No such call waits.
    pub(crate) fn decide(&self, id: &str, decision: Decision) -> Result<(), Failure> {
        let turn = self.running_turn();
        let waiting = turn.and_then(|turn| Some((turn.calls.awaiting(id)?, turn)));
        let Some((call, turn)) = waiting else {
            if self.accept_late(id, &decision) {
                return Ok(());
            }
            let why = format!("No tool request is waiting under the call_id {id:?}");
            return Err(Failure::permanent(FailureSource::Protocol, why));
        };
        let is_first = turn.calls.all_awaiting().first().is_some_and(|n| n == id);
        if !self.hooks.accepts_answer(is_first) {
            return Ok(());
        }
        let decision = self.hooks.decision(decision, &call.tool);
        if decision == (Decision::Approve { always: true }) {
            for category in self.hooks.always_approved(call.category) {
                self.approvals.borrow_mut().allow(category);
            }
        }
        turn.calls.decide(id, decision);
        Ok(())
    }

    /// Handles a decision on a call that does not wait for one; false if it is to be rejected.
    fn accept_late(&self, id: &str, decision: &Decision) -> bool {
        let turn = self.running_turn();
        let call = turn.as_ref().and_then(|turn| turn.calls.find(id));
        match self.hooks.late_answer(call.is_some()) {
            LateAnswer::Rejected => return false,
            LateAnswer::Accepted => {
                if let (Some(call), Decision::Approve { always: true }) = (call, decision) {
                    self.approvals.borrow_mut().allow(call.category);
                }
            }
            LateAnswer::StartsAgain => {
                if let (Some(call), Some(turn)) = (call, turn) {
                    let (turn, call) = (turn.id(), &*call);
                    self.events.emit(&Event::ToolStart { turn, call });
                }
            }
        }
        true
    }

    /// Sets the approval mode.
    pub(crate) fn set_mode(&self, mode: ApprovalMode) {
        let in_turn = self.has_turn();
        let current = self.approvals.borrow().mode;
        let mode = self.hooks.new_mode(current, mode, in_turn);
        self.approvals.borrow_mut().mode = mode;
        self.forget(After::ModeChange);
    }
}
