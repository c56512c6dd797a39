//! The faults in the tools.

use super::active::Faults;
use super::bug::Bug;
use crate::tools::ToolHooks;

impl ToolHooks for Faults {
    fn shell_inherits_stdin(&self) -> bool {
        self.triggers(Bug::ToolReadsStdin)
    }

    fn shell_runs_twice(&self) -> bool {
        self.triggers(Bug::ToolRunsTwice)
    }

    fn keeps_children(&self) -> bool {
        // Only intended: whether it makes a difference shows when a turn is stopped.
        self.is_armed(Bug::StopKeepsChildren)
    }

    fn write_adds_newline(&self) -> bool {
        self.triggers(Bug::WriteAddsNewline)
    }

    fn write_appends(&self) -> bool {
        self.triggers(Bug::WriteAppends)
    }

    fn replacement(&self, new: &str, old: &str) -> String {
        if new.contains("$&") && self.triggers(Bug::EditExpandsPatterns) {
            return new.replace("$&", old);
        }
        new.to_owned()
    }

    fn edited_file(&self, text: String) -> String {
        if text.contains("\r\n") && self.triggers(Bug::EditChangesNewlines) {
            return text.replace("\r\n", "\n");
        }
        text
    }
}
