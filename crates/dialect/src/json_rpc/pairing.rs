//! Pairs the responses of a session with their requests, and so names each message.

use super::message::{Message, MessageKind, is_failure, outcome_mistakes};
use super::mistake::{Mistake, StructureRule};
use super::{ANSWER_TO_NOTHING, ANSWERS_TO_UNKNOWN, JsonRpc, MessageId, VERSION, Vocabulary};
use crate::requirement::Blame;
use serde_json::{Map, Value};
use std::collections::{HashMap, VecDeque};

/// The requests of a session so far, of each side by itself: request 1 of the agent has nothing to do with request 1 of the host.
#[derive(Debug, Clone, Default)]
pub struct Pairing {
    agent: AskingSide,
    host: AskingSide,
}

/// A request without a response so far.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenRequest {
    /// Its method.
    pub method: String,
    /// Its id, and the id as a value.
    pub id: (MessageId, Value),
    /// The number of its frame.
    pub frame: u64,
    /// The time of its frame, in microseconds.
    pub at: u64,
    /// Whether the dialect has the method.
    pub is_known: bool,
    /// Whether the other side may be unable to read it, or may answer without its id.
    pub is_doubtful: bool,
}

/// What one side has asked.
#[derive(Debug, Clone, Default)]
struct AskingSide {
    open: HashMap<MessageId, VecDeque<OpenRequest>>,
    /// How many of them the other side certainly has to answer.
    waiting: usize,
    /// The methods of the answered requests, by the newest request of each id.
    answered: HashMap<MessageId, String>,
    /// The newest notification, until a response without an id comes.
    notified: Option<String>,
    /// How many lines the other side may refuse with an error without an id, because it cannot read them.
    unread: u64,
}

/// What a response says.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    /// A result with content, which nobody sends without having been asked.
    Content,
    /// A result that is null or empty.
    Empty,
    /// An error.
    Failure,
}

impl Outcome {
    fn of(response: &Map<String, Value>) -> Self {
        let is_empty = |result: &Value| {
            result.is_null() || result.as_object().is_some_and(|members| members.is_empty())
        };
        match response.get("result") {
            _ if is_failure(response) => Outcome::Failure,
            Some(result) if !is_empty(result) => Outcome::Content,
            _ => Outcome::Empty,
        }
    }
}

/// A line of one side.
#[derive(Debug, Clone, Copy)]
pub struct SentLine<'a> {
    /// The side.
    pub from: Blame,
    /// The number of its frame.
    pub frame: u64,
    /// The time of its frame, in microseconds.
    pub at: u64,
    /// Its JSON, if it is any.
    pub value: Option<&'a Value>,
    /// Its text.
    pub text: &'a str,
    /// Whether the other side may be unable to read it.
    pub is_unclear: bool,
}

/// A message with the name that it has in its session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NamedMessage {
    /// What it is.
    pub kind: MessageKind,
    /// The method, or the name of a response; `None` if it is no message.
    pub name: Option<String>,
    /// The side that asked, if it is a request or a response to one.
    pub asker: Option<Blame>,
    /// The time of the request that a response answers, in microseconds.
    pub asked_at: Option<u64>,
    /// What is wrong with it.
    pub mistakes: Vec<Mistake>,
}

impl Pairing {
    /// Names the next message.
    pub fn name(&mut self, vocabulary: Vocabulary<'_>, line: SentLine<'_>) -> NamedMessage {
        let mut mistakes = Vec::new();
        let object = line.value.and_then(Value::as_object);
        let message = object.and_then(|object| Some((Message::read(object)?, object)));
        let (mut name, mut asker, mut asked_at) = (None, None, None);
        if let Some((message, object)) = message {
            let is_optional = vocabulary.json_rpc.is_version_optional;
            mistakes.extend(version_mistake(object, is_optional));
            outcome_mistakes(message, object, &mut mistakes);
            let named = match message {
                Message::Answer { id } => {
                    let outcome = Outcome::of(object);
                    let (name, request) = self.answer(line, id, outcome, &mut mistakes);
                    asked_at = request.as_ref().map(|request| request.at);
                    (name, request.map(|_| other(line.from)))
                }
                _ => self.call(vocabulary, line, message, &mut mistakes),
            };
            (name, asker) = (Some(named.0), named.1);
        } else if object.is_some() {
            let what = "the object is no request, no notification and no response";
            mistakes.push(Mistake::new(StructureRule::NotAMessage, "", what));
        } else if line.value.is_some_and(Value::is_array) {
            let what = "the line is a list of messages, where each line is one message";
            mistakes.push(Mistake::new(StructureRule::Batch, "", what));
        }
        let is_unread = |mistake: &Mistake| !mistake.rule.is_about_method();
        if name.is_none() || mistakes.iter().any(is_unread) || line.is_unclear {
            self.side_mut(line.from).unread += 1;
        }
        NamedMessage {
            kind: message.map_or(MessageKind::Other, |(message, _)| message.kind()),
            name,
            asker,
            asked_at,
            mistakes,
        }
    }

