//! Approval: which tool calls the host must approve, by mode and by category.

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
        match self {
            ApprovalMode::Default => "default",
            ApprovalMode::AutoEdit => "auto_edit",
            ApprovalMode::Yolo => "yolo",
        }
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
    allowed: BTreeSet<Category>,
}

impl Approvals {
    pub(crate) fn new(mode: ApprovalMode) -> Self {
        Approvals {
            mode,
            allowed: BTreeSet::new(),
        }
    }

    /// Approves this category for the rest of the session.
    pub(crate) fn allow(&mut self, category: Category) {
        self.allowed.insert(category);
    }

    /// Forgets the approved categories.
    pub(crate) fn forget(&mut self) {
        self.allowed.clear();
    }

    /// Whether a call of this category needs an approval.
    pub(crate) fn required_for(&self, category: Category) -> bool {
        !self.mode.allows(category) && !self.allowed.contains(&category)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Category; 4] = [
        Category::Info,
        Category::Edit,
        Category::Exec,
        Category::Mcp,
    ];

    fn asked(approvals: &Approvals) -> Vec<&'static str> {
        ALL.into_iter()
            .filter(|one| approvals.required_for(*one))
            .map(Category::name)
            .collect()
    }

    #[test]
    fn each_mode_asks_for_its_own_categories() {
        assert_eq!(
            asked(&Approvals::new(ApprovalMode::Default)),
            ["info", "edit", "exec", "mcp"]
        );
        assert_eq!(
            asked(&Approvals::new(ApprovalMode::AutoEdit)),
            ["exec", "mcp"]
        );
        assert_eq!(asked(&Approvals::new(ApprovalMode::Yolo)), [""; 0]);
    }

    #[test]
    fn an_allowed_category_outlives_a_change_of_mode() {
        let mut approvals = Approvals::new(ApprovalMode::Default);
        approvals.allow(Category::Exec);
        approvals.mode = ApprovalMode::Yolo;
        approvals.mode = ApprovalMode::Default;

        assert_eq!(asked(&approvals), ["info", "edit", "mcp"]);
    }
}
