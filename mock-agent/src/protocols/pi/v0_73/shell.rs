//! `bash` and `abort_bash`: shell commands of the host's own, several at a time.

use super::super::messages::bash as message;
use super::commands::Command;
use super::responses::{Answer, respond};
use super::state::Modern;
use super::v0_87::Heard;
use crate::core::call::ShellResult;
use crate::core::session::Session;
use crate::core::shell_commands::{place, told};
use crate::tools::shell;
use serde_json::{Value, json};
use std::rc::Rc;
use tokio::sync::Notify;

pub(super) fn bash(command: &Command<'_>) -> Option<Answer> {
    let text = match command.text("command") {
        Ok(text) => text.to_owned(),
        Err(why) => return Some(Err(why)),
    };
    let excluded = command.fields["excludeFromContext"] == true;
    let id = command.id().cloned();
    let stop = Rc::new(Notify::new());
    Modern::of(command.session, |modern| {
        modern.shell_commands.push(Rc::clone(&stop))
    });
    command
        .session
        .background_tasks
        .add(Box::new(move |session| {
            Box::pin(async move { run(session, id, &text, excluded, &stop).await })
        }));
    None
}

async fn run(
    session: &Session,
    id: Option<Value>,
    command: &str,
    excluded: bool,
    stop: &Rc<Notify>,
) {
    let streams = Modern::of(session, |modern| modern.later.is_some()) == Some(true);
    let mut heard = Heard::default();
    let mut hear = |bytes: &[u8]| {
        if streams && let Some(frame) = heard.take(bytes, id.as_ref()) {
            session.events.send_frame(frame);
        }
    };
    let executed = shell::execute(command, place(session), stop.notified(), &mut hear).await;
    if let Some(frame) = heard.finish(id.as_ref()) {
        session.events.send_frame(frame);
    }
    Modern::of(session, |modern| {
        modern
            .shell_commands
            .retain(|other| !Rc::ptr_eq(other, stop));
        let timestamp = modern.clock.tick();
        let mut message = message(&executed, timestamp);
        if excluded {
            message["excludeFromContext"] = json!(true);
        }
        modern.enter(message);
    });
    respond(session, id.as_ref(), "bash", Ok(Some(result(&executed))));
    if !excluded && let Some(told) = session.faults.told(told(&executed)) {
        session.add_aside(told);
    }
}

/// "BashResult" of the page.
fn result(executed: &ShellResult) -> Value {
    let mut result = json!({
        "output": executed.output,
        "exitCode": executed.code,
        "cancelled": executed.cancelled,
        "truncated": executed.whole.is_some(),
    });
    if let Some(path) = &executed.whole {
        result["fullOutputPath"] = json!(path);
    }
    result
}

/// Stops every command at work.
pub(super) fn abort(command: &Command<'_>) -> Answer {
    if !command.session.faults.ignores_second_stop() {
        Modern::of(command.session, |modern| {
            modern
                .shell_commands
                .iter()
                .for_each(|stop| stop.notify_one());
        });
    }
    Ok(None)
}
