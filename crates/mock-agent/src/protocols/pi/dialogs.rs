//! "Extension UI Protocol" of the specification: dialogs and notices of extensions, which act by a script.

use super::extension_script::{ExtensionScript, PendingDialog, extension_error};
use super::hooks;
use super::responses::respond;
use super::state::PiState;
use crate::core::approval::{ApprovalMode, Decision};
use crate::core::event::ReportedCall;
use crate::core::session::Session;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::oneshot;

/// The error of a tool call that the user refused.
const REFUSED: &str = "The user refused";

/// The names of the commands of extensions.
pub(super) fn extension_commands(session: &Session) -> Vec<String> {
    let names = PiState::with(session, |state| {
        state.script.commands.keys().cloned().collect()
    });
    names.unwrap_or_default()
}

/// The dialogs of the extension's command that the text names, if it names one.
pub(super) fn extension_command(session: &Session, text: &str) -> Option<Vec<Value>> {
    let name = text.strip_prefix('/')?.split(' ').next()?;
    PiState::with(session, |state| {
        state.script.commands.get(name)?.as_array().cloned()
    })?
}

/// Runs an extension's command as a background task, then answers the prompt that named it.
pub(super) fn run_extension_command(session: &Session, id: Option<Value>, dialogs: Vec<Value>) {
    session.background_tasks.add(Box::new(move |session| {
        Box::pin(async move {
            for dialog in &dialogs {
                if let Some(message) = dialog["throws"].as_str() {
                    session
                        .events
                        .send_frame(extension_error("command", message));
                    break;
                }
                if dialog["shutdown"] == true {
                    if !hooks::obeys_shutdown(session) {
                        continue;
                    }
                    respond(session, id.as_ref(), "prompt", Ok(None));
                    return session.events.outbox.exit(0);
                }
                if let Some(kind) = dialog["append"].as_str() {
                    append_entry(session, kind, &dialog["data"]);
                    continue;
                }
                let answer = ask(session, dialog).await;
                if dialog["tell"] == true {
                    notify(session, &answer);
                }
            }
            respond(session, id.as_ref(), "prompt", Ok(None));
        })
    }));
}

/// Sets up what extensions do in the run of a prompt; returns the dialogs before it.
pub(super) fn prepare_run(session: &Session, prompt: &str) -> Vec<Value> {
    let story = session.prompts.extension(prompt);
    let story: ExtensionScript = story
        .and_then(|story| serde_json::from_value(story).ok())
        .unwrap_or_default();
    let prepared = PiState::with(session, |state| {
        let dialogs = [&*state.script.before_run, &*story.before_run].concat();
        let asks = |one: &ExtensionScript| one.asks_before_tools();
        let changes = !asks(&state.script) && asks(&state.story) != asks(&story);
        state.story = story;
        (dialogs, changes.then(|| asks(&state.story)))
    });
    let (dialogs, asks) = prepared.unwrap_or_default();
    match asks {
        Some(true) => session.approvals.borrow_mut().mode = ApprovalMode::Default,
        Some(false) => session.approvals.borrow_mut().mode = ApprovalMode::Yolo,
        None => {}
    }
    dialogs
}

/// Sends dialogs one after the other as a background task, then goes on.
pub(super) fn ask_all(
    session: &Session,
    dialogs: Vec<Value>,
    go_on: impl FnOnce(&Session) + 'static,
) {
    session.background_tasks.add(Box::new(move |session| {
        Box::pin(async move {
            for dialog in &dialogs {
                let answer = ask(session, dialog).await;
                if dialog["tell"] == true {
                    notify(session, &answer);
                }
            }
            go_on(session);
        })
    }));
}

/// An extension appends an entry of its own to the session.
fn append_entry(session: &Session, kind: &str, data: &Value) {
    let frame = PiState::with(session, |state| {
        let has_entries = state.version.has_entries();
        let more = json!({ "customType": kind, "data": data });
        let entry = state.append_new_entry("custom", more);
        has_entries.then(|| json!({ "type": "entry_appended", "entry": entry }))
    });
    if let Some(frame) = frame.flatten() {
        session.events.send_frame(frame);
    }
}