    /// Notes a request or a notification. Gives its name, and the side that asked.
    fn call(
        &mut self,
        vocabulary: Vocabulary<'_>,
        line: SentLine<'_>,
        message: Message<'_>,
        mistakes: &mut Vec<Mistake>,
    ) -> (String, Option<Blame>) {
        let is_readable = mistakes.is_empty() && !line.is_unclear;
        let (method, id) = match message {
            Message::Request { method, id } => (method, Some(id)),
            Message::Notification { method } => (method, None),
            Message::Answer { .. } => return (ANSWER_TO_NOTHING.to_owned(), None),
        };
        let own = vocabulary.names_of(line.from).method(method);
        mistakes.extend(method_mistake(vocabulary, line.from, method, id.is_some()));
        let asking = self.side_mut(line.from);
        let name = method.to_owned();
        match id.map(|id| (id, MessageId::read(id, line.text))) {
            None => asking.notified = Some(name.clone()),
            Some((_, None)) => {
                let what = format!("the id of `{method}` is neither a text nor a number");
                mistakes.push(Mistake::new(StructureRule::IdType, "/id", what));
            }
            Some((id, Some(key))) => mistakes.extend(asking.ask(OpenRequest {
                method: name.clone(),
                id: (key, id.clone()),
                frame: line.frame,
                at: line.at,
                is_known: own.is_some(),
                is_doubtful: !is_readable || own.is_some_and(|spec| spec.notification),
            })),
        }
        (name, id.map(|_| line.from))
    }

    /// Notes a response. Gives its name, and the side that asked.
    fn answer(
        &mut self,
        line: SentLine<'_>,
        id: Option<&Value>,
        outcome: Outcome,
        mistakes: &mut Vec<Mistake>,
    ) -> (String, Option<OpenRequest>) {
        let id = id.map(|id| (id, MessageId::read(id, line.text)));
        let asker = other(line.from);
        let answered = self.side_mut(asker).answer(id, outcome, mistakes);
        let outcome = usize::from(outcome == Outcome::Failure);
        let name = match &answered {
            Some(request) if request.is_known => {
                format!("{}.{}", request.method, ["result", "error"][outcome])
            }
            Some(_) => ANSWERS_TO_UNKNOWN[outcome].to_owned(),
            None => ANSWER_TO_NOTHING.to_owned(),
        };
        (name, answered)
    }

    /// The requests of a side that have no response yet, the oldest first.
    pub fn open(&self, asker: Blame) -> Vec<&OpenRequest> {
        let mut open: Vec<_> = self.side(asker).open.values().flatten().collect();
        open.sort_by_key(|request| request.frame);
        open
    }

    /// Whether a side waits for a response that the other one certainly has to give.
    pub fn is_waiting(&self, asker: Blame) -> bool {
        self.side(asker).waiting > 0
    }

    fn side(&self, side: Blame) -> &AskingSide {
        match side {
            Blame::Agent => &self.agent,
            Blame::Host => &self.host,
        }
    }

    fn side_mut(&mut self, side: Blame) -> &mut AskingSide {
        match side {
            Blame::Agent => &mut self.agent,
            Blame::Host => &mut self.host,
        }
    }
}

impl AskingSide {
    fn ask(&mut self, mut request: OpenRequest) -> Option<Mistake> {
        let open = self.open.entry(request.id.0.clone()).or_default();
        let mistake = open.front().map(|before| {
            let what = format!(
                "`{}` has the id {} of `{}` in frame {}, which is not answered yet",
                request.method, request.id.0, before.method, before.frame
            );
            Mistake::new(StructureRule::IdReused, "/id", what)
        });
        request.is_doubtful |= mistake.is_some();
        self.waiting += usize::from(!request.is_doubtful);
        open.push_back(request);
        mistake
    }

    /// The request that a response of the other side answers.
    fn answer(
        &mut self,
        id: Option<(&Value, Option<MessageId>)>,
        outcome: Outcome,
        mistakes: &mut Vec<Mistake>,
    ) -> Option<OpenRequest> {
        let key = match id {
            // It repeats what the other side wrote.
            Some((_, None)) if self.refuse() => return None,
            Some((id, None)) => {
                let what = format!("the id of a response is {id}, neither a text nor a number");
                mistakes.push(Mistake::new(StructureRule::IdType, "/id", what));
                return None;
            }
            Some((_, Some(id))) => Some(id),
            None => None,
        };
        if let Some(request) = key.as_ref().and_then(|id| self.take(id)) {
            return Some(request);
        }
        match key.filter(|id| *id != MessageId::Null) {
            Some(id) => self.answer_by_lookalike(&id, mistakes),
            None => self.answer_without_id(outcome, mistakes),
        }
    }

