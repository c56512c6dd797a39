//! The structure of one message.

use super::mistake::{Mistake, StructureRule};
use serde_json::{Map, Value};

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MessageKind {
    /// Nothing that JSON-RPC knows.
    #[default]
    Other,
    /// A request.
    Request,
    /// A notification.
    Notification,
    /// A response.
    Answer,
}

/// A message by its structure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Message<'a> {
    /// It asks for a response.
    Request { method: &'a str, id: &'a Value },
    /// It asks for nothing.
    Notification { method: &'a str },
    /// It answers a request. Without an id it is of no use.
    Answer { id: Option<&'a Value> },
}

impl<'a> Message<'a> {
    /// The message that an object is, if it is one.
    pub(super) fn read(object: &'a Map<String, Value>) -> Option<Self> {
        let id = object.get("id");
        match object.get("method") {
            Some(Value::String(method)) => Some(match id {
                Some(id) => Message::Request { method, id },
                None => Message::Notification { method },
            }),
            Some(_) => None,
            None if ["result", "error", "id"]
                .iter()
                .any(|key| object.contains_key(*key)) =>
            {
                Some(Message::Answer { id })
            }
            None => None,
        }
    }

    pub(super) fn kind(self) -> MessageKind {
        match self {
            Message::Request { .. } => MessageKind::Request,
            Message::Notification { .. } => MessageKind::Notification,
            Message::Answer { .. } => MessageKind::Answer,
        }
    }
}

/// Whether a response is about a failure. With both members it is, unless the error is `null`.
pub(super) fn is_failure(answer: &Map<String, Value>) -> bool {
    match answer.get("error") {
        Some(Value::Null) => !answer.contains_key("result"),
        error => error.is_some(),
    }
}

/// What is wrong with the members `result` and `error` of a message.
pub(super) fn outcome_mistakes(
    message: Message<'_>,
    object: &Map<String, Value>,
    mistakes: &mut Vec<Mistake>,
) {
    let outcomes = (object.get("result"), object.get("error"));
    let is_answer = matches!(message, Message::Answer { .. });
    let wrong = match outcomes {
        (Some(_), Some(_)) if is_answer => "a response has both `result` and `error`",
        (None, None) if is_answer => "a response has neither `result` nor `error`",
        (None, None) => return,
        _ if !is_answer => "a message with a `method` has `result` or `error`, like a response",
        (None, Some(error)) => return mistakes.extend(error_mistake(error)),
        _ => return,
    };
    mistakes.push(Mistake::new(StructureRule::ResultOrError, "", wrong));
}

fn error_mistake(error: &Value) -> Option<Mistake> {
    let is_integer = |code: &Value| code.is_i64() || code.is_u64();
    let (pointer, what) = match error.as_object() {
        None => ("/error", "is not an object"),
        Some(error) if !error.get("code").is_some_and(is_integer) => {
            ("/error/code", "has no integer `code`")
        }
        Some(error) if !error.get("message").is_some_and(Value::is_string) => {
            ("/error/message", "has no text `message`")
        }
        Some(_) => return None,
    };
    let what = format!("the error of a response {what}");
    Some(Mistake::new(StructureRule::ErrorObject, pointer, what))
}
