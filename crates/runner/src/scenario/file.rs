//! The format of scenario files. The doc comments are the descriptions in the JSON Schema that editors show.

use super::client::AnswersSchema;
use super::json_schema::{
    BarrierSchema, EventMatcherSchema, FileStateSchema, McpMatcherSchema, PreludeSchema,
    RequestSchema,
};
use super::types::{AgentSetup, ExitExpectation};
use conform_judge::finding::Level;
use conform_judge::frame::ReplyEnd;
use indexmap::IndexMap;
use json_matcher::AnyValueSchema;
use mcp_server::McpServersFile;
use mock_provider::Script;
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::{
    Error, Node, Span, Spanned, TextSchema, TimeSpan, WithVerbs, decode_verb, present,
};

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
    /// `true`: steps only wait. Rules and schemas judge, and a step that waits in vain is no finding: the next `part` follows.
    #[serde(default)]
    pub(super) rules_only: bool,
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
    /// MCP servers over stdio, by name. `{mcp_NAME}` is the absolute path of the command that starts one; what reaches it is history (`@mcp`).
    #[serde(default)]
    pub(super) mcp: McpServersFile,
    /// The abilities that the client of the scenario declares, of those in `client` of the dialect.
    #[serde(default)]
    pub(super) client: Vec<Spanned<String>>,
    /// A list: commands that are sent automatically whenever a matching event arrives, during the whole session. A map: the requests of the
    /// agent, by method, that the scenario answers in place of its client.
    #[serde(default, rename = "answers", deserialize_with = "present")]
    #[schemars(with = "AnswersSchema")]
    pub(super) written_answers: Option<Node>,
    /// The automatic ones.
    #[serde(skip)]
    pub(super) answers: Vec<AutoAnswerFile>,
    /// `true`: the agent must be in a mode in which it asks for permission. The steps of its agent file follow the prelude.
    #[serde(default)]
    pub(super) asks: bool,
    /// `false`: begins without the prelude of the dialect. A name: begins with its parts up to this one.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "PreludeSchema")]
    pub(super) prelude: Option<Node>,
    /// `false`: ends without the ending of the dialect.
    #[serde(default = "yes")]
    pub(super) ending: bool,
    /// What the host does and expects, in order. Each step has one verb.
    #[serde(rename = "steps")]
    #[schemars(with = "Vec<WithVerbs<StepKeys, StepVerb>>")]
    pub(super) written: Spanned<Vec<Node>>,
    /// Why the agent of the dialect cannot play it.
    #[serde(skip)]
    pub(super) unplayable: Option<String>,
    /// The steps, with those that the dialect adds.
    #[serde(skip)]
    pub(super) steps: Vec<StepFile>,
    /// How many of them are those of the prelude.
    #[serde(skip)]
    pub(super) of_prelude: usize,
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

/// A step as written.
#[derive(Debug, Clone)]
pub(super) struct StepFile {
    /// Its location.
    pub(super) span: Span,
    /// The keys next to the verb.
    pub(super) keys: StepKeys,
    /// The name of the verb.
    pub(super) name: String,
    /// What it does.
    pub(super) verb: StepVerb,
}

/// One step: exactly one verb, and optionally `capture`, `within`, `clauses` and `level`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "StepFile")]
pub(crate) struct StepKeys {
    /// The command of `send` may have members that the specification does not have.
    pub(super) unchecked: bool,
    /// Parts of the matched event (or request body) to store: a name and a JSON Pointer, or several between ` | `, of which the first that has a value
    /// counts.
    pub(super) capture: Spanned<TextMap>,
    /// Why the scenario is skipped if the event has nothing to capture. Without it, that is a finding.
    pub(super) else_skip: Option<Spanned<String>>,
    /// The timeout of this step, in place of the dialect's.
    pub(super) within: Option<Spanned<TimeSpan>>,
    /// Sends the command of the step before again, after this pause, when its answer does not match yet: for a query that may say "busy".
    pub(super) again: Option<Spanned<TimeSpan>>,
    /// The clauses that this step checks, if they are fewer than those of the scenario; `[]` if no clause requires it.
    pub(super) clauses: Option<Vec<Spanned<String>>>,
    /// The severity of its failure, if it differs from that of the scenario.
    pub(super) level: Option<Level>,
}

