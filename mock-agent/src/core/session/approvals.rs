//! What the host allows: its answers to calls that ask, and the mode.

use super::Session;
use crate::core::approval::{Decision, Mode};
use crate::core::call::Call;
use crate::core::event::Event;
use crate::core::failure::{Code, Failure};
use crate::core::hooks::{After, LateAnswer};

impl Session {
    /// Hands over the host's answer to a call that asked.
    ///
    /// # Errors
    /// No such call is waiting for one.
    pub(crate) fn decide(&self, call: &str, decision: Decision) -> Result<(), Failure> {
        let asked = self.current().and_then(|turn| turn.asked(call));
        let Some((turn, asked)) = asked else {
            if self.accept_late(call, &decision) {
                return Ok(());
            }
            let why = format!("No tool request is waiting under the call_id {call:?}");
            return Err(Failure::lasting(Code::Protocol, why));
        };
        let is_first = turn.calls.all_asked().first().is_some_and(|id| id == call);
        if !self.hooks.accepts_answer(is_first) {
            return Ok(());
        }
        let decision = self.hooks.decision(decision, &asked.tool);
        if decision == (Decision::Approve { always: true }) {
            for category in self.hooks.always_approved(asked.category) {
                self.approvals.borrow_mut().allow(category);
            }
        }
        turn.decide(call, decision);
        Ok(())
    }

    /// Handles an answer to a call that does not wait for one; false if the answer is to be rejected.
    fn accept_late(&self, id: &str, decision: &Decision) -> bool {
        let turn = self.current();
        let known = turn.as_ref().and_then(|turn| turn.calls.known(id));
        match self.hooks.late_answer(known.is_some()) {
            LateAnswer::Rejected => return false,
            LateAnswer::Accepted => {
                if let (Some(call), Decision::Approve { always: true }) = (known, decision) {
                    self.approvals.borrow_mut().allow(call.category);
                }
            }
            LateAnswer::StartsAgain => {
                if let (Some(call), Some(turn)) = (known, turn) {
                    let turn = turn.id();
                    self.events.emit(&Event::ToolStart { turn, call: &call });
                }
            }
        }
        true
    }

    pub(crate) fn set_mode(&self, mode: Mode) {
        let in_turn = self.has_turn();
        let mut approvals = self.approvals.borrow_mut();
        approvals.mode = self.hooks.new_mode(approvals.mode, mode, in_turn);
        let messages = &mut self.conversation.borrow_mut().messages;
        self.hooks
            .forget(After::ModeChange, &mut approvals, messages);
    }

    /// Whether a call may only run if the host approves it.
    pub(crate) fn must_ask(&self, call: &Call) -> bool {
        let approvals = self.approvals.borrow();
        let required = approvals.must_ask(call.category);
        self.hooks.needs_approval(required, approvals.mode, call)
    }
}
