//! The events of a session, with those that a step may still take.
//!
//! A step takes the first event that fits and that no step has taken, also if it came early: from the newest prompt on that the host sent at
//! rest, or from the command whose id the step names. What came since the furthest event that a step has taken is always open to it, except
//! the end of an earlier turn.

use crate::limits;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};

/// A line that the agent wrote.
#[derive(Debug, Clone)]
pub(super) struct AgentEvent {
    /// Its frame number in the transcript.
    pub(super) n: u64,
    /// The name of the event, or the kind of a line that is not an event.
    pub(super) name: String,
    /// Its JSON value; null for a line that is not JSON.
    pub(super) value: Value,
    /// Whether it ends a turn.
    pub(super) ends_turn: bool,
}

/// The events of a session, the oldest of which are dropped beyond [`limits::LOG_EVENTS`].
#[derive(Debug, Default)]
pub(super) struct EventLog {
    /// The events, each with a flag that is true if a step has taken it.
    events: VecDeque<(AgentEvent, bool)>,
    /// The frame of the furthest event that a step has taken.
    position: u64,
    /// The frame of the newest prompt that was sent at rest.
    turn: u64,
    /// The commands, by frame, with their names.
    commands: Vec<(u64, String)>,
    /// For each member of the commands and its value, the newest command that has it.
    members: HashMap<(String, String), u64>,
}

/// The frames after which a step may take an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventWindow {
    pub(super) after: u64,
    /// The same for the end of a turn.
    turn_end_after: u64,
}

impl EventWindow {
    pub(super) fn contains(&self, event: &AgentEvent) -> bool {
        let after = if event.ends_turn {
            self.turn_end_after
        } else {
            self.after
        };
        event.n > after
    }
}

impl EventLog {
    /// The newest event of this name.
    pub(super) fn newest(&self, name: &str) -> Option<&AgentEvent> {
        let mut events = self.events.iter().rev();
        events.find_map(|(event, _)| (event.name == name).then_some(event))
    }

    pub(super) fn push(&mut self, event: AgentEvent) {
        self.events.push_back((event, false));
        if self.events.len() > limits::LOG_EVENTS {
            self.events.pop_front();
        }
    }

    /// Notes a command of the host, which has its name at `name`. A prompt at rest begins a turn.
    pub(super) fn note_command(&mut self, n: u64, command: &Value, name: &str, begins_turn: bool) {
        if begins_turn {
            self.turn = n;
        }
        let text = command.pointer(name).and_then(Value::as_str);
        self.commands.push((n, text.unwrap_or_default().to_owned()));
        for member in members(command, name) {
            self.members.insert(member, n);
        }
    }

    /// Where a step looks for the event that it shows, which has its name at `name`. `here`: only an event with the id of a command may have
    /// come before the furthest event that a step has taken.
    pub(super) fn window(&self, expected: &Value, name: &str, here: bool) -> EventWindow {
        let (after, turn_end_after) = match self.newest_named(expected, name) {
            Some(command) => (self.position.min(command), self.position.min(command)),
            None if here => (self.position, self.position),
            None => (self.position.min(self.turn), self.turn),
        };
        EventWindow {
            after,
            turn_end_after,
        }
    }

    /// The frame of the newest command that has a member of an event.
    fn newest_named(&self, event: &Value, name: &str) -> Option<u64> {
        let named = members(event, name).filter_map(|member| self.members.get(&member));
        named.max().copied()
    }

    /// The name of the newest command that has a member of an event.
    pub(super) fn command_of(&self, event: &Value, name: &str) -> Option<String> {
        let frame = self.newest_named(event, name)?;
        let (_, command) = self.commands.iter().find(|(n, _)| *n == frame)?;
        Some(command.clone())
    }

    /// The frame of the furthest event that a step has taken.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// The steps are past everything up to this frame.
    pub(super) fn pass(&mut self, n: u64) {
        self.position = self.position.max(n);
    }

    /// The first event after this frame that no step has taken.
    pub(super) fn after(&self, n: u64) -> Option<&AgentEvent> {
        self.all_after(n).next()
    }

    /// The events after this frame that no step has taken.
    pub(super) fn all_after(&self, n: u64) -> impl Iterator<Item = &AgentEvent> {
        let first = self.events.partition_point(|(event, _)| event.n <= n);
        let later = self.events.range(first..);
        later.filter(|(_, taken)| !taken).map(|(event, _)| event)
    }

    /// Whether an event has the id of a command that a step shows, with any other members; and the name that it shows, unless the id is
    /// enough (`by_id`).
    pub(super) fn is_answer(
        &self,
        event: &Value,
        expected: &Value,
        name: &str,
        by_id: bool,
    ) -> bool {
        let ids = members(expected, name).filter(|member| self.members.contains_key(member));
        let mut ids = ids.peekable();
        (by_id && ids.peek().is_some() || event.pointer(name) == expected.pointer(name))
            && ids.all(|(key, value)| event.get(&key).map(Value::to_string) == Some(value))
    }

    /// Takes the event of this frame.
    pub(super) fn take(&mut self, n: u64) {
        self.pass(n);
        if let Ok(index) = self.events.binary_search_by_key(&n, |(event, _)| event.n) {
            self.events[index].1 = true;
        }
    }

    /// Where the newest event that fits came, before the place that the steps have reached; as the end of a sentence.
    pub(super) fn earlier(&self, fits: impl Fn(&Value) -> bool) -> Option<String> {
        let mut earlier = self.events.iter().rev();
        let (event, taken) = earlier
            .find(|(event, _)| event.n <= self.position.max(self.turn) && fits(&event.value))?;
        let next = self.commands.partition_point(|(n, _)| *n <= event.n);
        let why = match self.commands.get(next) {
            _ if *taken => ", and an earlier step had waited for it".to_owned(),
            Some((_, command)) => {
                format!(", before the host sent `{command}`; it was expected behind that")
            }
            None => String::new(),
        };
        Some(format!(
            "one that fits came earlier, in frame {}{why}",
            event.n
        ))
    }
}

/// The members of a command or an event that can show which two belong together: texts and numbers, without the name.
fn members<'v>(value: &'v Value, name: &'v str) -> impl Iterator<Item = (String, String)> + 'v {
    let members = value.as_object().into_iter().flatten();
    members
        .filter(move |(key, value)| {
            (value.is_string() || value.is_number()) && name.strip_prefix('/') != Some(key.as_str())
        })
        .map(|(key, value)| (key.clone(), value.to_string()))
}