fn notify(session: &Session, answer: &Value) {
    let notice =
        json!({ "method": "notify", "message": format!("answer: {answer}"), "notifyType": "info" });
    let request = PiState::with(session, |state| request(state, &notice));
    request
        .into_iter()
        .for_each(|(_, frame)| session.events.send_frame(frame));
}

/// The request for a dialog or a notice, and its id.
fn request(state: &mut PiState, dialog: &Value) -> (String, Value) {
    let id = state.next_id();
    let mut frame = json!({ "type": "extension_ui_request", "id": id });
    let fields = dialog.as_object().into_iter().flatten();
    for (name, value) in fields.filter(|(name, _)| *name != "tell") {
        frame[name] = value.clone();
    }
    if frame["method"] == "setEditorText" {
        frame["method"] = json!("set_editor_text");
    }
    (id, frame)
}

/// Sends a dialog and waits for its answer. Null at once for a request that needs no answer.
async fn ask(session: &Session, dialog: &Value) -> Value {
    let method = dialog["method"].as_str().unwrap_or_default();
    let waits = ["select", "confirm", "input", "editor"].contains(&method)
        || hooks::waits_for_notice(session);
    let (sender, receiver) = oneshot::channel();
    let asked = PiState::with(session, |state| {
        let (id, frame) = request(state, dialog);
        if waits {
            state
                .dialogs
                .insert(id.clone(), PendingDialog::PiCommand(sender));
        }
        (id, frame)
    });
    let Some((id, frame)) = asked else {
        return Value::Null;
    };
    session.events.send_frame(frame);
    if !waits {
        return Value::Null;
    }
    let timeout = dialog["timeout"].as_u64();
    let answer = match timeout.filter(|_| hooks::applies_timeout(session)) {
        None => receiver.await.ok(),
        Some(millis) => {
            let wait = Duration::from_millis(millis);
            let answer = tokio::time::timeout(wait, receiver).await;
            answer.ok().and_then(Result::ok)
        }
    };
    PiState::with(session, |state| state.dialogs.remove(&id));
    value(method, &answer.unwrap_or_default())
}

/// The value of a response for the extension.
fn value(method: &str, response: &Value) -> Value {
    let cancelled = response["cancelled"] == true;
    match method {
        "confirm" => json!(!cancelled && response["confirmed"] == true),
        _ if cancelled => Value::Null,
        _ => response["value"].clone(),
    }
}

/// The frame that asks whether a call may run. None if no extension asks.
pub(super) fn ask_permission(state: &mut PiState, call: &ReportedCall) -> Option<Value> {
    let dialog = state.story.tool_call.as_ref();
    let dialog = dialog.or(state.script.tool_call.as_ref())?.clone();
    let (id, frame) = request(state, &dialog);
    state
        .dialogs
        .insert(id, PendingDialog::ToolCall(call.id.clone()));
    Some(frame)
}

/// Handles the host's answer to a dialog. Drops it if no dialog waits for it.
pub(super) fn handle_answer(session: &Session, response: &Value) {
    let id = response["id"].as_str().unwrap_or_default();
    let id = hooks::answered_dialog(session, id);
    let pending = PiState::with(session, |state| state.dialogs.remove(&id)).flatten();
    match pending {
        Some(PendingDialog::PiCommand(sender)) => {
            let _ = sender.send(response.clone());
        }
        Some(PendingDialog::ToolCall(call)) => {
            let decision = match value("confirm", response) == true {
                true => Decision::Approve { always: false },
                false => Decision::Deny {
                    reason: REFUSED.to_owned(),
                },
            };
            if let Err(failure) = session.decide(&call, decision) {
                tracing::warn!("{}", failure.message);
            }
        }
        None => tracing::warn!("no dialog waits with the id {id:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_dialog_has_no_value_and_a_cancelled_confirm_is_false() {
        let cancelled = json!({ "cancelled": true });

        assert_eq!(value("select", &cancelled), Value::Null);
        assert_eq!(value("confirm", &cancelled), json!(false));
        assert_eq!(value("confirm", &json!({ "confirmed": true })), json!(true));
        assert_eq!(value("input", &json!({ "value": "x" })), json!("x"));
    }
}
