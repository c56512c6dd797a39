//! "Extension UI Protocol" of the page. What extensions do is scripted: `dialogs.json` in the workspace, which an extension of the launch recipe
//! plays in other agents, and this agent by itself.

use super::responses::respond;
use super::state::Modern;
use crate::core::approval::Decision;
use crate::core::call::Call;
use crate::core::session::Session;
use crate::faults::Bug;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::oneshot;

/// What extensions do.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Script {
    /// What each command asks, one after the other.
    commands: Map<String, Value>,
    /// What is asked before a tool runs.
    tool_call: Option<Value>,
    /// The changes of the session that are not let through.
    cancel: Vec<String>,
    /// Events at which an extension throws, and what it says then.
    throws: HashMap<String, String>,
}

/// A dialog that waits for its answer.
#[derive(Debug)]
pub(super) enum Pending {
    /// Somebody waits for it.
    Asked(oneshot::Sender<Value>),
    /// A call waits for it.
    Permission(String),
}

/// The script's file.
pub(super) const FILE: &str = "dialogs.json";

/// What a tool is told that the user did not allow.
const REFUSED: &str = "The user refused";

impl Script {
    /// Reads a script; an empty one if there is none, or it is none.
    pub(super) fn read() -> Self {
        let text = std::fs::read_to_string(FILE).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    pub(super) fn asks_before_tools(&self) -> bool {
        self.tool_call.is_some()
    }

    pub(super) fn cancels(&self, event: &str) -> bool {
        self.cancel.iter().any(|cancelled| cancelled == event)
    }

    /// The frame for an extension that throws at this event, if one does.
    pub(super) fn thrown(&self, event: &str) -> Option<Value> {
        let message = self.throws.get(event)?;
        Some(error(event, message))
    }
}

fn error(event: &str, message: &str) -> Value {
    json!({ "type": "extension_error", "extensionPath": FILE, "event": event, "error": message })
}

/// The commands of extensions.
pub(super) fn names(session: &Session) -> Vec<String> {
    let names = Modern::of(session, |modern| {
        modern.script.commands.keys().cloned().collect()
    });
    names.unwrap_or_default()
}

/// What an extension's command asks, if the text names one.
pub(super) fn command(session: &Session, text: &str) -> Option<Vec<Value>> {
    let name = text.strip_prefix('/')?.split(' ').next()?;
    Modern::of(session, |modern| {
        modern.script.commands.get(name)?.as_array().cloned()
    })?
}

/// Plays an extension's command, and answers the prompt that named it.
pub(super) fn play(session: &Session, id: Option<Value>, dialogs: Vec<Value>) {
    session.background_tasks.add(Box::new(move |session| {
        Box::pin(async move {
            for dialog in &dialogs {
                if let Some(message) = dialog["throws"].as_str() {
                    session.events.send_frame(error("command", message));
                    break;
                }
                if dialog["shutdown"] == true {
                    if session.faults.plays(Bug::ShutdownForgotten) {
                        continue;
                    }
                    respond(session, id.as_ref(), "prompt", Ok(None));
                    return session.events.outbox.die(0);
                }
                if let Some(kind) = dialog["append"].as_str() {
                    append(session, kind, &dialog["data"]);
                    continue;
                }
                let answer = ask(session, dialog).await;
                if dialog["tell"] == true {
                    tell(session, &answer);
                }
            }
            respond(session, id.as_ref(), "prompt", Ok(None));
        })
    }));
}

/// An extension appends an entry of its own to the session.
fn append(session: &Session, kind: &str, data: &Value) {
    let told = Modern::of(session, |modern| {
        let id = modern.next_id();
        let later = modern.later.as_mut()?;
        let more = json!({ "customType": kind, "data": data });
        let entry = later.ledger.append("custom", &id, more);
        Some(json!({ "type": "entry_appended", "entry": entry }))
    });
    if let Some(frame) = told.flatten() {
        session.events.send_frame(frame);
    }
}

fn tell(session: &Session, answer: &Value) {
    let notice =
        json!({ "method": "notify", "message": format!("answer: {answer}"), "notifyType": "info" });
    let request = Modern::of(session, |modern| request(modern, &notice));
    request
        .into_iter()
        .for_each(|(_, frame)| session.events.send_frame(frame));
}

/// The request for a dialog or a notice, and its id.
fn request(modern: &mut Modern, dialog: &Value) -> (String, Value) {
    let id = modern.next_id();
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

/// Asks, and waits for the answer; nothing is waited for where none is due.
async fn ask(session: &Session, dialog: &Value) -> Value {
    let method = dialog["method"].as_str().unwrap_or_default();
    let waits = ["select", "confirm", "input", "editor"].contains(&method)
        || session.faults.plays(Bug::NoticesWait);
    let (sender, receiver) = oneshot::channel();
    let asked = Modern::of(session, |modern| {
        let (id, frame) = request(modern, dialog);
        if waits {
            modern.dialogs.insert(id.clone(), Pending::Asked(sender));
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
    let given = match timeout.filter(|_| !session.faults.plays(Bug::DialogsWaitOn)) {
        None => receiver.await.ok(),
        Some(millis) => {
            let wait = Duration::from_millis(millis);
            let given = tokio::time::timeout(wait, receiver).await;
            given.ok().and_then(Result::ok)
        }
    };
    Modern::of(session, |modern| modern.dialogs.remove(&id));
    value(method, &given.unwrap_or_default())
}

/// What an extension gets from a response.
fn value(method: &str, response: &Value) -> Value {
    let cancelled = response["cancelled"] == true;
    match method {
        "confirm" => json!(!cancelled && response["confirmed"] == true),
        _ if cancelled => Value::Null,
        _ => response["value"].clone(),
    }
}

/// Asks whether a call may run.
pub(super) fn permission(modern: &mut Modern, call: &Call) -> Option<Value> {
    let dialog = modern.script.tool_call.clone()?;
    let (id, frame) = request(modern, &dialog);
    modern
        .dialogs
        .insert(id, Pending::Permission(call.id.clone()));
    Some(frame)
}

/// Takes the host's answer to a dialog; one that nobody waits for is dropped.
pub(super) fn answered(session: &Session, response: &Value) {
    let id = response["id"].as_str().unwrap_or_default();
    let first = session.faults.plays(Bug::AnswersTheFirst);
    let pending = Modern::of(session, |modern| {
        let others = modern.dialogs.keys().min().filter(|_| first).cloned();
        let id = others.unwrap_or_else(|| id.to_owned());
        modern.dialogs.remove(&id)
    });
    let pending = pending.flatten();
    match pending {
        Some(Pending::Asked(sender)) => {
            let _ = sender.send(response.clone());
        }
        Some(Pending::Permission(call)) => {
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
        None => tracing::warn!("no dialog waits under the id {id:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cancelled_is_nothing_and_a_confirm_is_false() {
        let cancelled = json!({ "cancelled": true });

        assert_eq!(value("select", &cancelled), Value::Null);
        assert_eq!(value("confirm", &cancelled), json!(false));
        assert_eq!(value("confirm", &json!({ "confirmed": true })), json!(true));
        assert_eq!(value("input", &json!({ "value": "x" })), json!("x"));
    }
}
