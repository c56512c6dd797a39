//! Which tools may run without asking.

use crate::tools::Category;
use std::collections::BTreeSet;

/// How much may run without asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Nothing.
    #[default]
    Default,
    /// Reading and changing files.
    AutoEdit,
    /// Everything.
    Yolo,
}

impl Mode {
    /// As the dialects that have modes call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Mode::Default => "default",
            Mode::AutoEdit => "auto_edit",
            Mode::Yolo => "yolo",
        }
    }

    fn allows(self, category: Category) -> bool {
        match self {
            Mode::Default => false,
            Mode::AutoEdit => matches!(category, Category::Info | Category::Edit),
            Mode::Yolo => true,
        }
    }
}

/// The host's answer to a call that asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    Approve { always: bool },
    Deny { reason: String },
}

/// What the session allows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Approvals {
    pub(crate) mode: Mode,
    allowed: BTreeSet<Category>,
}

impl Approvals {
    pub(crate) fn new(mode: Mode) -> Self {
        Approvals {
            mode,
            allowed: BTreeSet::new(),
        }
    }

    /// Lets this category pass for the rest of the session.
    pub(crate) fn allow(&mut self, category: Category) {
        self.allowed.insert(category);
    }

    /// Lets only pass what the mode allows.
    pub(crate) fn forget(&mut self) {
        self.allowed.clear();
    }

    pub(crate) fn must_ask(&self, category: Category) -> bool {
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
            .filter(|one| approvals.must_ask(*one))
            .map(Category::name)
            .collect()
    }

    #[test]
    fn each_mode_asks_for_its_own_categories() {
        assert_eq!(
            asked(&Approvals::new(Mode::Default)),
            ["info", "edit", "exec", "mcp"]
        );
        assert_eq!(asked(&Approvals::new(Mode::AutoEdit)), ["exec", "mcp"]);
        assert_eq!(asked(&Approvals::new(Mode::Yolo)), [""; 0]);
    }

    #[test]
    fn an_allowed_category_outlives_a_change_of_mode() {
        let mut approvals = Approvals::new(Mode::Default);
        approvals.allow(Category::Exec);
        approvals.mode = Mode::Yolo;
        approvals.mode = Mode::Default;

        assert_eq!(asked(&approvals), ["info", "edit", "mcp"]);
    }
}
