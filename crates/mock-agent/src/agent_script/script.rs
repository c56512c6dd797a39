//! A compiled agent script.

use super::conversation::Expected;
use super::expression::Expression;
pub(super) use super::file::WhileBusy;
use json_matcher::Matcher;
use serde_json::Value;
use std::rc::Rc;
use std::time::Duration;

/// What a scripted agent does.
#[derive(Debug)]
pub(crate) struct AgentScript {
    /// The variables of the session, with their first values.
    pub(super) variables: Vec<(String, Value)>,
    pub(super) start: Vec<Action>,
    pub(super) session: Vec<Action>,
    /// The commands that the session expects.
    pub(super) expected: Rc<[Expected]>,
    pub(super) entries: Vec<Entry>,
    pub(super) unknown: Vec<Action>,
    pub(super) malformed: Vec<Action>,
    pub(super) end_of_input: Vec<Action>,
    pub(super) terminate: Vec<Action>,
    /// How long a gate holds, if the script says so.
    pub(super) gate_timeout: Option<Duration>,
}

/// A command and the reply to it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) on: Matcher,
    /// For the variables of the session.
    pub(super) condition: Option<Matcher>,
    pub(super) capture: Capture,
    pub(super) while_busy: WhileBusy,
    pub(super) actions: Vec<Action>,
}

/// Names and the JSON Pointers of their values.
pub(super) type Capture = Vec<(String, String)>;

/// One action of a reply.
#[derive(Debug)]
pub(super) enum Action {
    Send(Expression),
    /// Writes a text as it is.
    Write(Expression),
    Set(Vec<(String, Expression)>),
    Count(String),
    ForEach {
        name: String,
        index: Option<String>,
        list: Expression,
        actions: Vec<Action>,
    },
    If {
        names: Matcher,
        actions: Vec<Action>,
        otherwise: Vec<Action>,
    },
    Pause(Duration),
    Gate(String),
    Release(String),
    WaitFor {
        commands: Rc<[Awaited]>,
        timeout: Option<Duration>,
        on_timeout: Vec<Action>,
    },
    /// Waits for the expected command of this index.
    Expect(usize),
    EndOfInput,
    Stop,
    Exit(u8),
}

/// A command that a reply waits for.
#[derive(Debug)]
pub(super) struct Awaited {
    pub(super) on: Matcher,
    pub(super) capture: Capture,
    pub(super) actions: Vec<Action>,
}

/// A part of a script that can be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Start,
    Session,
    /// The entry of this index.
    Entry(usize),
    Unknown,
    Malformed,
    EndOfInput,
    Terminate,
}

impl AgentScript {
    /// The actions of a part.
    pub(super) fn actions(&self, part: Part) -> &[Action] {
        match part {
            Part::Start => &self.start,
            Part::Session => &self.session,
            Part::Entry(index) => &self.entries[index].actions,
            Part::Unknown => &self.unknown,
            Part::Malformed => &self.malformed,
            Part::EndOfInput => &self.end_of_input,
            Part::Terminate => &self.terminate,
        }
    }
}
