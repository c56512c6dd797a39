//! What a scenario file may hold. The comments here are what an editor shows.

use super::chunk::ChunkSchema;
use super::json_schema::{
    AnyValueSchema, BarrierSchema, EventMatcherSchema, FileStateSchema, RequestSchema,
};
use super::types::AgentSetup;
use crate::finding::Level;
use crate::frame::ReplyEnd;
use indexmap::IndexMap;
use mock_provider::Script;
use mock_provider::script::TimeSpan;
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::{Node, Spanned, present};

/// A map in the order of the file, its keys and values with their places.
pub(super) type TextMap = IndexMap<Spanned<String>, Spanned<String>>;

/// A scripted conversation with an agent: what its model answers, what the host sends, and what must come back.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "conform scenario")]
pub(crate) struct ScenarioFile {
    /// One line that says what the scenario shows.
    pub(super) name: Spanned<String>,
    /// The clauses of the spec that it checks, by id; `conform list clauses` shows them.
    #[serde(default)]
    pub(super) clauses: Vec<Spanned<String>>,
    /// Words to select it by (`--tag`).
    #[serde(default)]
    pub(super) tags: Vec<Spanned<String>>,
    /// Capabilities that the agent must have declared; without one of them the scenario is skipped.
    #[serde(default)]
    pub(super) needs: Vec<Spanned<String>>,
    /// How hard a failed step counts, where the step does not say: `must` (the default) fails, `should` warns, `may` is a note.
    #[serde(default)]
    pub(super) level: Level,
    /// The API over which the model is served, by its name in the launch recipe; the recipe's first if left out.
    #[serde(default)]
    pub(super) wire: Option<Spanned<String>>,
    /// How the agent is started, beyond the dialect's launch recipe.
    #[serde(default)]
    pub(super) agent: AgentFile,
    /// Files in the workspace before the start: relative path to text.
    #[serde(default)]
    pub(super) files: TextMap,
    /// What the scripted model answers, request by request: strict, in order, each reply consumed once.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Script")]
    pub(super) model: Option<Node>,
    /// Commands sent by themselves whenever a matching event arrives, from the start to the end.
    #[serde(default)]
    pub(super) answers: Vec<AutoAnswerFile>,
    /// What the host does and expects, in order. Each step does one thing.
    pub(super) steps: Spanned<Vec<Spanned<StepFile>>>,
    /// What must be true of workspace files when the agent has gone.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, FileStateSchema>")]
    pub(super) files_after: IndexMap<Spanned<String>, Node>,
    /// Budgets in place of the dialect's, by name.
    #[serde(default)]
    pub(super) budgets: IndexMap<Spanned<String>, TimeSpan>,
}

/// How the agent is started, beyond the dialect's launch recipe.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AgentFile {
    /// Arguments added behind the recipe's.
    pub(super) args: Vec<Spanned<String>>,
    /// Arguments of the recipe to leave out, each with its value if it has one.
    pub(super) without_args: Vec<String>,
    /// Environment variables to set; `null` leaves out one that the recipe sets.
    pub(super) env: IndexMap<String, Option<Spanned<String>>>,
}

/// A command sent by itself whenever a matching event arrives.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AutoAnswerFile {
    /// The event it waits for.
    #[schemars(with = "EventMatcherSchema")]
    pub(super) on: Node,
    /// Parts of that event to use in `send`: name to JSON Pointer.
    #[serde(default)]
    pub(super) capture: TextMap,
    /// The command.
    #[schemars(with = "IndexMap<String, AnyValueSchema>")]
    pub(super) send: Node,
    /// How often it may be sent; no limit if left out.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub(super) times: Option<Spanned<u32>>,
}

