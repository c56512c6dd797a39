//! Messages that are named by their structure, as steps see them: with their names, and with ids that a step need not write.

use super::player::ScenarioPlayer;
use conform_judge::dialect::{FrameNames, OpenRequest};
use conform_judge::finding::Blame;
use json_matcher::Matcher;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

impl ScenarioPlayer {
    /// The message that a step sends. A request without an id gets one that no open request has, and a response that of the oldest open
    /// request of its method.
    pub(super) fn message<'v>(&mut self, step: &'v Value) -> Result<Cow<'v, Value>, String> {
        let dialect = Arc::clone(&self.suite.dialect);
        let names = &dialect.commands;
        if names.structure.is_none() {
            return Ok(Cow::Borrowed(step));
        }
        let name = names.name_in_step(step).unwrap_or_default();
        let id = match step.get("id") {
            Some(id) => id.clone(),
            None if names.is_answer(name) => self.asked_id(name)?,
            None => self.next_id(),
        };
        Ok(names.message(step, Some(id)))
    }

    /// The id of the request of the agent that a response of this name answers.
    fn asked_id(&self, name: &str) -> Result<Value, String> {
        let method = name.rsplit_once('.').map_or(name, |(method, _)| method);
        let mut open = self.open(Blame::Agent).into_iter();
        let request = open.find(|request| request.method == method);
        request.map(|request| request.id.1.clone()).ok_or_else(|| {
            format!("no `{method}` of the agent is open: expect it before, or write the `id` that `{name}` answers")
        })
    }

    /// The next number that is not the id of an open request.
    fn next_id(&mut self) -> Value {
        loop {
            self.session.last_id += 1;
            let id = Value::from(self.session.last_id);
            let open = self.open(Blame::Host);
            if open.iter().all(|request| request.id.1 != id) {
                return id;
            }
        }
    }

    fn open(&self, asker: Blame) -> Vec<&OpenRequest> {
        let pairing = self.session.recorder.checker().pairing();
        pairing.map(|all| all.open(asker)).unwrap_or_default()
    }

    /// The oldest request of the agent that the host has not answered.
    pub(super) fn left_open(&self) -> Option<&OpenRequest> {
        self.open(Blame::Agent).first().copied()
    }

    /// The newest message, with its name.
    pub(super) fn named_newest(&self, message: Value) -> Value {
        let name = self.session.recorder.checker().newest_name();
        match self.suite.dialect.events.named(&message, name) {
            Cow::Owned(named) => named,
            Cow::Borrowed(_) => message,
        }
    }

    /// What a matcher shows of the event that it expects. The id of the agent's own request shows nothing about the host's.
    pub(super) fn shown(&self, matcher: &Matcher) -> Value {
        let shown = matcher.shown(&self.captures);
        let names = &self.suite.dialect.events;
        if is_answer(names, &shown) {
            shown
        } else {
            without_id(names, shown)
        }
    }

    /// What a command shows of the events that belong to it. The id of a response is the agent's.
    pub(super) fn shown_by(&self, command: &Value) -> Value {
        let names = &self.suite.dialect.commands;
        if is_answer(names, command) {
            without_id(names, command.clone())
        } else {
            command.clone()
        }
    }
}

/// Whether a message is a response.
pub(super) fn is_answer(names: &FrameNames, message: &Value) -> bool {
    let name = names.name_in_step(message);
    name.is_some_and(|name| names.is_answer(name))
}

fn without_id(names: &FrameNames, mut message: Value) -> Value {
    if let (Some(_), Some(members)) = (&names.structure, message.as_object_mut()) {
        members.shift_remove("id");
    }
    message
}
