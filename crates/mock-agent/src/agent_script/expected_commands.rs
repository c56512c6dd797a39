//! The commands of the host that a reply expects, each at its place.

use super::Capture;
use json_matcher::{Captures, Matcher};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tokio::sync::Notify;

/// A command that a reply expects.
#[derive(Debug)]
pub(super) struct Expected {
    pub(super) pattern: Pattern,
    pub(super) capture: Capture,
    /// As it is written, for messages.
    pub(super) written: String,
}

/// The expected command.
#[derive(Debug)]
pub(super) enum Pattern {
    Command(Matcher),
    /// A line that is not a JSON object.
    Line(String),
}

/// What the host has sent.
#[derive(Debug, Clone, Copy)]
pub(super) enum Received<'a> {
    Command(&'a Value),
    Line(&'a [u8]),
}

/// The commands of one reply: which of them have come, and the names that they have set.
#[derive(Debug)]
pub(super) struct Conversation {
    expected: Rc<[Expected]>,
    came: RefCell<Vec<bool>>,
    /// The names of the reply.
    pub(super) names: RefCell<Captures>,
    input_ended: Cell<bool>,
    change: Notify,
}

impl Conversation {
    pub(super) fn new(expected: Rc<[Expected]>, names: Captures) -> Self {
        Conversation {
            came: RefCell::new(vec![false; expected.len()]),
            expected,
            names: RefCell::new(names),
            input_ended: Cell::default(),
            change: Notify::new(),
        }
    }

    /// Takes expected input, at its first place that is still open. False if it is not expected.
    pub(super) fn offer(&self, received: Received<'_>) -> bool {
        let mut names = self.names.borrow_mut();
        let mut came = self.came.borrow_mut();
        let mut open = came.iter_mut().zip(&*self.expected);
        let found = open.find(|(came, one)| !**came && one.difference(received, &names).is_none());
        let Some((came, expected)) = found else {
            return false;
        };
        *came = true;
        if let Received::Command(command) = received {
            capture(&expected.capture, command, &mut names);
        }
        self.change.notify_one();
        true
    }

    /// What is expected next, and how this differs from it; `None` if nothing more is.
    pub(super) fn why_not(&self, received: Received<'_>) -> Option<String> {
        let came = self.came.borrow();
        let next = &self.expected[came.iter().position(|came| !came)?];
        let why = next
            .difference(received, &self.names.borrow())
            .unwrap_or_default();
        Some(format!("the next one is {} ({why})", next.written))
    }

    /// Waits until the command of this index has come. False if it can no longer come.
    pub(super) async fn has_come(&self, index: usize) -> bool {
        while !self.came.borrow()[index] {
            if self.input_ended.get() {
                return false;
            }
            self.change.notified().await;
        }
        true
    }

    /// Waits for the end of stdin.
    pub(super) async fn end_of_input(&self) {
        while !self.input_ended.get() {
            self.change.notified().await;
        }
    }

    /// No more commands come.
    pub(super) fn end_input(&self) {
        self.input_ended.set(true);
        self.change.notify_one();
    }
}

/// Stores the parts of a command.
pub(super) fn capture(parts: &Capture, command: &Value, names: &mut Captures) {
    for (name, pointer) in parts {
        let part = command.pointer(pointer).cloned();
        names.set(name, part.unwrap_or_default());
    }
}

impl Expected {
    /// How this differs from what is expected; `None` if it does not.
    fn difference(&self, received: Received<'_>, names: &Captures) -> Option<String> {
        match (&self.pattern, received) {
            (Pattern::Command(matcher), Received::Command(command)) => {
                let mismatch = matcher.matches(command, names).err()?;
                Some(mismatch.to_string())
            }
            (Pattern::Line(line), Received::Line(bytes)) => {
                let is_same = String::from_utf8_lossy(bytes) == *line;
                (!is_same).then(|| "another line".to_owned())
            }
            (Pattern::Command(_), Received::Line(_)) => {
                Some("a line that is not a JSON object".to_owned())
            }
            (Pattern::Line(_), Received::Command(_)) => Some("a JSON object".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn command(matcher: &Value, capture: &[(&str, &str)]) -> Expected {
        let capture = capture
            .iter()
            .map(|(name, at)| ((*name).to_owned(), (*at).to_owned()));
        Expected {
            pattern: Pattern::Command(Matcher::compile(matcher).unwrap()),
            capture: capture.collect(),
            written: matcher.to_string(),
        }
    }

    #[test]
    fn a_command_takes_its_first_open_place_once() {
        let line = Expected {
            pattern: Pattern::Line("nonsense".to_owned()),
            capture: Vec::new(),
            written: "nonsense".to_owned(),
        };
        let expected = [
            command(&json!({ "type": "say" }), &[("id", "/id")]),
            line,
            command(&json!({ "type": "stop", "id": "{id}" }), &[]),
            command(&json!({ "type": "say", "text": "b" }), &[]),
        ];
        let conversation = Conversation::new(expected.into(), Captures::default());
        for (command, is_taken) in [
            // The id is not known yet.
            (json!({ "type": "stop", "id": "1" }), false),
            (json!({ "type": "say", "text": "b", "id": "1" }), true),
            (json!({ "type": "stop", "id": "1" }), true),
            (json!({ "type": "say", "text": "b" }), true),
            (json!({ "type": "say", "text": "b" }), false),
        ] {
            let offered = conversation.offer(Received::Command(&command));
            assert_eq!(offered, is_taken, "{command}");
        }
        let why = conversation.why_not(Received::Line(b"x"));
        assert_eq!(
            why.as_deref(),
            Some("the next one is nonsense (another line)")
        );
        assert!(conversation.offer(Received::Line(b"nonsense")));
        assert_eq!(conversation.why_not(Received::Line(b"x")), None);
    }
}
