//! Shell commands of the host: they run one after the other, beside the turns.

use super::event::Event;
use super::state::SessionState;
use crate::faults::Bug;
use crate::tools::shell::{self, ShellOptions, ShellResult};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use tokio::sync::Notify;

/// The shell commands that wait, and whether one runs.
#[derive(Debug, Default)]
pub(crate) struct ShellCommands {
    waiting: RefCell<VecDeque<QueuedCommand>>,
    busy: Cell<bool>,
    changed: Notify,
    cancelled: Notify,
}

#[derive(Debug)]
struct QueuedCommand {
    command: String,
    cancelled: bool,
}

impl ShellCommands {
    /// Queues a command.
    pub(crate) fn add(&self, command: String) {
        self.waiting.borrow_mut().push_back(QueuedCommand {
            command,
            cancelled: false,
        });
        self.changed.notify_one();
    }

    /// The number of commands that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.borrow().len()
    }

    /// Whether a command waits or runs.
    pub(crate) fn any(&self) -> bool {
        self.busy.get() || self.waiting() > 0
    }

    /// Cancels all commands.
    pub(crate) fn cancel(&self) {
        for queued in self.waiting.borrow_mut().iter_mut() {
            queued.cancelled = true;
        }
        if self.busy.get() {
            self.cancelled.notify_one();
        }
    }

    /// Lets [`ShellCommands::run`] check again whether it is over.
    pub(crate) fn wake(&self) {
        self.changed.notify_one();
    }

    /// Runs commands until the session is closed and none is left. Passes what the model is told about each to `add_note`.
    pub(super) async fn run(&self, state: &SessionState, add_note: impl Fn(String)) {
        loop {
            let next = self.waiting.borrow_mut().pop_front();
            match next {
                Some(next) => {
                    let result = self.run_one(state, next).await;
                    state.events.outbox.ready_for_turn().await;
                    state.events.emit(&Event::ShellCommandEnd(&result));
                    note(state, &result).into_iter().for_each(&add_note);
                }
                None if state.is_closed() => return,
                None => self.changed.notified().await,
            }
        }
    }

    async fn run_one(&self, state: &SessionState, next: QueuedCommand) -> ShellResult {
        let QueuedCommand { command, cancelled } = next;
        if cancelled {
            return ShellResult {
                command,
                cancelled,
                ..ShellResult::default()
            };
        }
        self.busy.set(true);
        let stop = self.cancelled.notified();
        let mut result = shell::execute(&command, shell_options(state), stop, &mut |_| {}).await;
        self.busy.set(false);
        if let Some(path) = &result.whole
            && state.faults.triggers(Bug::KeepsWholeOutput)
            && let Ok(output) = std::fs::read_to_string(path)
        {
            (result.output, result.whole) = (output, None);
        }
        result
    }
}

/// How shell commands of the host run.
pub(crate) fn shell_options(state: &SessionState) -> ShellOptions<'_> {
    ShellOptions {
        root: state.workspace.root(),
        outputs: &state.settings.output_folder,
        faults: &state.faults,
    }
}

/// What the model is told about a command.
pub(crate) fn note(state: &SessionState, result: &ShellResult) -> Option<String> {
    let text = description(result);
    if state.faults.triggers(Bug::ShellResultReformatted) {
        return Some(text.replace("```", "---"));
    }
    (!state.faults.triggers(Bug::ShellResultNotSent)).then_some(text)
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