/// What a step does.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StepVerb {
    /// Waits for an event that matches: the first that no step has taken. Other events stay for later steps.
    Expect(#[schemars(with = "EventMatcherSchema")] Node),
    /// The event after the furthest one that a step has taken must match.
    ExpectNext(#[schemars(with = "EventMatcherSchema")] Node),
    /// Waits for all of these in any order, each matched by a different event.
    Unordered(#[schemars(with = "Vec<EventMatcherSchema>")] Vec<Node>),
    /// No event that matches may come before the end of the wait.
    ExpectNone(ExpectNoneFile),
    /// The texts of several events, joined, must be this text.
    ExpectText(ExpectTextFile),
    /// Waits for a request to the model that matches.
    ExpectRequest(#[schemars(with = "RequestSchema")] Node),
    /// Waits until a reply of the model has ended in this way.
    ExpectReply(ReplyEnd),
    /// Waits until these files of the workspace have this state, whatever the agent writes meanwhile: the relative path and the state, as in `files_after`.
    ExpectFile(
        #[schemars(with = "IndexMap<String, FileStateSchema>")]
        Spanned<IndexMap<Spanned<String>, Node>>,
    ),
    /// Waits for a message to an MCP server of the scenario, or its start, that matches: the first that no step has taken.
    ExpectMcp(#[schemars(with = "McpMatcherSchema")] Node),
    /// Sends a command.
    Send(#[schemars(with = "IndexMap<String, AnyValueSchema>")] Node),
    /// Sends any line; a newline is added.
    SendRaw(Spanned<String>),
    /// Writes these chunks without changes, each in a separate write: texts, or `base64:` and bytes.
    SendBytes(#[schemars(with = "Vec<TextSchema>")] Vec<Node>),
    /// Lets the model continue at the gate with this name.
    Release(Spanned<String>),
    /// Sends a signal, by name: `SIGTERM`.
    Signal(Spanned<String>),
    /// Stops reading the agent's stdout for this long.
    PauseReading(TimeSpan),
    /// Closes the agent's stdin. It has no value.
    CloseStdin,
    /// Waits until the agent takes the next command: the steps under `rest` of the dialect. It has no value.
    Rest,
    /// Brings the agent into a mode in which it asks for permission: the steps under `asks` of its agent file. It has no value.
    Asks,
    /// Waits for the process to end.
    ExpectExit(Spanned<ExitExpectation>),
    /// Stops the agent and starts it again in the same HOME and workspace.
    Restart(Option<AgentSetup>),
    /// Begins a part of the session, with replies and answers of its own. Those of other parts are not given in it.
    Part(PartFile),
}

/// What a verb does. Each that follows does what those before it do.
#[derive(PartialEq, PartialOrd)]
pub(super) enum Does {
    /// It acts at once.
    Act,
    /// It waits, so `within` limits it.
    Wait,
    /// It can fail because of the agent.
    Check,
    /// It matches one value, so `capture` can take parts of it.
    Match,
}

/// A part of a session: how many of the replies and answers that follow those of the parts before it are its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "PartFile")]
pub struct PartFile {
    /// The replies of the model.
    pub replies: usize,
    /// The automatic answers.
    pub answers: usize,
}

/// An event that must not come, and the end of the wait.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectNoneFile {
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
pub(crate) struct ExpectTextFile {
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
    /// Decodes a step.
    ///
    /// # Errors
    /// Every mistake in it.
    pub(super) fn read(node: &Node) -> Result<Self, Vec<Error>> {
        let (keys, key, verb) = decode_verb(node, "a step")?;
        Ok(StepFile {
            span: node.span(),
            keys,
            name: key.name,
            verb,
        })
    }
}

impl StepVerb {
    pub(super) fn does(&self) -> Does {
        match self {
            Self::Expect(_) | Self::ExpectNext(_) | Self::ExpectRequest(_) | Self::ExpectMcp(_) => {
                Does::Match
            }
            Self::Unordered(_)
            | Self::ExpectNone(_)
            | Self::ExpectText(_)
            | Self::ExpectReply(_)
            | Self::ExpectFile(_)
            | Self::ExpectExit(_) => Does::Check,
            Self::Restart(_) => Does::Wait,
            _ => Does::Act,
        }
    }

    /// The matchers on events.
    pub(super) fn matchers(&self) -> Vec<&Node> {
        match self {
            Self::Expect(event) | Self::ExpectNext(event) => vec![event],
            Self::Unordered(events) => events.iter().collect(),
            Self::ExpectNone(none) => vec![&none.not, &none.until],
            Self::ExpectText(text) => text.until.iter().chain([&text.of]).collect(),
            _ => Vec::new(),
        }
    }

    /// The matchers and the command.
    pub(super) fn values(&self) -> Vec<&Node> {
        match self {
            Self::ExpectRequest(value) | Self::ExpectMcp(value) | Self::Send(value) => vec![value],
            _ => self.matchers(),
        }
    }
}

/// The words without their locations.
pub(crate) fn words(located: &[Spanned<String>]) -> Vec<String> {
    located.iter().map(|word| word.value.clone()).collect()
}

/// The texts without their locations.
pub(super) fn texts(located: &TextMap) -> IndexMap<String, String> {
    located
        .iter()
        .map(|(name, text)| (name.value.clone(), text.value.clone()))
        .collect()
}
