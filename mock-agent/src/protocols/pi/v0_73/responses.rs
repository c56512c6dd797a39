//! Responses: the answers to commands.

use crate::core::session::Session;
use serde_json::{Value, json};

/// What a command is answered with: data, nothing, or why it failed.
pub(super) type Answer = Result<Option<Value>, String>;

/// The response to a command.
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
