//! Hooks: shell commands of the host.

use crate::tools::shell::{ShellOptions, ShellResult};

/// The decisions about shell commands of the host.
pub(crate) trait ShellHooks {
    /// Whether a stop cancels shell commands.
    fn stop_cancels_shell_commands(&self) -> bool {
        true
    }

    /// Where and how a shell command runs.
    fn shell_options<'a>(&self, options: ShellOptions<'a>) -> ShellOptions<'a> {
        options
    }

    /// What a shell command gave.
    fn shell_result(&self, result: ShellResult) -> ShellResult {
        result
    }

    /// What the model is told about a shell command.
    fn shell_command_text(&self, text: String) -> Option<String> {
        Some(text)
    }
}
