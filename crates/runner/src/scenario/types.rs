//! The data model of a loaded scenario: `load` creates it from YAML, `runner` plays it.

use super::client::ScenarioClient;
use super::file::PartFile;
use super::request_matcher::RequestMatcher;
use conform_judge::finding::Level;
use conform_judge::frame::ReplyEnd;
use indexmap::{IndexMap, IndexSet};
use json_matcher::{Matcher, Template};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use spanned_yaml::{Span, Spanned, TimeSpan};
use std::path::PathBuf;
use std::time::Duration;

/// A scripted conversation: what the model answers, and what the host does and expects.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The file's path under its dialect's scenario folder, without `.yaml`: `approval/deny-is-fed-back`.
    pub id: String,
    /// Its path, for messages.
    pub path: PathBuf,
    /// Whether it comes with the program, so that the user has no file of it.
    pub embedded: bool,
    /// One line that describes what the scenario shows.
    pub name: String,
    /// The clauses it checks.
    pub clauses: Vec<String>,
    /// Tags to select it by.
    pub tags: Vec<String>,
    /// Capabilities that the agent must declare; if it lacks one, the scenario is skipped.
    pub needs: Vec<String>,
    /// Why the agent that it is loaded for cannot play it, as a sentence.
    pub unplayable: Option<String>,
    /// The severity of a failed step that has no level of its own.
    pub level: Level,
    /// Whether only rules and schemas judge, and steps only wait.
    pub rules_only: bool,
    /// The model API, by its name in the launch recipe; the first one if `None`.
    pub wire: Option<String>,
    /// How the agent is started, in addition to the launch recipe.
    pub agent: AgentSetup,
    /// Files of the workspace before the start, by relative path. The texts may contain placeholders.
    pub files: IndexMap<String, String>,
    /// The model script. Its texts may contain `{workspace}` and `{home}`.
    pub model: Value,
    /// The script of its MCP servers, by name.
    pub mcp: IndexMap<String, Value>,
    /// What its client declares, and the requests that the scenario answers in place of it.
    pub client: ScenarioClient,
    /// Commands that are sent automatically whenever a matching event arrives.
    pub answers: Vec<AutoAnswer>,
    /// What the host does and expects, in order.
    pub steps: Vec<Step>,
    /// The state of workspace files after the agent has ended.
    pub files_after: IndexMap<String, FileState>,
    /// Timeouts that replace those of the dialect, by name.
    pub budgets: IndexMap<String, Duration>,
}

impl Scenario {
    /// The flags and environment variables that it starts its agent with, on top of the launch recipe, each once.
    #[must_use]
    pub fn start_settings(&self) -> Vec<String> {
        let restarts = self.steps.iter().filter_map(|step| match &step.action {
            StepAction::Restart(setup) => Some(setup),
            _ => None,
        });
        let setups = std::iter::once(&self.agent).chain(restarts);
        let names = setups.flat_map(|setup| {
            let options = setup.args.iter().filter(|word| word.starts_with('-'));
            let flags = options.map(|word| word.split('=').next().unwrap_or_default());
            flags.chain(setup.env.keys().map(String::as_str))
        });
        let once: IndexSet<&str> = names.collect();
        once.into_iter().map(str::to_owned).collect()
    }

    /// The longest time that a step or the model waits, however fast the agent is; `None` if nothing waits.
    #[must_use]
    pub fn longest_wait(&self) -> Option<Duration> {
        let waits = self.steps.iter().filter_map(|step| match &step.action {
            StepAction::PauseReading(time)
            | StepAction::ExpectNone {
                until: Barrier::Quiet(time),
                ..
            } => Some(*time),
            _ => None,
        });
        waits.chain(longest_delay(&self.model)).max()
    }
}

/// The longest `delay` in a model script.
fn longest_delay(script: &Value) -> Option<Duration> {
    match script {
        Value::Array(items) => items.iter().filter_map(longest_delay).max(),
        Value::Object(members) => {
            let own = members.get("delay").and_then(Value::as_str);
            let own = own.and_then(|text| text.parse::<TimeSpan>().ok());
            let within = members.values().filter_map(longest_delay);
            within.chain(own.map(|time| time.0)).max()
        }
        _ => None,
    }
}

/// How the agent is started, in addition to the launch recipe of the dialect.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "AgentFile")]
pub struct AgentSetup {
    /// Arguments, appended to those of the recipe.
    pub args: Vec<Spanned<String>>,
    /// Arguments of the recipe to leave out, with their values.
    pub without_args: Vec<String>,
    /// Environment variables to set; `null` leaves out a variable of the recipe.
    pub env: IndexMap<String, Option<Spanned<String>>>,
}

impl AgentSetup {
    /// Whether it starts the agent as the dialect does.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.args.is_empty() && self.without_args.is_empty() && self.env.is_empty()
    }
}

/// A command that is sent automatically when a matching event arrives.
#[derive(Debug, Clone)]
pub struct AutoAnswer {
    /// Its location.
    pub span: Span,
    /// The event it waits for.
    pub on: Matcher,
    /// Parts of that event to store before the command is sent: a name and a JSON Pointer.
    pub capture: IndexMap<String, String>,
    /// The command.
    pub send: Template,
    /// The most times it is sent; no limit if `None`.
    pub times: Option<u32>,
}

