//! Shell commands of the host: they run one after the other, in parallel with the turns.

use super::{Session, check_capacity};
use crate::core::{Event, Failure, Halt};
use crate::faults::Bug;
use crate::tools::shell::{self, ShellOptions, ShellResult};
use std::pin::pin;
use std::rc::Rc;
use tokio::sync::Notify;

impl Session {
    /// Queues a shell command of the host. It runs in parallel with the turns.
    ///
    /// # Errors
    /// Too many commands wait.
    pub(crate) fn run_shell_command(&self, command: String) -> Result<(), Failure> {
        let mut commands = self.shell_commands.borrow_mut();
        check_capacity(commands.len())?;
        commands.push_back((command, Rc::new(Notify::new())));
        self.wake_shell.notify_one();
        Ok(())
    }

    /// Stops the shell command that runs, and those that wait.
    pub(super) fn stop_shell_commands(&self, halt: Halt) {
        let commands = self.shell_commands.borrow();
        let stops = halt == Halt::Stop && !commands.is_empty();
        if !(stops && self.faults.triggers(Bug::ShellIgnoresStop)) {
            commands.iter().for_each(|(_, stop)| stop.notify_one());
        }
    }

    /// Runs commands until the session is closed and none is left. The model gets each with its output.
    pub(super) async fn run_shell_commands(&self) {
        loop {
            let next = self.shell_commands.borrow().front().cloned();
            match next {
                Some((command, stop)) => {
                    let result = self.execute(command, &stop).await;
                    self.shell_commands.borrow_mut().pop_front();
                    self.events.outbox.ready_for_turn().await;
                    self.events.emit(&Event::ShellCommandEnd(&result));
                    if let Some(text) = note(self, &result) {
                        self.add_note(text);
                    }
                }
                None if self.is_closed() => return,
                None => self.wake_shell.notified().await,
            }
        }
    }

    async fn execute(&self, command: String, stop: &Notify) -> ShellResult {
        let mut stop = pin!(stop.notified());
        if stop.as_mut().enable() {
            return ShellResult {
                command,
                cancelled: true,
                ..ShellResult::default()
            };
        }
        let mut result = shell::execute(&command, shell_options(self), stop, &mut |_| {}).await;
        if let Some(path) = &result.whole
            && self.faults.triggers(Bug::KeepsWholeOutput)
            && let Ok(output) = std::fs::read_to_string(path)
        {
            (result.output, result.whole) = (output, None);
        }
        result
    }
}

/// How shell commands of the host run.
pub(crate) fn shell_options(session: &Session) -> ShellOptions<'_> {
    ShellOptions {
        root: &session.workspace.root,
        outputs: &session.settings.output_folder,
        faults: &session.faults,
    }
}

/// The message about a command that the model gets.
pub(crate) fn note(session: &Session, result: &ShellResult) -> Option<String> {
    let text = description(result);
    if session.faults.triggers(Bug::ShellResultReformatted) {
        return Some(text.replace("```", "---"));
    }
    (!session.faults.triggers(Bug::ShellResultNotSent)).then_some(text)
}

fn description(result: &ShellResult) -> String {
    let ShellResult {
        command,
        output,
        code,
        cancelled,
        whole,
    } = result;
    let mut text = format!("Ran `{command}`\n```\n{output}\n```");
    match code {
        _ if *cancelled => text.push_str("\n\n(the command was cancelled)"),
        Some(0) => {}
        Some(code) => text.push_str(&format!("\n\nThe command exited with code {code}")),
        None => text.push_str("\n\nThe command was killed"),
    }
    if let Some(path) = whole {
        let note = format!(
            "\n\n[The output is shortened; all of it: {}]",
            path.display()
        );
        text.push_str(&note);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_told_the_command_its_output_and_its_exit_status() {
        let mut result = ShellResult {
            command: "ls".into(),
            output: "a".into(),
            code: Some(0),
            ..ShellResult::default()
        };
        assert_eq!(description(&result), "Ran `ls`\n```\na\n```");

        result.code = Some(3);
        result.whole = Some("/x".into());
        assert_eq!(
            description(&result),
            "Ran `ls`\n```\na\n```\n\nThe command exited with code 3\n\n[The output is shortened; all of it: /x]"
        );
    }
}
