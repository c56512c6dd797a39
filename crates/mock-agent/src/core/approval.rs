//! Approval: which tool calls the host must approve, by mode and by category.

use super::ReportedCall;
use crate::faults::{Bug, Faults};
use crate::tools::Category;
use serde::Deserialize;
use std::collections::BTreeSet;

/// The approval mode: which calls run without an approval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ApprovalMode {
    /// None.
    #[default]
    Default,
    /// Those that read or change files.
    AutoEdit,
    /// All.
    Yolo,
}

impl ApprovalMode {
    /// Its name in the protocols that have modes.
    pub(crate) fn name(self) -> &'static str {
        spanned_yaml::names_of::<Self>()[self as usize]
    }

    fn allows(self, category: Category) -> bool {
        match self {
            ApprovalMode::Default => false,
            ApprovalMode::AutoEdit => matches!(category, Category::Info | Category::Edit),
            ApprovalMode::Yolo => true,
        }
    }
}

/// The host's decision on a call that waits for an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    Approve { always: bool },
    Deny { reason: String },
}

/// The mode and the categories that are always approved.
#[derive(Debug, Clone, Default)]
pub(crate) struct Approvals {
    pub(crate) mode: ApprovalMode,
    pub(super) allowed: BTreeSet<Category>,
    /// The tools whose calls were "always" approved. Only a fault uses them.
    allowed_tools: BTreeSet<String>,
    /// The mode from the next turn on. Only a fault delays it.
    late_mode: Option<ApprovalMode>,
}

impl Approvals {
    pub(crate) fn new(mode: ApprovalMode) -> Self {
        Approvals {
            mode,
            ..Approvals::default()
        }
    }

    /// Lets calls of this category run without an approval.
    pub(crate) fn allow(&mut self, category: Category) {
        self.allowed.insert(category);
    }

    /// Whether a call may only run if the host approves it.
    pub(super) fn needs_approval(&self, call: &ReportedCall, faults: &Faults) -> bool {
        let spawns = call.tool == "Spawn";
        if !self.mode.allows(call.category) && !self.allowed.contains(&call.category) {
            let skips = match self.mode {
                ApprovalMode::Default => faults.triggers(Bug::NeverRequestsApproval),
                ApprovalMode::AutoEdit => {
                    faults.triggers(Bug::AutoEditAllowsAll)
                        || spawns && faults.triggers(Bug::SpawnsUnapproved)
                }
                ApprovalMode::Yolo => false,
            };
            return !skips;
        }
        match self.mode {
            ApprovalMode::Default => {
                !self.allowed_tools.contains(&call.tool) && faults.triggers(Bug::AlwaysIsForTool)
            }
            ApprovalMode::AutoEdit => {
                self.mode.allows(call.category) && faults.triggers(Bug::RequestsApprovalInAutoEdit)
            }
            ApprovalMode::Yolo => {
                spawns && faults.triggers(Bug::RequestsApprovalForSpawn)
                    || faults.triggers(Bug::RequestsApprovalInYolo)
            }
        }
    }

    /// Applies a decision on a call: "always" approves its category. Returns the decision on the call alone.
    pub(super) fn apply(
        &mut self,
        decision: Decision,
        call: &ReportedCall,
        faults: &Faults,
    ) -> Decision {
        let [once, always] = [false, true].map(|always| Decision::Approve { always });
        if decision == always {
            self.allowed_tools.insert(call.tool.clone());
        }
        let decision = match decision {
            Decision::Approve { always: true } if faults.triggers(Bug::IgnoresAlways) => once,
            Decision::Approve { always: false } if faults.triggers(Bug::OnceIsAlways) => {
                always.clone()
            }
            Decision::Deny { .. } if faults.triggers(Bug::RunsDenied) => once,
            decision => decision,
        };
        if decision == always {
            if faults.triggers(Bug::AlwaysAllowsAll) {
                self.allowed.extend(Category::ALL);
            }
            self.allowed.insert(call.category);
        }
        decision
    }

    /// Sets the mode that the host wants; `in_turn` if a turn is running.
    pub(super) fn set_mode(&mut self, wanted: ApprovalMode, in_turn: bool, faults: &Faults) {
        let modes = (self.mode, wanted);
        let changes = self.mode != wanted;
        if changes && faults.triggers(Bug::IgnoresMode)
            || modes == (ApprovalMode::Yolo, ApprovalMode::AutoEdit)
                && faults.triggers(Bug::KeepsYolo)
        {
            return;
        }
        if changes && in_turn && faults.triggers(Bug::DelaysMode) {
            self.late_mode = Some(wanted)
        } else {
            self.mode = wanted
        }
    }

    /// A turn is over.
    pub(super) fn end_turn(&mut self, faults: &Faults) {
        if faults.triggers(Bug::ForgetsMode) {
            self.mode = ApprovalMode::Default;
        } else if let Some(mode) = self.late_mode.take() {
            self.mode = mode;
        }
    }
}
