//! What the host allows: its answers to calls that ask, and the mode.

use super::Session;
use crate::core::approval::{Decision, Mode};
use crate::core::call::Call;
use crate::core::event::Event;
use crate::core::failure::{Code, Failure};
use crate::faults::Bug;

impl Session {
    /// Hands over the host's answer to a call that asked.
    ///
    /// # Errors
    /// No such call is waiting for one.
    pub(crate) fn decide(&self, call: &str, decision: Decision) -> Result<(), Failure> {
        let asked = self.current().and_then(|turn| turn.asked(call));
        let Some((turn, asked)) = asked else {
            if self.faults.intends(Bug::RunsBeforeAnswer) {
                self.late_answer(call, &decision);
                return Ok(());
            }
            if self.faults.intends(Bug::StartsTwice) && self.starts_again(call) {
                return Ok(());
            }
            let why = format!("No tool request is waiting under the call_id {call:?}");
            return Err(Failure::lasting(Code::Protocol, why));
        };
        let is_first = turn.calls.all_asked().first().is_some_and(|id| id == call);
        if !is_first && self.faults.plays(Bug::AnswersInOrder) {
            return Ok(());
        }
        let decision = self.faults.decision(decision, &asked.tool);
        if decision == (Decision::Approve { always: true }) {
            for category in self.faults.allowed(asked.category) {
                self.approvals.borrow_mut().allow(category);
            }
        }
        turn.decide(call, decision);
        Ok(())
    }

    /// An answer to a call that has not waited for it.
    fn late_answer(&self, call: &str, decision: &Decision) {
        let known = self.current().and_then(|turn| turn.calls.known(call));
        if let (Some(call), Decision::Approve { always: true }) = (known, decision) {
            self.approvals.borrow_mut().allow(call.category);
        }
    }

    /// Says of a call that was answered before that it starts once more. Only a fault does that.
    fn starts_again(&self, call: &str) -> bool {
        let Some(turn) = self.current() else {
            return false;
        };
        let Some(call) = turn.calls.known(call) else {
            return false;
        };
        if self.faults.plays(Bug::StartsTwice) {
            let turn = turn.id();
            self.events.emit(&Event::ToolStart { turn, call: &call });
        }
        true
    }

    pub(crate) fn set_mode(&self, mode: Mode) {
        let in_turn = self.has_turn();
        let mut approvals = self.approvals.borrow_mut();
        approvals.mode = self.faults.mode(approvals.mode, mode, in_turn);
        if self.faults.plays(Bug::ModeForgetsAllowed) {
            approvals.forget();
        }
        if self.faults.plays(Bug::ModeForgetsTurns) {
            self.conversation.borrow_mut().messages.clear();
        }
    }

    /// A turn was stopped, which takes back nothing that was allowed. Only a fault does that.
    pub(crate) fn stop_forgets(&self) {
        let mut approvals = self.approvals.borrow_mut();
        if self.faults.plays(Bug::StopForgetsAllowed) {
            approvals.forget();
        }
        if self.faults.plays(Bug::StopResetsMode) {
            approvals.mode = Mode::Default;
        }
    }

    /// Whether a call may only run if the host agrees.
    pub(crate) fn must_ask(&self, call: &Call) -> bool {
        let approvals = self.approvals.borrow();
        let right = approvals.must_ask(call.category);
        self.faults
            .asks(right, approvals.mode, call.category, &call.tool)
    }
}
