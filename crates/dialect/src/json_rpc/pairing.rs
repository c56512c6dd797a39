//! Pairs the responses of a session with their requests, and so names each message.

use super::message::{Message, is_failure, outcome_mistakes};
use super::mistake::{Mistake, StructureRule};
use super::{ANSWER_TO_NOTHING, ANSWERS_TO_UNKNOWN, MessageId, VERSION, Vocabulary};
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
    /// Whether the dialect has the method.
    is_known: bool,
    /// Whether the other side may be unable to read it, or may answer without its id.
    pub is_doubtful: bool,
}

/// What one side has asked.
#[derive(Debug, Clone, Default)]
struct AskingSide {
    open: HashMap<MessageId, VecDeque<OpenRequest>>,
    /// The methods of the answered requests, by the newest request of each id.
    answered: HashMap<MessageId, String>,
    /// The newest notification, until a response without an id comes.
    notified: Option<String>,
    /// How many lines the other side may refuse with an error without an id, because it cannot read them.
    unread: u64,
}

/// A message with the name that it has in its session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NamedMessage {
    /// The method, the name of a response, or `None` if it is no message.
    pub name: Option<String>,
    /// The side that asked, if it is a request or a response to one.
    pub asker: Option<Blame>,
    /// Whether it answered a request.
    pub is_answer: bool,
    /// What is wrong with it.
    pub mistakes: Vec<Mistake>,
    /// The rules that it could break.
    pub rules: Vec<StructureRule>,
}

impl Pairing {
    /// Names the next message. `value` is its JSON, with its text; `None` for a line without JSON. `is_unclear`: the other side may not be
    /// able to read it.
    pub fn name(
        &mut self,
        vocabulary: Vocabulary<'_>,
        (from, frame): (Blame, u64),
        value: Option<(&Value, &str)>,
        is_unclear: bool,
    ) -> NamedMessage {
        let mut named = NamedMessage::default();
        match value {
            Some((Value::Object(object), text)) => {
                let at = (from, frame);
                self.name_object(vocabulary, at, (object, text), is_unclear, &mut named);
            }
            Some((Value::Array(_), _)) => {
                named.rules.push(StructureRule::Batch);
                let message = "the line is a list of messages, where each line is one message";
                named
                    .mistakes
                    .push(Mistake::new(StructureRule::Batch, message));
            }
            _ => {}
        }
        if named.name.is_none() || !named.mistakes.is_empty() || is_unclear {
            self.side_mut(from).unread += 1;
        }
        named
    }

    fn name_object(
        &mut self,
        vocabulary: Vocabulary<'_>,
        (from, frame): (Blame, u64),
        (object, text): (&Map<String, Value>, &str),
        is_unclear: bool,
        named: &mut NamedMessage,
    ) {
        named.rules = vec![StructureRule::NotAMessage, StructureRule::Batch];
        let Some(message) = Message::read(object) else {
            let what = "the object is no request, no notification and no response";
            let mistake = Mistake::new(StructureRule::NotAMessage, what);
            named.mistakes.push(mistake);
            return;
        };
        named.rules.push(StructureRule::Version);
        named.rules.extend(message.rules());
        let is_version_optional = vocabulary.json_rpc.is_version_optional;
        let of_version = version_mistake(object, is_version_optional);
        named.mistakes.extend(of_version);
        outcome_mistakes(message, object, &mut named.mistakes);
        match message {
            Message::Request { method, id } => {
                let is_known = method_mistakes(vocabulary, from, message, &mut named.mistakes);
                named.name = Some(method.to_owned());
                named.asker = Some(from);
                let Some(key) = MessageId::read(id, text) else {
                    let what = format!("the id of `{method}` is neither a text nor a number");
                    let mistake = Mistake::new(StructureRule::IdType, what).at("/id");
                    named.mistakes.push(mistake);
                    return;
                };
                let request = OpenRequest {
                    method: method.to_owned(),
                    id: (key, id.clone()),
                    frame,
                    is_known,
                    is_doubtful: is_unclear || !named.mistakes.is_empty(),
                };
                named.mistakes.extend(self.side_mut(from).ask(request));
            }
            Message::Notification { method } => {
                method_mistakes(vocabulary, from, message, &mut named.mistakes);
                named.name = Some(method.to_owned());
                self.side_mut(from).notified = Some(method.to_owned());
            }
            Message::Answer { id } => {
                let id = id.map(|id| (id, MessageId::read(id, text)));
                let asker = other(from);
                let answered =
                    self.side_mut(asker)
                        .answer(id, is_failure(object), &mut named.mistakes);
                named.asker = answered.is_some().then_some(asker);
                named.is_answer = answered.is_some();
                let outcome = usize::from(is_failure(object));
                named.name = Some(match answered {
                    Some(request) if request.is_known => {
                        format!("{}.{}", request.method, ["result", "error"][outcome])
                    }
                    Some(_) => ANSWERS_TO_UNKNOWN[outcome].to_owned(),
                    None => ANSWER_TO_NOTHING.to_owned(),
                });
            }
        }
    }

    /// The requests of a side that have no response yet, the oldest first.
    pub fn open(&self, asker: Blame) -> Vec<&OpenRequest> {
        let mut open: Vec<_> = self.side(asker).open.values().flatten().collect();
        open.sort_by_key(|request| request.frame);
        open
    }

