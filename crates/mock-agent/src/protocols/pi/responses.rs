//! A command of the host, and the response to it.

use super::{PiState, V1_6};
use crate::faults::Bug;
use crate::protocols::frames::present;
use crate::protocols::session::ProtocolSession;
use serde_json::{Value, json};
use std::time::Duration;

/// How much later [`Bug::AnswersLater`] answers.
const LATER: Duration = Duration::from_millis(50);

pub(super) type PiSession<'a> = ProtocolSession<'a, PiState>;

pub(super) struct PiCommand<'a> {
    pub(super) session: PiSession<'a>,
    pub(super) fields: Value,
}

/// The content of the response to a command that succeeds.
pub(super) enum Reply {
    Done,
    Data(Value),
    Later,
}

/// The response to a command, or why the command failed.
pub(super) type Answer = Result<Reply, String>;

pub(super) type Handler = fn(&PiCommand<'_>) -> Answer;

impl PiCommand<'_> {
    pub(super) fn text(&self, name: &str) -> Result<&str, String> {
        let text = self.fields[name].as_str();
        text.ok_or_else(|| format!("{name} must be a string"))
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, String> {
        let flag = self.fields[name].as_bool();
        flag.ok_or_else(|| format!("{name} must be a boolean"))
    }
}

pub(super) fn data(value: Value) -> Answer {
    Ok(Reply::Data(value))
}

/// The answer to a message that was accepted. 1.6 says what became of it.
pub(super) fn accepted(session: PiSession<'_>, disposition: &str) -> Answer {
    if session.state().version < V1_6 {
        return Ok(Reply::Done);
    }
    data(json!({ "disposition": disposition }))
}

/// The frame of a response to the command with this id, which is null if it has none. None if the response comes later.
pub(super) fn response(id: &Value, command: &str, answer: Answer) -> Option<Value> {
    let success = answer.is_ok();
    let mut frame =
        present(json!({ "id": id, "type": "response", "command": command, "success": success }));
    match answer {
        Ok(Reply::Later) => return None,
        Ok(Reply::Done) => {}
        Ok(Reply::Data(data)) => frame["data"] = data,
        Err(why) => frame["error"] = json!(why),
    }
    Some(frame)
}

/// Sends the response to the command with these members.
pub(super) fn respond(session: PiSession<'_>, fields: &Value, answer: Answer) {
    let name = fields["type"].as_str().unwrap_or("unknown");
    let frame = response(&fields["id"], name, answer);
    if frame.is_none() || name == "prompt" || !session.faults.triggers(Bug::AnswersLater) {
        return session.send(frame);
    }
    session.spawn(async move |session| {
        tokio::time::sleep(LATER).await;
        session.send(frame);
    });
}
