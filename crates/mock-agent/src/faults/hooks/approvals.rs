//! Faults in approvals.

use crate::core::approval::{ApprovalMode, Decision};
use crate::core::event::ReportedCall;
use crate::core::hooks::{ApprovalHooks, LateAnswer};
use crate::faults::Faults;
use crate::faults::bug::Bug;
use crate::tools::Category;

impl ApprovalHooks for Faults {
    fn needs_approval(&self, required: bool, mode: ApprovalMode, call: &ReportedCall) -> bool {
        let harmless = matches!(call.category, Category::Info | Category::Edit);
        let spawns = call.tool == "Spawn";
        let approved = || self.approved.borrow().contains(&call.tool);
        let bug = match (required, mode) {
            (true, ApprovalMode::Default) => Bug::NeverRequestsApproval,
            (true, ApprovalMode::AutoEdit) if self.is_armed(Bug::AutoEditAllowsAll) => {
                Bug::AutoEditAllowsAll
            }
            (true, ApprovalMode::AutoEdit) if spawns => Bug::SpawnsUnapproved,
            (false, ApprovalMode::Yolo)
                if spawns && self.is_armed(Bug::RequestsApprovalForSpawn) =>
            {
                Bug::RequestsApprovalForSpawn
            }
            (false, ApprovalMode::Yolo) => Bug::RequestsApprovalInYolo,
            (false, ApprovalMode::AutoEdit) if harmless => Bug::RequestsApprovalInAutoEdit,
            (false, ApprovalMode::Default) if !approved() => Bug::AlwaysIsForTool,
            _ => return required,
        };
        required != self.triggers(bug)
    }

    fn accepts_answer(&self, is_first: bool) -> bool {
        is_first || !self.triggers(Bug::AnswersInOrder)
    }

    fn decision(&self, decision: Decision, tool: &str) -> Decision {
        if decision == (Decision::Approve { always: true }) {
            self.approved.borrow_mut().push(tool.to_owned());
        }
        match decision {
            Decision::Approve { always: true } if self.triggers(Bug::IgnoresAlways) => {
                Decision::Approve { always: false }
            }
            Decision::Approve { always: false } if self.triggers(Bug::OnceIsAlways) => {
                Decision::Approve { always: true }
            }
            Decision::Deny { .. } if self.triggers(Bug::RunsDenied) => {
                Decision::Approve { always: false }
            }
            decision => decision,
        }
    }

    fn late_answer(&self, known: bool) -> LateAnswer {
        if self.is_armed(Bug::RunsBeforeApproval) {
            return LateAnswer::Accepted;
        }
        if known && self.triggers(Bug::StartsTwice) {
            return LateAnswer::StartsAgain;
        }
        LateAnswer::Rejected
    }

    fn always_approved(&self, category: Category) -> Vec<Category> {
        if self.triggers(Bug::AlwaysAllowsAll) {
            return vec![
                Category::Info,
                Category::Edit,
                Category::Exec,
                Category::Mcp,
            ];
        }
        vec![category]
    }

    fn new_mode(&self, current: ApprovalMode, wanted: ApprovalMode, in_turn: bool) -> ApprovalMode {
        if current != wanted && self.triggers(Bug::IgnoresMode) {
            return current;
        }
        if current == ApprovalMode::Yolo
            && wanted == ApprovalMode::AutoEdit
            && self.triggers(Bug::KeepsYolo)
        {
            return current;
        }
        if current != wanted && in_turn && self.triggers(Bug::DelaysMode) {
            self.late_mode.set(Some(wanted));
            return current;
        }
        wanted
    }

    fn mode_after_turn(&self, mode: ApprovalMode) -> ApprovalMode {
        if self.triggers(Bug::ForgetsMode) {
            return ApprovalMode::Default;
        }
        self.late_mode.take().unwrap_or(mode)
    }
}