    /// Whether a side has a request without a response.
    pub fn is_waiting(&self, asker: Blame) -> bool {
        !self.side(asker).open.is_empty()
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
    fn ask(&mut self, request: OpenRequest) -> Option<Mistake> {
        let (method, id) = (&request.method, &request.id.0);
        let open = self.open.entry(id.clone()).or_default();
        let mistake = open.front().map(|before| {
            let what = format!(
                "`{method}` has the id {id} of `{}` in frame {}, which is not answered yet",
                before.method, before.frame
            );
            Mistake::new(StructureRule::IdReused, what).at("/id")
        });
        open.push_back(request);
        mistake
    }

    /// The request that a response of the other side answers.
    fn answer(
        &mut self,
        id: Option<(&Value, Option<MessageId>)>,
        is_failure: bool,
        mistakes: &mut Vec<Mistake>,
    ) -> Option<OpenRequest> {
        let key = match id {
            // It repeats what the other side wrote.
            Some((_, None)) if self.refuse() => return None,
            Some((id, None)) => {
                let what = format!("the id of a response is {id}, neither a text nor a number");
                mistakes.push(Mistake::new(StructureRule::IdType, what).at("/id"));
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
            None => self.answer_without_id(is_failure, mistakes),
        }
    }

    fn answer_by_lookalike(
        &mut self,
        id: &MessageId,
        mistakes: &mut Vec<Mistake>,
    ) -> Option<OpenRequest> {
        if let Some(request) = id.lookalikes().iter().find_map(|like| self.take(like)) {
            mistakes.push(other_id(&request, id));
            return Some(request);
        }
        let like = id.lookalikes().into_iter();
        let mut alike = std::iter::once(id.clone()).chain(like);
        mistakes.push(match alike.find_map(|id| self.answered.get(&id)) {
            Some(method) => {
                let what = format!("`{method}` with the id {id} is answered a second time");
                Mistake::new(StructureRule::SecondAnswer, what).at("/id")
            }
            None => {
                let what = format!("a response has the id {id}, which no request has");
                Mistake::new(StructureRule::AnswerToNothing, what).at("/id")
            }
        });
        None
    }

    /// An error without an id refuses a line that could not be read. Any other response without one should not be there, or lacks its id.
    fn answer_without_id(
        &mut self,
        is_failure: bool,
        mistakes: &mut Vec<Mistake>,
    ) -> Option<OpenRequest> {
        if is_failure && self.refuse() {
            return None;
        }
        if let Some(method) = self.notified.take() {
            let what = format!("a response without an id came after the notification `{method}`");
            mistakes.push(Mistake::new(StructureRule::AnsweredNotification, what));
            return None;
        }
        let mut open = self.open.keys();
        if let (Some(only), None) = (open.next().cloned(), open.next()) {
            let request = self.take(&only)?;
            mistakes.push(other_id(&request, &MessageId::Null));
            return Some(request);
        }
        let what = "a response has no id, and answers no request";
        mistakes.push(Mistake::new(StructureRule::AnswerToNothing, what));
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
    Mistake::new(StructureRule::IdType, what).at("/id")
}

/// Whether the dialect has the method of a request or notification; and what is wrong with it.
fn method_mistakes(
    vocabulary: Vocabulary<'_>,
    from: Blame,
    message: Message<'_>,
    mistakes: &mut Vec<Mistake>,
) -> bool {
    let (method, has_id) = match message {
        Message::Request { method, .. } => (method, true),
        Message::Notification { method } => (method, false),
        Message::Answer { .. } => return false,
    };
    let (own, others) = match from {
        Blame::Agent => (vocabulary.events, vocabulary.commands),
        Blame::Host => (vocabulary.commands, vocabulary.events),
    };
    let (from, to) = (from.word(), other(from).word());
    let wrong = match own.method(method) {
        Some(spec) if spec.notification && has_id => Some((
            StructureRule::RequestOrNotification,
            format!("`{method}` is a notification, but has an id"),
            "/id",
        )),
        Some(spec) if !spec.notification && !has_id => Some((
            StructureRule::RequestOrNotification,
            format!("`{method}` is a request, but has no id"),
            "",
        )),
        Some(_) => None,
        None if others.method(method).is_some() => Some((
            StructureRule::WrongSide,
            format!("`{method}` came from the {from}, but is a method that the {to} sends"),
            "/method",
        )),
        None => {
            let is_extension = vocabulary.json_rpc.is_extension(method);
            let what = format!("the {to} has no method `{method}`");
            (!is_extension).then_some((StructureRule::UnknownMethod, what, "/method"))
        }
    };
    mistakes.extend(wrong.map(|(rule, what, pointer)| Mistake::new(rule, what).at(pointer)));
    own.method(method).is_some()
}

fn version_mistake(object: &Map<String, Value>, is_optional: bool) -> Option<Mistake> {
    let what = match object.get("jsonrpc") {
        Some(Value::String(version)) if version == VERSION => return None,
        None if is_optional => return None,
        None => format!("the message has no `jsonrpc`, where \"{VERSION}\" is expected"),
        Some(version) => format!("`jsonrpc` is {version}, where \"{VERSION}\" is expected"),
    };
    Some(Mistake::new(StructureRule::Version, what).at("/jsonrpc"))
}

fn other(side: Blame) -> Blame {
    match side {
        Blame::Agent => Blame::Host,
        Blame::Host => Blame::Agent,
    }
}
