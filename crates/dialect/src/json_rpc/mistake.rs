//! The rules that hold for every JSON-RPC dialect, and what breaks one.

use super::message::MessageKind;
use schemars::JsonSchema;
use serde::Deserialize;

/// What each rule requires, and why: its name and its text, in the order of [`StructureRule`].
const TEXTS: &str = include_str!("rules.txt");

/// A rule about the structure of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StructureRule {
    /// An object is a message.
    NotAMessage,
    /// A line is no list of messages.
    Batch,
    /// The member `jsonrpc`.
    Version,
    /// The method is in the dialect.
    UnknownMethod,
    /// The method is one of the side that sends it.
    WrongSide,
    /// A request has an id, a notification has none.
    RequestOrNotification,
    /// Ids have a type, and keep it.
    IdType,
    /// Open requests have different ids.
    IdReused,
    /// A response answers a request.
    AnswerToNothing,
    /// A request has one response.
    SecondAnswer,
    /// A notification has none.
    AnsweredNotification,
    /// A response has one outcome.
    ResultOrError,
    /// An error has a code and a message.
    ErrorObject,
    /// A request has a response.
    LeftOpen,
}

impl StructureRule {
    /// Whether it is about the method of a message, which can be read.
    pub(super) fn is_about_method(self) -> bool {
        matches!(
            self,
            StructureRule::UnknownMethod | StructureRule::WrongSide | StructureRule::IdReused
        )
    }

    /// Every rule.
    pub fn all() -> impl Iterator<Item = Self> {
        let names = spanned_yaml::names_of::<Self>().iter();
        names.filter_map(|name| serde_json::from_value((*name).into()).ok())
    }

    /// The name in the ids of rules.
    pub fn name(self) -> &'static str {
        spanned_yaml::names_of::<Self>()[self as usize]
    }

    /// What it requires, and why.
    pub fn doc(self) -> &'static str {
        let line = TEXTS.lines().nth(self as usize).unwrap_or_default();
        line.split_once(": ").map_or(line, |(_, doc)| doc)
    }

    /// Whether a line of this kind can break the rule.
    pub fn applies_to(self, kind: MessageKind) -> bool {
        use MessageKind::{Answer, Notification, Other, Request};
        match self {
            Self::NotAMessage | Self::Batch => true,
            Self::Version | Self::ResultOrError => kind != Other,
            Self::UnknownMethod | Self::WrongSide | Self::RequestOrNotification => {
                matches!(kind, Request | Notification)
            }
            Self::IdType => matches!(kind, Request | Answer),
            Self::IdReused | Self::LeftOpen => kind == Request,
            Self::AnswerToNothing
            | Self::SecondAnswer
            | Self::AnsweredNotification
            | Self::ErrorObject => kind == Answer,
        }
    }

    /// Whether it is about the request of a response, or about the response to a request.
    pub fn is_about_pairs(self) -> bool {
        matches!(
            self,
            Self::AnswerToNothing
                | Self::SecondAnswer
                | Self::AnsweredNotification
                | Self::IdType
                | Self::LeftOpen
        )
    }
}

/// One broken rule of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The rule.
    pub rule: StructureRule,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The JSON Pointer to the place that is wrong; empty for the whole message.
    pub pointer: &'static str,
}

impl Mistake {
    pub(super) fn new(
        rule: StructureRule,
        pointer: &'static str,
        message: impl Into<String>,
    ) -> Self {
        let message = message.into();
        Mistake {
            rule,
            message,
            pointer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_are_in_the_order_of_the_rules() {
        let names = TEXTS.lines().filter_map(|line| line.split(':').next());
        let rules: Vec<_> = StructureRule::all().map(StructureRule::name).collect();
        assert_eq!(names.collect::<Vec<_>>(), rules);
    }
}
