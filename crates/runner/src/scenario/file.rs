//! The format of scenario files. The doc comments are the descriptions in the JSON Schema that editors show.

use super::json_schema::{BarrierSchema, EventMatcherSchema, FileStateSchema, RequestSchema};
use super::types::{AgentSetup, ExitExpectation};
use conform_judge::finding::Level;
use conform_judge::frame::ReplyEnd;
use indexmap::IndexMap;
use json_matcher::AnyValueSchema;
use mock_provider::Script;
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::TimeSpan;
use spanned_yaml::{Node, Spanned, TextSchema, present};

/// A map in the order of the file, with the locations of its keys and values.
pub(super) type TextMap = IndexMap<Spanned<String>, Spanned<String>>;

/// A scripted conversation with an agent: what its model answers, what the host sends, and what the agent must write.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "conform scenario")]
pub struct ScenarioFile {
    /// One line that says what the scenario shows.
    pub(super) name: Spanned<String>,
    /// The clauses of the spec that it checks, by id; `conform list clauses` shows them.
    #[serde(default)]
    pub(super) clauses: Vec<Spanned<String>>,
    /// Tags to select it by (`--tag`).
    #[serde(default)]
    pub(super) tags: Vec<Spanned<String>>,
    /// Capabilities that the agent must declare; if it lacks one, the scenario is skipped.
    #[serde(default)]
    pub(super) needs: Vec<Spanned<String>>,
    /// The severity of a failed step that has no `level` of its own: `must` (the default) fails, `should` warns, `may` is a note.
    #[serde(default)]
    pub(super) level: Level,
    /// The model API, by its name in the launch recipe; the first one of the recipe if left out.
    #[serde(default)]
    pub(super) wire: Option<Spanned<String>>,
    /// How the agent is started, in addition to the launch recipe of the dialect.
    #[serde(default)]
    pub(super) agent: AgentSetup,
    /// Files in the workspace before the start: the relative path and the text.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, TextSchema>")]
    pub(super) files: TextMap,
    /// What the scripted model answers, request by request: strict, in order, each reply consumed once.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Script")]
    pub(super) model: Option<Node>,
    /// Commands that are sent automatically whenever a matching event arrives, during the whole session.
    #[serde(default)]
    pub(super) answers: Vec<AutoAnswerFile>,
    /// `false`: begins without the prelude of the dialect.
    #[serde(default = "yes")]
    pub(super) prelude: bool,
    /// `false`: ends without the ending of the dialect.
    #[serde(default = "yes")]
    pub(super) ending: bool,
    /// What the host does and expects, in order. Each step has one verb.
    pub(super) steps: Spanned<Vec<Spanned<StepFile>>>,
    /// The state that files of the workspace must have after the agent has ended.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, FileStateSchema>")]
    pub(super) files_after: IndexMap<Spanned<String>, Node>,
    /// Timeouts that replace those of the dialect, by name.
    #[serde(default)]
    pub(super) budgets: IndexMap<Spanned<String>, TimeSpan>,
}

fn yes() -> bool {
    true
}

/// A command that is sent automatically whenever a matching event arrives.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AnswerFile")]
pub(super) struct AutoAnswerFile {
    /// The event it waits for.
    #[schemars(with = "EventMatcherSchema")]
    pub(super) on: Node,
    /// Parts of that event for use in `send`: a name and a JSON Pointer.
    #[serde(default)]
    pub(super) capture: TextMap,
    /// The command.
    #[schemars(with = "IndexMap<String, AnyValueSchema>")]
    pub(super) send: Node,
    /// The most times it is sent; no limit if left out.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub(super) times: Option<Spanned<u32>>,
}