/// One step: exactly one of the verbs, and beside it `capture`, `within`, `clauses` and `level`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct StepFile {
    /// Waits for an event that matches; events in between are passed over.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "EventMatcherSchema")]
    pub(super) expect: Option<Node>,
    /// The very next event must match.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "EventMatcherSchema")]
    pub(super) expect_next: Option<Node>,
    /// Waits for all of these, in any order, each met by an event of its own.
    #[schemars(with = "Vec<EventMatcherSchema>")]
    pub(super) unordered: Option<Spanned<Vec<Node>>>,
    /// No event that matches may come before the barrier does.
    pub(super) expect_none: Option<ExpectNoneFile>,
    /// The texts of several events, joined, are this text.
    pub(super) expect_text: Option<ExpectTextFile>,
    /// Waits until a request that matches has reached the model.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "RequestSchema")]
    pub(super) expect_request: Option<Node>,
    /// Waits until an answer of the model has ended in this way.
    pub(super) expect_reply: Option<ReplyWord>,
    /// Waits until these files of the workspace are so, whatever the agent writes meanwhile: relative path to state, as in `files_after`.
    #[schemars(with = "Option<IndexMap<String, FileStateSchema>>")]
    pub(super) expect_file: Option<Spanned<IndexMap<Spanned<String>, Node>>>,
    /// Sends a command.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "IndexMap<String, AnyValueSchema>")]
    pub(super) send: Option<Node>,
    /// The command of `send` may have members that the page does not know.
    pub(super) unchecked: bool,
    /// Sends one line, whatever it is; a newline is added.
    pub(super) send_raw: Option<Spanned<String>>,
    /// Writes these chunks, each in a write of its own, with nothing added: texts, `base64:` and bytes, or `{ repeat: text, times: N }`.
    #[schemars(with = "Vec<ChunkSchema>")]
    pub(super) send_bytes: Option<Vec<Node>>,
    /// Lets the model go on at the gate of this name.
    pub(super) release: Option<Spanned<String>>,
    /// Sends a signal, by name: `SIGTERM`.
    pub(super) signal: Option<Spanned<String>>,
    /// Stops reading the agent's stdout for this long.
    pub(super) pause_reading: Option<TimeSpan>,
    /// Closes the agent's stdin. It takes no value.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "()")]
    pub(super) close_stdin: Option<Node>,
    /// Waits for the process to end.
    pub(super) expect_exit: Option<Spanned<ExitFile>>,
    /// Ends the agent and starts it again in the same HOME and workspace.
    #[serde(deserialize_with = "present")]
    #[schemars(with = "Option<AgentFile>")]
    pub(super) restart: Option<Option<AgentFile>>,
    /// Parts of the matched event (or request body) to remember: name to JSON Pointer.
    pub(super) capture: Spanned<TextMap>,
    /// How long to wait, in place of the dialect's budget.
    pub(super) within: Option<Spanned<TimeSpan>>,
    /// The clauses that this step checks, where they are fewer than the scenario's; `[]` for what no clause asks for.
    pub(super) clauses: Option<Vec<Spanned<String>>>,
    /// How hard its failure counts, where it differs from the scenario's.
    pub(super) level: Option<Level>,
}

/// An event that must not come, and what ends the wait for it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectNoneFile {
    /// The event that must not come.
    #[schemars(with = "EventMatcherSchema")]
    pub(super) not: Node,
    /// An event that proves that the agent came past the point, `end` for the end of its stdout, or a quiet window such as `200ms`.
    #[schemars(with = "BarrierSchema")]
    pub(super) until: Node,
}

/// A text that comes in pieces, each in an event of its own.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectTextFile {
    /// The events that carry a piece.
    #[schemars(with = "EventMatcherSchema")]
    pub(super) of: Node,
    /// Where in them the piece stands: a JSON Pointer.
    pub(super) at: Spanned<String>,
    /// What the pieces that came before `until` join to; where it is a JSON object, JSON that says the same is right too.
    pub(super) is: String,
    /// `true`: that no piece comes at all is right too.
    #[serde(default)]
    pub(super) or_nothing: bool,
    /// The events that show that all have come; they may come in any order.
    #[schemars(with = "Vec<EventMatcherSchema>")]
    pub(super) until: Spanned<Vec<Node>>,
}

/// How an answer of the model ended.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReplyWord {
    /// It was sent to its last byte.
    Complete,
    /// The agent went away before its end.
    ClientClosed,
    /// The script cut it short.
    Cut,
}

impl From<ReplyWord> for ReplyEnd {
    fn from(word: ReplyWord) -> Self {
        match word {
            ReplyWord::Complete => ReplyEnd::Complete,
            ReplyWord::ClientClosed => ReplyEnd::ClientClosed,
            ReplyWord::Cut => ReplyEnd::Cut,
        }
    }
}

/// What must be true of the end of the process.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ExitFile {
    /// This exit code.
    pub(super) code: Option<i32>,
    /// `true`: any exit code but 0.
    pub(super) nonzero: bool,
    /// Ended by this signal is right too.
    pub(super) or_signal: Option<Spanned<String>>,
}

impl StepFile {
    /// Whether it can fail by what the agent does.
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

impl AgentFile {
    /// The same without places.
    pub(super) fn setup(&self) -> AgentSetup {
        let env = self
            .env
            .iter()
            .map(|(name, value)| (name.clone(), value.as_ref().map(|text| text.value.clone())));
        AgentSetup {
            args: words(&self.args),
            without_args: self.without_args.clone(),
            env: env.collect(),
        }
    }
}

/// The words without their places.
pub(super) fn words(located: &[Spanned<String>]) -> Vec<String> {
    located.iter().map(|word| word.value.clone()).collect()
}

/// The texts without their places.
pub(super) fn texts(located: &TextMap) -> IndexMap<String, String> {
    located
        .iter()
        .map(|(name, text)| (name.value.clone(), text.value.clone()))
        .collect()
}
