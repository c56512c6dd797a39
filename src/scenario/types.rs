//! What a loaded scenario is. Data only; `load` makes it from YAML, `runner` plays it.

use crate::finding::Level;
use crate::frame::ReplyEnd;
use crate::matcher::{Matcher, RequestMatcher, Template};
use indexmap::IndexMap;
use spanned_yaml::Span;
use std::path::PathBuf;
use std::time::Duration;

/// A scripted conversation: what the model answers, and what the host does and expects.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The file's path under its dialect's scenario folder, without `.yaml`: `approval/deny-is-fed-back`.
    pub id: String,
    /// Where it was read from, for messages.
    pub path: PathBuf,
    /// One line that says what it shows.
    pub name: String,
    /// The clauses it checks.
    pub clauses: Vec<String>,
    /// Free words to select by.
    pub tags: Vec<String>,
    /// Capabilities the agent must have declared; without one the scenario is skipped, not failed.
    pub needs: Vec<String>,
    /// How hard a failed step counts, where the step does not say.
    pub level: Level,
    /// The wire of the launch recipe that the model is served over; the recipe's first if `None`.
    pub wire: Option<String>,
    /// How the agent is started for this scenario, beyond the launch recipe.
    pub agent: AgentSetup,
    /// Files of the workspace before the start, by relative path. Their texts may hold places.
    pub files: IndexMap<String, String>,
    /// What the scripted model answers. Its strings may hold `{workspace}` and `{home}`.
    pub model: serde_json::Value,
    /// Commands sent by themselves whenever a matching event arrives, from the start to the end.
    pub answers: Vec<AutoAnswer>,
    /// What the host does and expects, in order.
    pub steps: Vec<Step>,
    /// What must be true of the workspace when the agent has gone.
    pub files_after: IndexMap<String, FileState>,
    /// Budgets that replace the dialect's, by name.
    pub budgets: IndexMap<String, Duration>,
}

/// How the agent is started for one scenario, beyond the launch recipe.
#[derive(Debug, Clone, Default)]
pub struct AgentSetup {
    /// Arguments added behind the recipe's. They may hold places, as may the values of `env`.
    pub args: Vec<String>,
    /// Arguments of the recipe to leave out, with their value where the recipe gives one (`--base-url`).
    pub without_args: Vec<String>,
    /// Environment variables to set (`Some`) or to leave out although the recipe sets them (`None`).
    pub env: IndexMap<String, Option<String>>,
}

/// A command sent by itself when a matching event arrives.
#[derive(Debug, Clone)]
pub struct AutoAnswer {
    /// Where it stands.
    pub span: Span,
    /// The event it waits for.
    pub on: Matcher,
    /// What it remembers of that event before it sends.
    pub capture: IndexMap<String, String>,
    /// What it sends.
    pub send: Template,
    /// How often it may fire; no limit if `None`.
    pub times: Option<u32>,
}

/// One step.
#[derive(Debug, Clone)]
pub struct Step {
    /// Where it stands.
    pub span: Span,
    /// What it does.
    pub action: StepAction,
    /// Names to remember values under: name to JSON Pointer into the matched event.
    pub capture: IndexMap<String, String>,
    /// A budget in place of the dialect's.
    pub within: Option<Duration>,
    /// The clauses this step checks, where they are fewer than the scenario's.
    pub clauses: Option<Vec<String>>,
    /// How hard its failure counts, where it differs from the scenario's.
    pub level: Option<Level>,
}

/// What a step does.
#[derive(Debug, Clone)]
pub enum StepAction {
    /// Waits for an event that matches; events in between are passed over (the rules judge them).
    Expect(Matcher),
    /// The next event must match.
    ExpectNext(Matcher),
    /// Waits for all of these, in any order, each met by an event of its own.
    Unordered(Vec<Matcher>),
    /// No event that matches may come before the barrier does.
    ExpectNone {
        /// The event that must not come.
        not: Matcher,
        /// What ends the wait.
        until: Barrier,
    },
    /// The texts of several events, joined, are this text.
    ExpectText(JoinedText),
    /// Waits until a request that matches has reached the model.
    ExpectRequest(RequestMatcher),
    /// Waits until an answer of the model has ended in this way.
    ExpectReply(ReplyEnd),
    /// Waits until these files of the workspace, by relative path, are so.
    ExpectFile(IndexMap<String, FileState>),
    /// Sends a command.
    Send(Template),
    /// Sends one line; a `\n` is added. It may hold `{name}` places ([`render_text`](crate::matcher::render_text)).
    SendRaw(String),
    /// Writes these byte chunks, each in a write of its own, with nothing added.
    SendBytes(Vec<Vec<u8>>),
    /// Lets the model go on at the gate of this name.
    Release(String),
    /// Sends a signal, by name (`SIGTERM`).
    Signal(String),
    /// Stops reading the agent's stdout for this long.
    PauseReading(Duration),
    /// Closes the agent's stdin.
    CloseStdin,
    /// Waits for the process to end.
    ExpectExit(ExitExpectation),
    /// Ends the agent (closing stdin) and starts it again in the same HOME and workspace.
    Restart(AgentSetup),
}

/// What ends the wait of an [`StepAction::ExpectNone`].
#[derive(Debug, Clone)]
pub enum Barrier {
    /// An event that proves that the agent came past the point.
    Event(Matcher),
    /// The end of the agent's stdout.
    End,
    /// A bounded quiet window.
    Quiet(Duration),
}

/// A text that comes in pieces, each in an event of its own.
#[derive(Debug, Clone)]
pub struct JoinedText {
    /// The events that carry a piece.
    pub of: Matcher,
    /// JSON Pointer to the piece in them.
    pub at: String,
    /// What the pieces join to; where it is a JSON object, JSON that says the same is right too.
    pub is: String,
    /// Whether no piece at all is right too.
    pub or_nothing: bool,
    /// The events that show that all have come, in any order.
    pub until: Vec<Matcher>,
}

impl JoinedText {
    /// Whether this is what the pieces join to.
    #[must_use]
    pub fn is_met_by(&self, joined: &str) -> bool {
        let object = |text: &str| -> Option<serde_json::Map<String, serde_json::Value>> {
            serde_json::from_str(text).ok()
        };
        joined == self.is
            || self.or_nothing && joined.is_empty()
            || object(&self.is).is_some_and(|wanted| object(joined) == Some(wanted))
    }
}

/// What must be true of the end of the process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExitExpectation {
    /// This exit code.
    pub code: Option<i32>,
    /// Any exit code but 0.
    pub nonzero: bool,
    /// Ended by this signal is right too, by name.
    pub or_signal: Option<String>,
}

/// What must be true of a workspace file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// It does not exist.
    Absent,
    /// It exists.
    Present,
    /// Its text is this, its places filled.
    Equals(String),
    /// Its text holds this, its places filled.
    Contains(String),
    /// It holds this text, its places filled, as it is or in Base64.
    Holds(String),
}
