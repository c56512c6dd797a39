//! `bash` and `abort_bash`: shell commands of the host, which run as background tasks beside the turns.

use super::messages::bash as message;
use super::responses::{Answer, PiCommand, respond};
use super::state::PiState;
use crate::core::session::Session;
use crate::core::shell_commands::{description, shell_options};
use crate::faults::Faults;
use crate::tools::shell;
use crate::tools::shell::ShellResult;
use serde_json::{Value, json};
use std::rc::Rc;
use tokio::sync::Notify;

pub(super) fn bash(command: &PiCommand<'_>) -> Option<Answer> {
    let text = match command.text("command") {
        Ok(text) => text.to_owned(),
        Err(why) => return Some(Err(why)),
    };
    let excluded = command.fields["excludeFromContext"] == true;
    let id = command.id().cloned();
    let stop = Rc::new(Notify::new());
    command.state(|state| state.shell_stops.push(Rc::clone(&stop)));
    let streams = command.version.streams_shell_output();
    command
        .session
        .background_tasks
        .add(Box::new(move |session| {
            let shell = ShellCommand {
                id,
                text,
                excluded,
                streams,
                stop,
            };
            Box::pin(async move { shell.run(session).await })
        }));
    None
}

/// A shell command of the host.
struct ShellCommand {
    id: Option<Value>,
    text: String,
    /// The model does not see it.
    excluded: bool,
    /// Its output is sent while it runs.
    streams: bool,
    stop: Rc<Notify>,
}

impl ShellCommand {
    async fn run(self, session: &Session) {
        let id = self.id.as_ref();
        let mut output = OutputDecoder::default();
        let mut on_output = |bytes: &[u8]| {
            if self.streams
                && let Some(text) = output.decode(bytes)
            {
                session.events.send_frame(update(&text, id));
            }
        };
        let stopped = self.stop.notified();
        let executed =
            shell::execute(&self.text, shell_options(session), stopped, &mut on_output).await;
        if let Some(text) = output.finish() {
            session.events.send_frame(update(&text, id));
        }
        PiState::with(session, |state| {
            state
                .shell_stops
                .retain(|other| !Rc::ptr_eq(other, &self.stop));
            let timestamp = state.clock.tick();
            let mut message = message(&executed, timestamp);
            if let Some(message) = message.as_object_mut() {
                message.retain(|_, value| !value.is_null());
            }
            if self.excluded {
                message["excludeFromContext"] = json!(true);
            }
            state.append_message(message);
        });
        respond(session, id, "bash", Ok(Some(result(&executed))));
        if !self.excluded
            && let Some(told) = session.hooks.shell_command_text(description(&executed))
        {
            session.add_note(told);
        }
    }
}

/// "BashResult" of the specification.
fn result(executed: &ShellResult) -> Value {
    let mut result = json!({
        "output": executed.output,
        "cancelled": executed.cancelled,
        "truncated": executed.whole.is_some(),
    });
    if let Some(code) = executed.code {
        result["exitCode"] = json!(code);
    }
    if let Some(path) = &executed.whole {
        result["fullOutputPath"] = json!(path);
    }
    result
}

/// Stops every running command.
pub(super) fn abort(command: &PiCommand<'_>) -> Answer {
    if !Faults::of(command.session).ignores_second_stop() {
        command.state(|state| {
            state.shell_stops.iter().for_each(|stop| stop.notify_one());
        });
    }
    Ok(None)
}

/// "bash_execution_update".
fn update(text: &str, id: Option<&Value>) -> Value {
    let mut frame = json!({ "type": "bash_execution_update" });
    if let Some(id) = id {
        frame["id"] = id.clone();
    }
    frame["delta"] = json!(text);
    frame
}

/// Decodes output that comes in pieces as UTF-8, and never splits a character.
#[derive(Debug, Default)]
struct OutputDecoder {
    /// The beginning of a character whose rest has not come.
    rest: Vec<u8>,
}

impl OutputDecoder {
    /// Decodes more bytes. None if they complete no character.
    fn decode(&mut self, bytes: &[u8]) -> Option<String> {
        self.rest.extend_from_slice(bytes);
        let complete = self.rest.len() - incomplete(&self.rest);
        lossy(self.rest.drain(..complete).collect())
    }

    /// Decodes the rest at the end of the output.
    fn finish(mut self) -> Option<String> {
        lossy(std::mem::take(&mut self.rest))
    }
}

fn lossy(bytes: Vec<u8>) -> Option<String> {
    (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// How many bytes at the end are the beginning of a character.
fn incomplete(bytes: &[u8]) -> usize {
    let begins = |count: &usize| {
        let end = &bytes[bytes.len() - count..];
        std::str::from_utf8(end)
            .is_err_and(|error| error.error_len().is_none() && error.valid_up_to() == 0)
    };
    (1..=bytes.len().min(3)).find(begins).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_not_split() {
        let mut output = OutputDecoder::default();
        let text = |text: &str| Some(text.to_owned());

        assert_eq!(output.decode(b"a\xe2\x82"), text("a"));
        assert_eq!(output.decode(b"\xac"), text("\u{20ac}"));
        assert_eq!(output.decode(b"b\xff"), text("b\u{fffd}"));
        assert_eq!(output.decode(b"\xe2"), None);
        assert_eq!(output.finish(), text("\u{fffd}"));
    }
}
