//! The open requests of both sides of a JSON-RPC session, and the names of its messages.

use crate::player::KindPointers;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};

/// The name of a response to nothing.
const ANSWER_TO_NOTHING: &str = "#answer";

/// How frames are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameNaming {
    /// By a text in the frame.
    Pointers(KindPointers),
    /// As JSON-RPC: a request or notification by its method, a response by the request that it answers.
    JsonRpc {
        /// Whether messages may leave out the member `jsonrpc`.
        is_version_optional: bool,
    },
}

impl Default for FrameNaming {
    fn default() -> Self {
        FrameNaming::Pointers(KindPointers::default())
    }
}

impl From<KindPointers> for FrameNaming {
    fn from(pointers: KindPointers) -> Self {
        FrameNaming::Pointers(pointers)
    }
}

/// Names the frames of a session on which no fault is played.
#[derive(Debug, Clone, Default)]
pub struct FrameNamer {
    naming: FrameNaming,
    calls: OpenCalls,
}

impl FrameNamer {
    /// A namer for a new session.
    #[must_use]
    pub fn new(naming: FrameNaming) -> Self {
        FrameNamer {
            naming,
            calls: OpenCalls::default(),
        }
    }

    /// The name of the next frame of the agent, without its nested kind; empty if it has none.
    pub fn event(&mut self, frame: &Value) -> String {
        let FrameNaming::Pointers(at) = &self.naming else {
            let name = self.calls.of_agent(frame).name;
            self.calls.asked_by_agent(frame, Some(frame), &[]);
            return name;
        };
        text_at(frame, &at.events)
    }

    /// The name of the next frame of the host.
    pub fn command(&mut self, frame: &Value) -> String {
        let FrameNaming::Pointers(at) = &self.naming else {
            let name = self.calls.of_host(frame).message.name;
            self.calls.asked_by_host(frame);
            return name;
        };
        text_at(frame, &at.commands)
    }
}

/// The text at a pointer; empty if there is none.
pub(crate) fn text_at(frame: &Value, pointer: &str) -> String {
    let text = frame.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// A message with its name, and the request that it answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct NamedFrame {
    pub(crate) name: String,
    pub(crate) request: Option<Value>,
}

/// A message of the host.
#[derive(Debug, Clone)]
pub(crate) struct HostFrame {
    pub(crate) message: NamedFrame,
    /// The id that the agent knows, if it is a response with another one.
    pub(crate) own_id: Option<Value>,
    /// Whether it answers a request that the agent has not made.
    pub(crate) is_of_inserted: bool,
}

/// A request without a response.
#[derive(Debug, Clone)]
struct Call {
    request: Value,
    /// The id that the asking side knows; `None` for a request that it has not made.
    own_id: Option<Value>,
}

/// The requests of one side, by the ids that the other side knows, as JSON.
type Calls = HashMap<String, VecDeque<Call>>;

/// The open requests of both sides: those of the host as the agent got them, those of the agent as the host got them.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenCalls {
    host: Calls,
    agent: Calls,
}

impl OpenCalls {
    /// Names a message of the agent.
    pub(crate) fn of_agent(&mut self, frame: &Value) -> NamedFrame {
        named(frame, &mut self.host).0
    }

    /// Names a message of the host.
    pub(crate) fn of_host(&mut self, frame: &Value) -> HostFrame {
        let (message, call) = named(frame, &mut self.agent);
        let is_of_inserted = call.as_ref().is_some_and(|call| call.own_id.is_none());
        let own_id = call.and_then(|call| call.own_id);
        HostFrame {
            message,
            own_id: own_id.filter(|id| frame.get("id") != Some(id)),
            is_of_inserted,
        }
    }

    /// Notes a request of the host, as the agent gets it.
    pub(crate) fn asked_by_host(&mut self, frame: &Value) {
        note(&mut self.host, frame, frame.get("id"));
    }

    /// Notes the requests that the host gets: the agent's own message as it was `passed` on, and others.
    pub(crate) fn asked_by_agent(&mut self, own: &Value, passed: Option<&Value>, others: &[Value]) {
        if let (Some(passed), Some(_)) = (passed, method(own)) {
            note(&mut self.agent, passed, own.get("id"));
        }
        for other in others {
            note(&mut self.agent, other, None);
        }
    }
}

fn note(calls: &mut Calls, request: &Value, own_id: Option<&Value>) {
    if let (Some(_), Some(id)) = (method(request), request.get("id")) {
        calls.entry(id.to_string()).or_default().push_back(Call {
            request: request.clone(),
            own_id: own_id.cloned(),
        });
    }
}

/// The name of a message, and the request of the other side that it answers, which is not open any more.
fn named(frame: &Value, asked: &mut Calls) -> (NamedFrame, Option<Call>) {
    if let Some(method) = method(frame) {
        let name = method.to_owned();
        return (
            NamedFrame {
                name,
                request: None,
            },
            None,
        );
    }
    let id = frame.get("id").map(Value::to_string);
    let call = id.and_then(|id| {
        let open = asked.get_mut(&id)?;
        let call = open.pop_front();
        if open.is_empty() {
            asked.remove(&id);
        }
        call
    });
    let outcome = match frame.get("error") {
        Some(Value::Null) if frame.get("result").is_some() => "result",
        Some(_) => "error",
        None => "result",
    };
    let name = match &call {
        Some(call) => format!("{}.{outcome}", method(&call.request).unwrap_or_default()),
        None => ANSWER_TO_NOTHING.to_owned(),
    };
    let request = call.as_ref().map(|call| call.request.clone());
    (NamedFrame { name, request }, call)
}

fn method(frame: &Value) -> Option<&str> {
    frame.get("method")?.as_str()
}
