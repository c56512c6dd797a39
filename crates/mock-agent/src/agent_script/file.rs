//! The format of agent scripts. The doc comments are the descriptions in the JSON Schema that editors show.

use indexmap::IndexMap;
use json_matcher::{AnyValueSchema, MatcherSchema};
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::{Node, Spanned, TimeSpan};

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
    /// What happens when the process starts.
    #[serde(default)]
    pub(super) start: Vec<ActionFile>,
    /// A conversation in a fixed order, instead of `start`: what the agent sends, and an `expect` at each place where it waits for a command
    /// of the host.
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
    /// A matcher for the command.
    #[schemars(with = "MatcherSchema")]
    pub(super) on: Node,
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
    /// Sends an event. `{name}` in a text is a value; a text that is one `{name}` and nothing else keeps the value's type.
    Send(#[schemars(with = "IndexMap<String, AnyValueSchema>")] Node),
    /// Writes any line; a newline is added.
    SendRaw(Spanned<String>),
    /// Writes this text without changes.
    SendBytes(Spanned<String>),
    /// Waits this long.
    Pause(TimeSpan),
    /// Holds the reply until the gate of this name is released, or until its timeout.
    Gate(Spanned<String>),
    /// Releases a gate. It stays open.
    Release(Spanned<String>),
    /// Waits for a command of the host, such as the answer to a request of the agent. Entries under `commands` do not see it. It may have
    /// come before, since the reply began. At the end of stdin, the reply ends at an `expect` whose command has not come.
    Expect(Spanned<ExpectFile>),
    /// Waits for the end of stdin.
    EndOfInput,
    /// Stops the reply in progress and drops the commands that wait for it.
    Stop,
    /// Exits with this status after everything is written.
    Exit(u8),
}

/// A command that a reply expects: `on` or `line`.
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
