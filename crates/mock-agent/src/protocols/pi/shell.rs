//! `bash` and `abort_bash`: shell commands of the host, which run as background tasks in parallel with the turns.

use super::messages::{bash as message, bash_result};
use super::responses::{data, respond};
use super::{Answer, PiCommand, PiSession, Reply, V0_87};
use crate::core::session::{note, shell_options};
use crate::faults::Bug;
use crate::protocols::frames::present;
use crate::tools::shell;
use serde_json::{Value, json};
use std::rc::Rc;
use tokio::sync::Notify;

pub(super) fn bash(command: &PiCommand<'_>) -> Answer {
    let text = command.text("command")?.to_owned();
    let fields = command.fields.clone();
    let stop = Rc::new(Notify::new());
    let mut state = command.session.state();
    state.shell_stops.push(Rc::clone(&stop));
    command
        .session
        .spawn(async move |session| run(session, &text, &fields, &stop).await);
    Ok(Reply::Later)
}

/// Runs a shell command of the host. Since 0.87, its output is sent while it runs.
async fn run(session: PiSession<'_>, text: &str, fields: &Value, stop: &Rc<Notify>) {
    let is_excluded = fields["excludeFromContext"] == true;
    let streams = session.state().version >= V0_87;
    let mut output = OutputDecoder::default();
    let by_character = session.faults.triggers(Bug::ShellOutputByCharacter);
    let update = |text: Option<String>| {
        let frame =
            |text| json!({ "type": "bash_execution_update", "id": fields["id"], "delta": text });
        let text = text.unwrap_or_default();
        let pieces = if by_character {
            text.chars().map(String::from).collect()
        } else {
            vec![text]
        };
        let pieces = pieces.into_iter().filter(|piece| !piece.is_empty());
        pieces.for_each(|piece| session.send(present(frame(piece))));
    };
    let mut on_output = |bytes: &[u8]| {
        if streams {
            update(output.decode(bytes));
        }
    };
    let options = shell_options(session.core());
    let executed = shell::execute(text, options, stop.notified(), &mut on_output).await;
    update(output.finish());
    let mut state = session.state();
    state.shell_stops.retain(|other| !Rc::ptr_eq(other, stop));
    let mut message = present(message(&executed, state.clock.tick()));
    if is_excluded {
        message["excludeFromContext"] = json!(true);
    }
    state.append_message(message);
    drop(state);
    respond(session, fields, data(bash_result(&executed)));
    if !is_excluded && let Some(note) = note(session.core(), &executed) {
        session.add_note(note);
    }
}

pub(super) fn abort(command: &PiCommand<'_>) -> Answer {
    if !command.session.ignores_second_stop() {
        let state = command.session.state();
        state.shell_stops.iter().for_each(|stop| stop.notify_one());
    }
    Ok(Reply::Done)
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
        let last = self.rest.utf8_chunks().last();
        let end = last.map_or(&[][..], |chunk| chunk.invalid());
        let is_begun = |error: std::str::Utf8Error| error.error_len().is_none();
        let begun = std::str::from_utf8(end).is_err_and(is_begun);
        let complete = self.rest.len() - if begun { end.len() } else { 0 };
        lossy(self.rest.drain(..complete).collect())
    }

    fn finish(self) -> Option<String> {
        lossy(self.rest)
    }
}

fn lossy(bytes: Vec<u8>) -> Option<String> {
    (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
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