    fn answer_by_lookalike(
        &mut self,
        id: &MessageId,
        mistakes: &mut Vec<Mistake>,
    ) -> Option<OpenRequest> {
        let mut open = self.open.keys().filter(|_| id.is_large());
        let rounded = open.find(|open| id.is_rounded_as(open));
        let like = id.lookalikes().into_iter().chain(rounded.cloned());
        if let Some(request) = like.into_iter().find_map(|like| self.take(&like)) {
            mistakes.push(other_id(&request, id));
            return Some(request);
        }
        let like = id.lookalikes().into_iter();
        let mut alike = std::iter::once(id.clone()).chain(like);
        mistakes.push(match alike.find_map(|id| self.answered.get(&id)) {
            Some(method) => {
                let what = format!("`{method}` with the id {id} is answered a second time");
                Mistake::new(StructureRule::SecondAnswer, "/id", what)
            }
            None => {
                let what = format!("a response has the id {id}, which no request has");
                Mistake::new(StructureRule::AnswerToNothing, "/id", what)
            }
        });
        None
    }

    /// An error without an id refuses a line that could not be read. Any other response without one should not be there, or lacks its id.
    fn answer_without_id(
        &mut self,
        outcome: Outcome,
        mistakes: &mut Vec<Mistake>,
    ) -> Option<OpenRequest> {
        if outcome == Outcome::Failure && self.refuse() {
            return None;
        }
        let mut open = self.open.values().flatten();
        let only = open.next().filter(|_| open.next().is_none());
        let only = only.map(|request| request.id.0.clone());
        let answers_request = outcome == Outcome::Content && only.is_some();
        if !answers_request && let Some(method) = self.notified.take() {
            let what = format!("a response without an id came after the notification `{method}`");
            mistakes.push(Mistake::new(StructureRule::AnsweredNotification, "", what));
            return None;
        }
        if let Some(only) = only {
            let request = self.take(&only)?;
            mistakes.push(other_id(&request, &MessageId::Null));
            return Some(request);
        }
        let what = "a response has no id, and answers no request";
        mistakes.push(Mistake::new(StructureRule::AnswerToNothing, "", what));
        None
    }

    /// Whether the other side may refuse one more line that it cannot read.
    fn refuse(&mut self) -> bool {
        let is_owed = self.unread > 0;
        self.unread = self.unread.saturating_sub(1);
        is_owed
    }

    /// The oldest open request with this id, which is answered now.
    fn take(&mut self, id: &MessageId) -> Option<OpenRequest> {
        let open = self.open.get_mut(id)?;
        let request = open.pop_front()?;
        if open.is_empty() {
            self.open.remove(id);
        }
        self.waiting -= usize::from(!request.is_doubtful);
        self.answered.insert(id.clone(), request.method.clone());
        Some(request)
    }
}

fn other_id(request: &OpenRequest, id: &MessageId) -> Mistake {
    let OpenRequest { method, frame, .. } = request;
    let what = format!(
        "the response has the id {id}, where `{method}` in frame {frame} has the id {}",
        request.id.0
    );
    Mistake::new(StructureRule::IdType, "/id", what)
}

/// What is wrong with the method of a request or notification.
fn unknown_method(json_rpc: &JsonRpc, side: &str, method: &str) -> String {
    let own = match &json_rpc.extensions[..] {
        [] => String::new(),
        prefixes => format!(
            ", and a method of one's own begins with `{}`",
            prefixes.join("` or `")
        ),
    };
    format!("the {side} has no method `{method}`{own}")
}

fn method_mistake(
    vocabulary: Vocabulary<'_>,
    from: Blame,
    method: &str,
    has_id: bool,
) -> Option<Mistake> {
    let to = other(from);
    let (own, others) = (vocabulary.names_of(from), vocabulary.names_of(to));
    let (from, to) = (from.word(), to.word());
    let (rule, pointer, what) = match own.method(method) {
        Some(spec) if spec.notification && has_id => (
            StructureRule::RequestOrNotification,
            "/id",
            format!("`{method}` is a notification, but has an id"),
        ),
        Some(spec) if !spec.notification && !has_id => (
            StructureRule::RequestOrNotification,
            "",
            format!("`{method}` is a request, but has no id"),
        ),
        Some(_) => return None,
        None if others.method(method).is_some() => (
            StructureRule::WrongSide,
            "/method",
            format!("`{method}` came from the {from}, but is a method that the {to} sends"),
        ),
        None if vocabulary.json_rpc.is_extension(method) => return None,
        None => (
            StructureRule::UnknownMethod,
            "/method",
            unknown_method(vocabulary.json_rpc, to, method),
        ),
    };
    Some(Mistake::new(rule, pointer, what))
}

fn version_mistake(object: &Map<String, Value>, is_optional: bool) -> Option<Mistake> {
    let what = match object.get("jsonrpc") {
        Some(Value::String(version)) if version == VERSION => return None,
        None if is_optional => return None,
        None => format!("the message has no `jsonrpc`, where \"{VERSION}\" is expected"),
        Some(version) => format!("`jsonrpc` is {version}, where \"{VERSION}\" is expected"),
    };
    Some(Mistake::new(StructureRule::Version, "/jsonrpc", what))
}

fn other(side: Blame) -> Blame {
    match side {
        Blame::Agent => Blame::Host,
        Blame::Host => Blame::Agent,
    }
}
