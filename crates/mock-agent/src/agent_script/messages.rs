//! The messages of a JSON-RPC session, as a script sees them: with their names, and with ids that it need not write.

use super::Vocabulary;
use conform_dialect::FrameNames;
use frame_faults::FrameNamer;
use serde_json::Value;
use std::cell::{Cell, RefCell};

/// The messages of a session so far.
#[derive(Debug)]
pub(crate) struct Messages {
    events: FrameNames,
    commands: FrameNames,
    namer: RefCell<FrameNamer>,
    /// The requests of the host that are not answered: methods and ids, the oldest first.
    open: RefCell<Vec<(String, Value)>>,
    last_id: Cell<u64>,
}

impl Messages {
    /// The messages of a new session.
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        Messages {
            events: vocabulary.events.clone(),
            commands: vocabulary.commands.clone(),
            namer: RefCell::new(FrameNamer::new(vocabulary.naming.clone())),
            open: RefCell::default(),
            last_id: Cell::default(),
        }
    }

    /// A command, with its name if it is named by its structure.
    pub(super) fn received(&self, command: Value) -> Value {
        if self.commands.structure.is_none() {
            return command;
        }
        let name = self.namer.borrow_mut().command(&command);
        if let (Some(id), true) = (command.get("id"), command.get("method").is_some()) {
            self.open.borrow_mut().push((name.clone(), id.clone()));
        }
        let known = if self.commands.is_answer(&name) || self.commands.method(&name).is_some() {
            Some(name.as_str())
        } else {
            command.get("method").and_then(Value::as_str)
        };
        self.commands.named(&command, known).into_owned()
    }

    /// The message that a script sends. A response without an id gets that of the reply's own command, or of the oldest open request of its
    /// method; a request without an id gets one that is not in use.
    pub(super) fn sent(&self, step: Value, own: Option<&Value>) -> Result<Value, String> {
        if self.events.structure.is_none() {
            return Ok(step);
        }
        let name = self.events.name_in_step(&step).unwrap_or_default();
        let is_answer = step.get("method").is_none() && self.events.method(name).is_none();
        let id = match step.get("id") {
            Some(_) => None,
            None if is_answer => Some(self.asked_id(name, own)?),
            None => self.events.method(name).map(|_| {
                self.last_id.set(self.last_id.get() + 1);
                self.last_id.get().into()
            }),
        };
        let message = self.events.message(&step, id).into_owned();
        if message.get("method").is_none() {
            let id = message.get("id");
            let mut open = self.open.borrow_mut();
            if let Some(at) = open.iter().position(|(_, one)| Some(one) == id) {
                open.remove(at);
            }
        }
        self.namer.borrow_mut().event(&message);
        Ok(message)
    }

    /// The id of the request of the host that a response of this name answers.
    fn asked_id(&self, name: &str, own: Option<&Value>) -> Result<Value, String> {
        let open = self.open.borrow();
        let method = name.rsplit_once('.').map_or("", |(method, _)| method);
        let own = own.and_then(|own| Some((own.get("method")?.as_str()?, own.get("id")?)));
        if let Some((of_own, id)) = own
            && (method.is_empty() || method == of_own)
        {
            return Ok(id.clone());
        }
        let mut fitting = open
            .iter()
            .filter(|(one, _)| method.is_empty() || one == method);
        let found = fitting.next().map(|(_, id)| id.clone());
        found.ok_or_else(|| {
            let what = if method.is_empty() { "request" } else { method };
            format!("no `{what}` of the host is open: expect it before, or write the `id` that the response answers")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frame_faults::FrameNaming;
    use serde_json::json;

    fn messages() -> Messages {
        fn named<S: Default, T: FromIterator<(String, S)>>(names: &[&str]) -> T {
            let names = names.iter().map(|name| ((*name).to_owned(), S::default()));
            names.collect()
        }
        let (event, commands) = (["confirm"], ["ask", "hello"]);
        Messages::new(&Vocabulary {
            naming: FrameNaming::JsonRpc {
                is_version_optional: false,
            },
            events: FrameNames::by_structure(named(&event), &named(&commands), false),
            commands: FrameNames::by_structure(named(&commands), &named(&event), false),
            ..Vocabulary::default()
        })
    }

    #[test]
    fn a_response_gets_the_id_of_its_request_and_a_request_one_of_its_own() {
        let messages = messages();
        let first = json!({ "jsonrpc": "2.0", "id": 1, "method": "ask" });
        let second = json!({ "jsonrpc": "2.0", "id": "1", "method": "ask" });
        assert_eq!(messages.received(first)["message"], "ask");
        let second = messages.received(second);

        let sent = |step, own| messages.sent(step, own).unwrap();
        let asked = sent(json!({ "message": "confirm", "params": {} }), None);
        assert_eq!(
            asked,
            json!({ "jsonrpc": "2.0", "id": 1, "method": "confirm", "params": {} })
        );
        let own = sent(json!({ "result": 7 }), Some(&second));
        assert_eq!(own, json!({ "jsonrpc": "2.0", "id": "1", "result": 7 }));
        let oldest = sent(json!({ "message": "ask.error", "error": {} }), None);
        assert_eq!(oldest, json!({ "jsonrpc": "2.0", "id": 1, "error": {} }));
        let why = messages.sent(json!({ "message": "ask.result" }), None);
        assert!(why.unwrap_err().contains("no `ask` of the host is open"));
        let answer = messages.received(json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
        assert_eq!(answer["message"], "confirm.result");
    }
}
