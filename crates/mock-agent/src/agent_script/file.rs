//! The format of agent scripts. The doc comments are the descriptions in the JSON Schema that editors show.

use indexmap::IndexMap;
use json_matcher::{AnyValueSchema, MatcherSchema};
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::TimeSpan;
use spanned_yaml::{Node, Spanned};

/// A map in the order of the file, with the locations of its keys and values.
pub(super) type TextMap = IndexMap<Spanned<String>, Spanned<String>>;

/// A scripted agent of any dialect: what it writes at the start and on each command of the host.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "conform agent script")]
pub struct AgentScriptFile {
    /// The dialect that the agent speaks, `NAME@VERSION`, unless the command line names one.
    #[serde(default)]
    pub(super) dialect: Option<Spanned<String>>,
    /// Variables that last for the whole session, with their first values. Every other name belongs to the reply that sets it.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, AnyValueSchema>")]
    pub(super) variables: IndexMap<Spanned<String>, Node>,
    /// What happens when the process starts.
    #[serde(default)]
    pub(super) start: Vec<ActionFile>,
    /// A conversation in a fixed order, instead of `start`: what the agent sends, and an `expect` at each place where it waits for a command
    /// of the host. A command that comes before its place is kept until then.
    #[serde(default)]
    pub(super) session: Vec<ActionFile>,
    /// What happens on the commands of the host that no `expect` takes. The first entry that matches a command answers it.
    #[serde(default)]
    pub(super) commands: Option<Vec<EntryFile>>,
    /// What happens on a command that no entry matches; by default nothing. `{command}` is the command.
    #[serde(default)]
    pub(super) unknown: Vec<ActionFile>,
    /// What happens on a line that is not a JSON object; by default nothing. `{line}` is the line.
    #[serde(default)]
    pub(super) malformed: Vec<ActionFile>,
    /// What happens at the end of stdin, after the replies in progress; the process exits after it, with status 0 unless an `exit` says
    /// otherwise.
    #[serde(default)]
    pub(super) end_of_input: Vec<ActionFile>,
    /// What happens on SIGTERM, SIGINT or SIGHUP, instead of the reply in progress; the process exits after it.
    #[serde(default)]
    pub(super) terminate: Vec<ActionFile>,
    /// How long a gate holds unless it is released; by default 200 ms, or the value of `MOCK_AGENT_GATE_MS`.
    #[serde(default)]
    pub(super) gate_timeout: Option<TimeSpan>,
}

/// A command and the reply to it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryFile {
    /// A matcher for the command. `{name}` in it is a variable.
    #[schemars(with = "MatcherSchema")]
    pub(super) on: Node,
    /// A matcher for the variables, such as `{ mode: plan }`.
    #[serde(default, rename = "if")]
    #[schemars(with = "Option<MatcherSchema>")]
    pub(super) condition: Option<Node>,
    /// Parts of the command to store: a name and a JSON Pointer. A part that the command lacks is null.
    #[serde(default)]
    pub(super) capture: TextMap,
    /// What this entry does with a command that arrives while a reply is in progress.
    #[serde(default)]
    pub(super) while_busy: WhileBusy,
    /// The reply.
    #[serde(rename = "do")]
    pub(super) actions: Vec<ActionFile>,
}

/// What an entry does with a command that arrives while a reply is in progress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum WhileBusy {
    /// Its reply begins after the reply in progress.
    #[default]
    Queue,
    /// Its reply begins at once, beside the reply in progress.
    Now,
    /// As `now`, and the entry matches only then. The reply can use the names of the reply in progress.
    Only,
    /// The entry does not match then.
    Never,
}

/// One action: a map with one key.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ActionFile {
    /// Sends an event. `{name}` in a text is a value; a text that is one `{name}` and nothing else keeps the value's type. A map with
    /// one `$` key, such as `{ $upper: "{text}" }`, is the result of that function.
    Send(#[schemars(with = "IndexMap<String, AnyValueSchema>")] Node),
    /// Writes any line; a newline is added.
    SendRaw(Spanned<String>),
    /// Writes this text without changes.
    SendBytes(Spanned<String>),
    /// Sets names to values.
    Set(#[schemars(with = "IndexMap<String, AnyValueSchema>")] IndexMap<Spanned<String>, Node>),
    /// Adds 1 to a name: for ids and sequence numbers.
    Count(Spanned<String>),
    /// Repeats actions for each element of a list.
    ForEach(ForEachFile),
    /// Chooses between actions by the values of names.
    If(IfFile),
    /// Waits this long.
    Pause(TimeSpan),
    /// Holds the reply until the gate of this name is released, or until its timeout.
    Gate(Spanned<String>),
    /// Releases a gate. It stays open.
    Release(Spanned<String>),
    /// Waits for a command of the host, such as the answer to a request of the agent. Entries under `commands` do not see it.
    WaitFor(WaitForFile),
    /// Waits for a command of the host, in `session` only. At the end of stdin, the session ends at an `expect` whose command has not come.
    Expect(ExpectFile),
    /// Waits for the end of stdin, in `session` only.
    EndOfInput,
    /// Stops the reply in progress and drops the commands that wait for it.
    Stop,
    /// Exits with this status after everything is written.
    Exit(u8),
}

/// Actions that are repeated.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ForEachFile {
    /// The name of the element.
    pub(super) name: Spanned<String>,
    /// The list, such as `"{items}"` or `{ $words: "{text}" }`.
    #[serde(rename = "in")]
    #[schemars(with = "AnyValueSchema")]
    pub(super) list: Node,
    /// The name of the element's index, from 0.
    #[serde(default)]
    pub(super) index: Option<Spanned<String>>,
    /// The actions.
    #[serde(rename = "do")]
    pub(super) actions: Vec<ActionFile>,
}

/// Actions with a condition.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct IfFile {
    /// A matcher for the names and their values, such as `{ mode: plan }`.
    #[schemars(with = "MatcherSchema")]
    pub(super) names: Node,
    /// The actions if it matches.
    #[serde(rename = "do")]
    pub(super) actions: Vec<ActionFile>,
    /// The actions if it does not match.
    #[serde(default, rename = "else")]
    pub(super) otherwise: Vec<ActionFile>,
}

/// A wait for a command.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitForFile {
    /// The commands that end the wait. The first one that matches counts.
    pub(super) commands: Vec<AwaitedFile>,
    /// The timeout; none if left out. The end of stdin ends the wait too.
    #[serde(default)]
    pub(super) timeout: Option<TimeSpan>,
    /// What happens if the timeout ends the wait.
    #[serde(default)]
    pub(super) on_timeout: Vec<ActionFile>,
}

/// A command that a reply waits for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AwaitedFile {
    /// A matcher for the command. `{name}` in it is a value.
    #[schemars(with = "MatcherSchema")]
    pub(super) on: Node,
    /// Parts of the command to store: a name and a JSON Pointer. A part that the command lacks is null.
    #[serde(default)]
    pub(super) capture: TextMap,
    /// What happens then.
    #[serde(default, rename = "do")]
    pub(super) actions: Vec<ActionFile>,
}

/// A command that a session expects: `on` or `line`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectFile {
    /// A matcher for the command. `{name}` in it is a name that an earlier command has set.
    #[serde(default)]
    #[schemars(with = "Option<MatcherSchema>")]
    pub(super) on: Option<Node>,
    /// A line that is not a JSON object, as it is.
    #[serde(default)]
    pub(super) line: Option<Spanned<String>>,
    /// Parts of the command to store: a name and a JSON Pointer. A part that the command lacks is null.
    #[serde(default)]
    pub(super) capture: TextMap,
}
