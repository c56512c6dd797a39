//! "Extension UI Protocol" of the specification: dialogs and notices of extensions, which act by a script.

use super::extension_script::extension_error;
use super::responses::{accepted, respond};
use super::{ExtensionScript, PendingDialog, PiCommand, PiSession, PiState, V0_87, V1_6};
use crate::core::{ApprovalMode, Decision, ReportedCall};
use crate::faults::Bug;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::oneshot;

const REFUSED: &str = "The user refused";

/// The dialogs of the extension's command that the text names, if it names one.
pub(super) fn extension_command(session: PiSession<'_>, text: &str) -> Option<Vec<Value>> {
    let name = text.strip_prefix('/')?.split(' ').next()?;
    let state = session.state();
    if let Some(ms) = state.script.leaves.get(name) {
        return Some(vec![json!({ "shutdown": true, "after_ms": ms })]);
    }
    state.script.commands.get(name)?.as_array().cloned()
}

/// Runs an extension's command as a background task, then answers the prompt that named it.
pub(super) fn run_extension_command(prompt: &PiCommand<'_>, dialogs: Vec<Value>) {
    let fields = prompt.fields.clone();
    prompt.session.spawn(async move |session| {
        for dialog in &dialogs {
            if let Some(message) = dialog["throws"].as_str() {
                session.send(extension_error("command", message));
                break;
            }
            if dialog["shutdown"] == true {
                if session.faults.triggers(Bug::ShutdownForgotten) {
                    continue;
                }
                let after = dialog["after_ms"].as_u64().map(Duration::from_millis);
                respond(session, &fields, accepted(session, "handled"));
                return shut_down(session, after).await;
            }
            match dialog["append"].as_str() {
                Some(kind) => append_entry(session, kind, &dialog["data"]),
                None => show(session, dialog).await,
            }
        }
        respond(session, &fields, accepted(session, "handled"));
    });
}

/// Ends the agent for an extension. Since 1.6, a run comes to its end first.
async fn shut_down(session: PiSession<'_>, after: Option<Duration>) {
    tokio::time::sleep(after.unwrap_or_default()).await;
    if session.state().version >= V1_6 && !session.faults.triggers(Bug::ShutsDownInRun) {
        session.wait_until_idle().await;
    }
    session.events.outbox.exit(0);
}

/// Sets up the actions of extensions in the run of a prompt; returns the dialogs before it.
pub(super) fn prepare_run(session: PiSession<'_>, prompt: &str) -> Vec<Value> {
    let script: ExtensionScript = session
        .extension(prompt)
        .and_then(|script| serde_json::from_value(script).ok())
        .unwrap_or_default();
    let mut state = session.state();
    let asks = script.asks_before_tools();
    if !state.script.asks_before_tools() && state.prompt_script.asks_before_tools() != asks {
        session.approvals.borrow_mut().mode = if asks {
            ApprovalMode::Default
        } else {
            ApprovalMode::Yolo
        };
    }
    state.prompt_script = script;
    [&*state.script.before_run, &*state.prompt_script.before_run].concat()
}

fn append_entry(session: PiSession<'_>, kind: &str, data: &Value) {
    let mut state = session.state();
    let more = json!({ "customType": kind, "data": data });
    let frame = state.append_visible_entry("custom", more);
    if state.version >= V0_87 {
        session.send(frame);
    }
}

/// Sends a dialog and waits for its answer, which a `notify` shows if the script requests it.
pub(super) async fn show(session: PiSession<'_>, dialog: &Value) {
    let answer = ask(session, dialog).await;
    if dialog["tell"] == true {
        let message = format!("answer: {answer}");
        let notice = json!({ "method": "notify", "message": message, "notifyType": "info" });
        let (_, frame) = request(&mut session.state(), &notice);
        session.send(frame);
    }
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
async fn ask(session: PiSession<'_>, dialog: &Value) -> Value {
    let method = dialog["method"].as_str().unwrap_or_default();
    let waits = ["select", "confirm", "input", "editor"].contains(&method)
        || session.faults.triggers(Bug::NoticesAwaitAnswer);
    let (id, frame) = request(&mut session.state(), dialog);
    session.send(frame);
    if !waits {
        return Value::Null;
    }
    let (sender, receiver) = oneshot::channel();
    let pending = PendingDialog::PiCommand(sender);
    session.state().dialogs.insert(id.clone(), pending);
    let timeout = dialog["timeout"].as_u64();
    let ends = |_: &u64| !session.faults.triggers(Bug::DialogsNeverTimeOut);
    let ended = async {
        match timeout.filter(ends).map(Duration::from_millis) {
            Some(length) => session.clock().sleep(length).await,
            None => std::future::pending().await,
        }
    };
    let answer = tokio::select! {
        biased;
        answer = receiver => answer.ok(),
        () = ended => None,
    };
    session.state().dialogs.remove(&id);
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
    let of_prompt = state.prompt_script.tool_call.as_ref();
    let dialog = of_prompt.or(state.script.tool_call.as_ref())?.clone();
    let (id, frame) = request(state, &dialog);
    state
        .dialogs
        .insert(id, PendingDialog::ToolCall(call.id.clone()));
    Some(frame)
}

/// Handles the host's answer to a dialog. Drops the answer if no dialog waits for it.
pub(super) fn handle_answer(session: PiSession<'_>, response: &Value) {
    let id = response["id"].as_str().unwrap_or_default();
    let mut state = session.state();
    let first = if session.faults.triggers(Bug::AnswerGoesToFirstDialog) {
        state.dialogs.keys().min().cloned()
    } else {
        None
    };
    let pending = state.dialogs.remove(first.as_deref().unwrap_or(id));
    drop(state);
    match pending {
        Some(PendingDialog::PiCommand(sender)) => {
            let _ = sender.send(response.clone());
        }
        Some(PendingDialog::ToolCall(call)) => {
            let decision = if value("confirm", response) == true {
                Decision::Approve { always: false }
            } else {
                Decision::Deny {
                    reason: REFUSED.to_owned(),
                }
            };
            if let Err(failure) = session.decide(&call, decision) {
                tracing::warn!("{}", failure.message);
            }
        }
        None => tracing::warn!("no dialog waits with the id {id:?}"),
    }
}
