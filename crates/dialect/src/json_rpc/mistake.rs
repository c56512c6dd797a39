//! The rules that hold for every JSON-RPC dialect, and what breaks one.

/// A rule about the structure of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StructureRule {
    /// A line is one message.
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

/// Each rule with its name, and its text for people: what it requires, and why.
pub const RULES: &[(StructureRule, &str, &str)] = &[
    (
        StructureRule::NotAMessage,
        "not-a-message",
        "Each JSON object is a request or a notification, with the text `method`, or a response, with an `id`. The other side cannot route anything else.",
    ),
    (
        StructureRule::Batch,
        "batch",
        "Each line is one message. A list of messages on one line is a batch, which readers of one message a line do not take apart.",
    ),
    (
        StructureRule::Version,
        "version",
        "Each message has the member `jsonrpc` with the text \"2.0\". Libraries drop a message of another version. A dialect may declare the member optional; a wrong one is still a mistake.",
    ),
    (
        StructureRule::UnknownMethod,
        "unknown-method",
        "A request or a notification has a method that the protocol defines, or one that begins like an extension of the dialect. The other side can only refuse or ignore any other one.",
    ),
    (
        StructureRule::WrongSide,
        "wrong-side",
        "A method is sent by the side that the protocol defines it for. The other side has no handler for it.",
    ),
    (
        StructureRule::RequestOrNotification,
        "request-or-notification",
        "A request has an id, so that it can be answered, and a notification has none. With an id, the sender waits for a response that never comes; without one, a response cannot be sent.",
    ),
    (
        StructureRule::IdType,
        "id-type",
        "An id is a text, a number or null, and the response repeats it as it is. A library that looks up \"1\" does not find the request 1.",
    ),
    (
        StructureRule::IdReused,
        "id-reused",
        "A request has another id than each request of the same side that is still open. Otherwise nobody knows which of them a response is for. After its response an id is free again.",
    ),
    (
        StructureRule::AnswerToNothing,
        "answer-to-nothing",
        "A response has the id of a request that the other side has sent. The two sides number their requests independently: the same id of the own side does not count.",
    ),
    (
        StructureRule::SecondAnswer,
        "second-answer",
        "A request is answered once. A second response finds no request, or a newer one with the same id.",
    ),
    (
        StructureRule::AnsweredNotification,
        "answered-notification",
        "A notification is not answered. It has no id, so the response has none either, and nobody waits for it.",
    ),
    (
        StructureRule::ResultOrError,
        "result-or-error",
        "A response has either a `result` or an `error`, and other messages have neither. With both or none of them it is unknown whether the request succeeded.",
    ),
    (
        StructureRule::ErrorObject,
        "error-object",
        "The error of a response is an object with an integer `code` and a text `message`. Hosts show the message and decide by the code.",
    ),
    (
        StructureRule::LeftOpen,
        "left-open",
        "Each request is answered before the session ends. An agent that ends by itself, or runs out of time, has answered the host's requests, unless it waits for the host: a host answers each request of the agent.",
    ),
];

impl StructureRule {
    /// The name in the ids of rules.
    pub fn name(self) -> &'static str {
        let named = RULES.iter().find(|(rule, ..)| *rule == self);
        named.map_or("", |(_, name, _)| name)
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
    pub(super) fn new(rule: StructureRule, message: impl Into<String>) -> Self {
        Mistake {
            rule,
            message: message.into(),
            pointer: "",
        }
    }

    pub(super) fn at(self, pointer: &'static str) -> Self {
        Mistake { pointer, ..self }
    }
}
