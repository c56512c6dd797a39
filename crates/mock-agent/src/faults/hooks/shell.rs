//! Faults in shell commands of the host.

use crate::core::hooks::ShellHooks;
use crate::faults::Faults;
use crate::faults::bug::Bug;
use crate::tools::shell::{ShellOptions, ShellResult};
use std::path::Path;

impl ShellHooks for Faults {
    fn stop_cancels_shell_commands(&self) -> bool {
        !self.triggers(Bug::ShellIgnoresStop)
    }

    fn shell_options<'a>(&self, options: ShellOptions<'a>) -> ShellOptions<'a> {
        ShellOptions {
            root: match self.triggers(Bug::ShellRunsElsewhere) {
                true => Path::new("/"),
                false => options.root,
            },
            keeps_children: self.triggers(Bug::ShellKeepsChildren),
            twice: self.triggers(Bug::ShellRunsTwice),
            ..options
        }
    }

    fn shell_result(&self, mut result: ShellResult) -> ShellResult {
        if let Some(path) = &result.whole
            && self.triggers(Bug::KeepsWholeOutput)
            && let Ok(all) = std::fs::read_to_string(path)
        {
            result.output = all;
            result.whole = None;
        }
        result
    }

    fn shell_command_text(&self, text: String) -> Option<String> {
        if self.triggers(Bug::ShellResultNotSent) {
            return None;
        }
        if self.triggers(Bug::ShellResultReformatted) {
            return Some(text.replace("```", "---"));
        }
        Some(text)
    }
}