/// One step.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its location.
    pub span: Span,
    /// What it does.
    pub action: StepAction,
    /// Parts of the matched event to store: a name and a JSON Pointer, or several between ` | `.
    pub capture: IndexMap<String, String>,
    /// Why the scenario is skipped if the event has nothing to capture.
    pub else_skip: Option<String>,
    /// A timeout in place of the dialect's.
    pub within: Option<Duration>,
    /// The pause after which the command of the step before is sent again, when its answer does not match yet.
    pub again: Option<Duration>,
    /// The clauses that this step checks, if they are fewer than those of the scenario.
    pub clauses: Option<Vec<String>>,
    /// The severity of its failure, if it differs from that of the scenario.
    pub level: Option<Level>,
}

/// The action of a step.
#[derive(Debug, Clone)]
pub enum StepAction {
    /// Waits for an event that matches: the first that no step has taken. Other events stay for later steps.
    Expect(Matcher),
    /// The event after the furthest one that a step has taken must match.
    ExpectNext(Matcher),
    /// Waits for all of these in any order, each matched by a different event.
    Unordered(Vec<Matcher>),
    /// No event that matches may come before the end of the wait.
    ExpectNone {
        /// The event that must not come.
        not: Matcher,
        /// What ends the wait.
        until: Barrier,
    },
    /// The texts of several events, joined, must be this text.
    ExpectText(JoinedText),
    /// Waits for a request to the model that matches.
    ExpectRequest {
        /// The lane of the request; `None` for one of the conversation.
        lane: Option<String>,
        /// What it must have.
        matcher: RequestMatcher,
    },
    /// Waits until a reply of the model has ended in this way.
    ExpectReply(ReplyEnd),
    /// Waits until these files of the workspace, by relative path, have this state.
    ExpectFile(IndexMap<String, FileState>),
    /// Waits for what reaches an MCP server: the first that fits and that no step has taken.
    ExpectMcp(Matcher),
    /// Sends a command.
    Send(Template),
    /// Sends one line; a `\n` is added. It may contain `{name}` placeholders ([`render_text`](json_matcher::render_text)).
    SendRaw(String),
    /// Writes these byte chunks without changes, each in a separate write.
    SendBytes(Vec<Vec<u8>>),
    /// Lets the model continue at the gate with this name.
    Release(String),
    /// Sends a signal, by name (`SIGTERM`).
    Signal(String),
    /// Stops reading the agent's stdout for this long.
    PauseReading(Duration),
    /// Closes the agent's stdin.
    CloseStdin,
    /// Waits for the process to end.
    ExpectExit(ExitExpectation),
    /// Stops the agent (closing stdin) and starts it again in the same HOME and workspace.
    Restart(AgentSetup),
    /// Begins a part of the session.
    Part(PartFile),
}

/// What ends the wait of an [`StepAction::ExpectNone`].
#[derive(Debug, Clone)]
pub enum Barrier {
    /// An event that proves that the agent is past that point.
    Event(Matcher),
    /// The end of the agent's stdout.
    End,
    /// A time without events.
    Quiet(Duration),
}

/// A text that arrives in pieces, each in a separate event.
#[derive(Debug, Clone)]
pub struct JoinedText {
    /// The events that contain a piece.
    pub of: Matcher,
    /// The JSON Pointer to the piece.
    pub at: String,
    /// The joined text. If it is a JSON object, equivalent JSON is accepted too.
    pub is: String,
    /// Whether no piece at all is accepted too.
    pub or_nothing: bool,
    /// The events that show that all pieces have arrived, in any order.
    pub until: Vec<Matcher>,
}

impl JoinedText {
    /// Whether this joined text is accepted.
    #[must_use]
    pub fn is_met_by(&self, joined: &str) -> bool {
        let object = |text: &str| -> Option<serde_json::Map<String, Value>> {
            serde_json::from_str(text).ok()
        };
        joined == self.is
            || self.or_nothing && joined.is_empty()
            || object(&self.is).is_some_and(|expected| object(joined) == Some(expected))
    }
}

/// How the process must end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ExitFile")]
pub struct ExitExpectation {
    /// This exit code.
    pub code: Option<i32>,
    /// `true`: any exit code except 0.
    pub nonzero: bool,
    /// The end by this signal is accepted too.
    pub or_signal: Option<Spanned<String>>,
}

/// The state of a workspace file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// It does not exist.
    Absent,
    /// It exists.
    Present,
    /// Its text is this, after placeholders are filled in.
    Equals(String),
    /// Its text contains this, after placeholders are filled in.
    Contains(String),
    /// It contains this text, after placeholders are filled in, plain or in Base64.
    Holds(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_longest_delay_of_a_model_may_be_in_a_part_of_a_reply() {
        let script = json!([{ "delay": "20ms", "content": [{ "delay": "2s" }] }, { "text": "1h" }]);
        assert_eq!(longest_delay(&script), Some(Duration::from_secs(2)));
        assert_eq!(longest_delay(&json!([{ "text": "now" }])), None);
    }
}
