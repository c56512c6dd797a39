//! A command of the host, and the response to it.

use super::state::PiState;
use super::version::PiVersion;
use crate::core::session::Session;
use serde_json::{Value, json};

/// A command that was read.
pub(super) struct PiCommand<'a> {
    pub(super) session: &'a Session,
    pub(super) version: PiVersion,
    pub(super) fields: Value,
}

/// The response to a command: data or nothing, or why it failed.
pub(super) type Answer = Result<Option<Value>, String>;

/// Handles a command. None where the response comes later.
pub(super) type Handler = fn(&PiCommand<'_>) -> Option<Answer>;

impl PiCommand<'_> {
    pub(super) fn id(&self) -> Option<&Value> {
        self.fields.get("id").filter(|id| !id.is_null())
    }

    /// A text that is required.
    pub(super) fn text(&self, name: &str) -> Result<&str, String> {
        let text = self.fields[name].as_str();
        text.ok_or_else(|| format!("{name} must be a string"))
    }

    /// A boolean that is required.
    pub(super) fn flag(&self, name: &str) -> Result<bool, String> {
        let flag = self.fields[name].as_bool();
        flag.ok_or_else(|| format!("{name} must be a boolean"))
    }

    /// Gives access to the state of the session.
    pub(super) fn state<T>(&self, look: impl FnOnce(&mut PiState) -> T) -> Option<T> {
        PiState::with(self.session, look)
    }
}

/// A response with data.
pub(super) fn data(value: Value) -> Answer {
    Ok(Some(value))
}

/// The response to a command that extensions could have cancelled.
pub(super) fn cancelled(cancelled: bool) -> Answer {
    data(json!({ "cancelled": cancelled }))
}

/// The frame of a response.
pub(super) fn response(id: Option<&Value>, command: &str, answer: Answer) -> Value {
    let mut frame = json!({});
    if let Some(id) = id {
        frame["id"] = id.clone();
    }
    frame["type"] = json!("response");
    frame["command"] = json!(command);
    frame["success"] = json!(answer.is_ok());
    match answer {
        Ok(Some(data)) => frame["data"] = data,
        Ok(None) => {}
        Err(why) => frame["error"] = json!(why),
    }
    frame
}

/// Sends the response to a command.
pub(super) fn respond(session: &Session, id: Option<&Value>, command: &str, answer: Answer) {
    session.events.send_frame(response(id, command, answer));
}
