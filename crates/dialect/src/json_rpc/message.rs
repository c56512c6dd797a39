//! The structure of one message.

use super::mistake::{Mistake, StructureRule};
use serde_json::{Map, Value};

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

    /// The rules that the message can break.
    pub(super) fn rules(self) -> &'static [StructureRule] {
        use StructureRule as Rule;
        match self {
            Message::Request { .. } => &[
                Rule::UnknownMethod,
                Rule::WrongSide,
                Rule::RequestOrNotification,
                Rule::IdType,
                Rule::IdReused,
                Rule::ResultOrError,
            ],
            Message::Notification { .. } => &[
                Rule::UnknownMethod,
                Rule::WrongSide,
                Rule::RequestOrNotification,
                Rule::ResultOrError,
            ],
            Message::Answer { .. } => &[
                Rule::AnswerToNothing,
                Rule::SecondAnswer,
                Rule::AnsweredNotification,
                Rule::IdType,
                Rule::ResultOrError,
                Rule::ErrorObject,
            ],
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
    let (result, error) = (object.get("result"), object.get("error"));
    let is_answer = matches!(message, Message::Answer { .. });
    let wrong = match (result, error) {
        (Some(_), Some(_)) if is_answer => Some("a response has both `result` and `error`"),
        (None, None) if is_answer => Some("a response has neither `result` nor `error`"),
        (Some(_), _) | (_, Some(_)) if !is_answer => {
            Some("a message with a `method` is no response, but has `result` or `error`")
        }
        _ => None,
    };
    mistakes.extend(wrong.map(|what| Mistake::new(StructureRule::ResultOrError, what)));
    let Some(error) = error.filter(|error| is_answer && !(error.is_null() && result.is_some()))
    else {
        return;
    };
    let is_integer = |code: &Value| code.is_i64() || code.is_u64();
    let wrong = match error.as_object() {
        None => Some(("/error", "is not an object")),
        Some(error) if !error.get("code").is_some_and(is_integer) => {
            Some(("/error/code", "has no `code` that is an integer"))
        }
        Some(error) if !error.get("message").is_some_and(Value::is_string) => {
            Some(("/error/message", "has no `message` that is a text"))
        }
        Some(_) => None,
    };
    mistakes.extend(wrong.map(|(pointer, what)| {
        let message = format!("the error of a response {what}");
        Mistake::new(StructureRule::ErrorObject, message).at(pointer)
    }));
}
