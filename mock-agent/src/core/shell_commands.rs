//! Shell commands of the host's own: run one after the other, beside the turns.

use super::event::Event;
use super::session::Session;
use crate::tools::shell::ShellResult;
use crate::tools::shell::{self, ShellOptions};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use tokio::sync::Notify;

/// The commands that wait, and the one that runs.
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
    /// Has a command run, after those that were there before it.
    pub(crate) fn add(&self, command: String) {
        self.waiting.borrow_mut().push_back(QueuedCommand {
            command,
            cancelled: false,
        });
        self.changed.notify_one();
    }

    /// How many commands wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.borrow().len()
    }

    /// Whether there is a command that waits or runs.
    pub(crate) fn any(&self) -> bool {
        self.busy.get() || self.waiting() > 0
    }

    /// Cancels every command there is.
    pub(crate) fn cancel(&self) {
        for wanted in self.waiting.borrow_mut().iter_mut() {
            wanted.cancelled = true;
        }
        if self.busy.get() {
            self.cancelled.notify_one();
        }
    }

    /// There may be no more commands.
    pub(crate) fn wake(&self) {
        self.changed.notify_one();
    }

    /// Runs commands until the session is closed and none is left.
    pub(crate) async fn work(&self, session: &Session) {
        loop {
            let next = self.waiting.borrow_mut().pop_front();
            match next {
                Some(wanted) => {
                    let executed = self.run(session, wanted).await;
                    session.events.outbox.ready_for_turn().await;
                    session.events.emit(&Event::ShellCommandEnd(&executed));
                    if let Some(told) = session.hooks.shell_command_text(told(&executed)) {
                        session.add_aside(told);
                    }
                }
                None if session.is_closing() => return,
                None => self.changed.notified().await,
            }
        }
    }

    async fn run(&self, session: &Session, wanted: QueuedCommand) -> ShellResult {
        let QueuedCommand { command, cancelled } = wanted;
        let cancelled = cancelled.then(|| ShellResult {
            command: command.clone(),
            cancelled: true,
            ..ShellResult::default()
        });
        if let Some(executed) = cancelled {
            return executed;
        }
        self.busy.set(true);
        let stop = self.cancelled.notified();
        let executed = shell::execute(&command, place(session), stop, &mut |_| {}).await;
        self.busy.set(false);
        executed
    }
}

/// Where commands run.
pub(crate) fn place(session: &Session) -> ShellOptions<'_> {
    session.hooks.shell_options(ShellOptions {
        root: session.workspace.root(),
        outputs: &session.settings.output_folder,
        keeps_children: false,
        twice: false,
    })
}

/// What the model is told of a command.
pub(crate) fn told(executed: &ShellResult) -> String {
    let ShellResult {
        command,
        output,
        code,
        cancelled,
        whole,
    } = executed;
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
    fn the_model_is_told_the_command_its_output_and_how_it_ended() {
        let mut executed = ShellResult {
            command: "ls".into(),
            output: "a".into(),
            code: Some(0),
            ..ShellResult::default()
        };
        assert_eq!(told(&executed), "Ran `ls`\n```\na\n```");

        executed.code = Some(3);
        executed.whole = Some("/x".into());
        assert_eq!(
            told(&executed),
            "Ran `ls`\n```\na\n```\n\nThe command exited with code 3\n\n[The output is shortened; all of it: /x]"
        );
    }
}
