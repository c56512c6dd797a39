//! A compiled agent script.

use super::conversation::Expected;
pub(super) use super::file::WhileBusy;
use json_matcher::{Matcher, Template};
use std::rc::Rc;
use std::time::Duration;

/// What a scripted agent does.
#[derive(Debug)]
pub(crate) struct AgentScript {
    pub(super) start: Actions,
    pub(super) session: Actions,
    pub(super) entries: Vec<Entry>,
    pub(super) unknown: Actions,
    pub(super) malformed: Actions,
    pub(super) end_of_input: Actions,
    pub(super) terminate: Actions,
    /// How long a gate holds, if the script says so.
    pub(super) gate_timeout: Option<Duration>,
}

/// A command and the reply to it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) on: Matcher,
    pub(super) capture: Capture,
    pub(super) while_busy: WhileBusy,
    pub(super) actions: Actions,
}

/// Names and the JSON Pointers of their values.
pub(super) type Capture = Vec<(String, String)>;

/// The actions of a reply, and the commands that it expects.
#[derive(Debug)]
pub(super) struct Actions {
    pub(super) list: Vec<Action>,
    pub(super) expected: Rc<[Expected]>,
}

/// One action of a reply.
#[derive(Debug)]
pub(super) enum Action {
    Send(Template),
    /// Writes a text as it is.
    Write(String),
    Pause(Duration),
    Gate(String),
    Release(String),
    /// Waits for the expected command of this index.
    Expect(usize),
    EndOfInput,
    Stop,
    Exit(u8),
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
    pub(super) fn actions(&self, part: Part) -> &Actions {
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

    /// Whether a part has no actions.
    pub(super) fn is_empty(&self, part: Part) -> bool {
        self.actions(part).list.is_empty()
    }
}