/// One step: exactly one verb, and optionally `capture`, `within`, `clauses` and `level`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct StepFile {
    /// Waits for an event that matches; other events are skipped.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "EventMatcherSchema")]
    pub(super) expect: Option<Node>,
    /// The next event must match.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "EventMatcherSchema")]
    pub(super) expect_next: Option<Node>,
    /// Waits for all of these in any order, each matched by a different event.
    #[schemars(with = "Vec<EventMatcherSchema>")]
    pub(super) unordered: Option<Spanned<Vec<Node>>>,
    /// No event that matches may come before the end of the wait.
    pub(super) expect_none: Option<ExpectNoneFile>,
    /// The texts of several events, joined, must be this text.
    pub(super) expect_text: Option<ExpectTextFile>,
    /// Waits for a request to the model that matches.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "RequestSchema")]
    pub(super) expect_request: Option<Node>,
    /// Waits until a reply of the model has ended in this way.
    pub(super) expect_reply: Option<ReplyEnd>,
    /// Waits until these files of the workspace have this state, whatever the agent writes meanwhile: the relative path and the state, as in `files_after`.
    #[schemars(with = "Option<IndexMap<String, FileStateSchema>>")]
    pub(super) expect_file: Option<Spanned<IndexMap<Spanned<String>, Node>>>,
    /// Sends a command.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "IndexMap<String, AnyValueSchema>")]
    pub(super) send: Option<Node>,
    /// The command of `send` may have members that the specification does not have.
    pub(super) unchecked: bool,
    /// Sends any line; a newline is added.
    pub(super) send_raw: Option<Spanned<String>>,
    /// Writes these chunks without changes, each in a separate write: texts, or `base64:` and bytes.
    #[schemars(with = "Vec<TextSchema>")]
    pub(super) send_bytes: Option<Vec<Node>>,
    /// Lets the model continue at the gate with this name.
    pub(super) release: Option<Spanned<String>>,
    /// Sends a signal, by name: `SIGTERM`.
    pub(super) signal: Option<Spanned<String>>,
    /// Stops reading the agent's stdout for this long.
    pub(super) pause_reading: Option<TimeSpan>,
    /// Closes the agent's stdin. It has no value.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "()")]
    pub(super) close_stdin: Option<Node>,
    /// Waits for the process to end.
    pub(super) expect_exit: Option<Spanned<ExitExpectation>>,
    /// Stops the agent and starts it again in the same HOME and workspace.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "Option<AgentSetup>")]
    pub(super) restart: Option<Option<AgentSetup>>,
    /// Parts of the matched event (or request body) to store: a name and a JSON Pointer.
    pub(super) capture: Spanned<TextMap>,
    /// The timeout of this step, in place of the dialect's.
    pub(super) within: Option<Spanned<TimeSpan>>,
    /// The clauses that this step checks, if they are fewer than those of the scenario; `[]` if no clause requires it.
    pub(super) clauses: Option<Vec<Spanned<String>>>,
    /// The severity of its failure, if it differs from that of the scenario.
    pub(super) level: Option<Level>,
}

/// An event that must not come, and the end of the wait.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectNoneFile {
    /// The event that must not come.
    #[schemars(with = "EventMatcherSchema")]
    pub(super) not: Node,
    /// An event that proves that the agent is past that point, `end` for the end of its stdout, or a time without events such as `200ms`.
    #[schemars(with = "BarrierSchema")]
    pub(super) until: Node,
}

/// A text that arrives in pieces, each in a separate event.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectTextFile {
    /// The events that contain a piece.
    #[schemars(with = "EventMatcherSchema")]
    pub(super) of: Node,
    /// The JSON Pointer to the piece.
    pub(super) at: Spanned<String>,
    /// The joined text of the pieces before `until`. If it is a JSON object, equivalent JSON is accepted too.
    #[schemars(with = "TextSchema")]
    pub(super) is: String,
    /// `true`: no piece at all is accepted too.
    #[serde(default)]
    pub(super) or_nothing: bool,
    /// The events that show that all pieces have arrived, in any order.
    #[schemars(with = "Vec<EventMatcherSchema>")]
    pub(super) until: Spanned<Vec<Node>>,
}

impl StepFile {
    /// Whether it can fail because of the agent.
    pub(super) fn checks(&self) -> bool {
        self.expect.is_some()
            || self.expect_next.is_some()
            || self.unordered.is_some()
            || self.expect_none.is_some()
            || self.expect_text.is_some()
            || self.expect_request.is_some()
            || self.expect_reply.is_some()
            || self.expect_file.is_some()
            || self.expect_exit.is_some()
    }
}

/// The words without their locations.
pub(super) fn words(located: &[Spanned<String>]) -> Vec<String> {
    located.iter().map(|word| word.value.clone()).collect()
}

/// The texts without their locations.
pub(super) fn texts(located: &TextMap) -> IndexMap<String, String> {
    located
        .iter()
        .map(|(name, text)| (name.value.clone(), text.value.clone()))
        .collect()
}
