//! A compiled agent script.

use super::Expected;
pub(super) use super::file::WhileBusy;
use json_matcher::{Matcher, Template};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

/// The actions of a scripted agent.
#[derive(Debug)]
pub(crate) struct AgentScript {
    /// The names of its gates.
    pub(super) gates: BTreeSet<String>,
    pub(super) start: Rc<Actions>,
    pub(super) session: Rc<Actions>,
    pub(super) entries: Vec<Entry>,
    pub(super) unknown: Rc<Actions>,
    pub(super) malformed: Rc<Actions>,
    pub(super) end_of_input: Rc<Actions>,
    pub(super) terminate: Rc<Actions>,
    /// How long a gate holds, if the script specifies it.
    pub(super) gate_timeout: Option<Duration>,
}

/// A command and the reply to it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) on: Matcher,
    pub(super) capture: Capture,
    pub(super) while_busy: WhileBusy,
    pub(super) actions: Rc<Actions>,
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
