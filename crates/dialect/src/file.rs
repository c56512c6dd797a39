//! The format of `dialect.yaml`.

use crate::client::ClientFile;
use crate::json_rpc::StructureRule;
use indexmap::IndexMap;
use json_matcher::{AnyValueSchema, MatcherSchema};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use spanned_yaml::{Node, Spanned, TimeSpan};
use std::borrow::Cow;

/// The file `dialect.yaml`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DialectFile {
    /// The name, without the version.
    pub name: String,
    /// The version, as in `NAME@VERSION`.
    pub version: String,
    /// One line for people.
    #[serde(default)]
    pub title: String,
    /// The dialect that this one changes, `NAME@VERSION`.
    pub extends: Option<Spanned<String>>,
    /// Where frames hold their name.
    pub discriminator: Option<Discriminator>,
    /// How frames are named, if not by a discriminator.
    #[schemars(with = "Option<Naming>")]
    pub naming: Option<Spanned<Naming>>,
    /// With `naming: json-rpc`: what is particular to this protocol.
    pub json_rpc: Option<JsonRpcFile>,
    /// With `naming: json-rpc`: the schema file that the protocol publishes. In a delta: the parts that differ.
    #[serde(default)]
    pub published: PublishedFile,
    /// The events.
    #[serde(default)]
    pub events: IndexMap<String, Option<FrameSpec>>,
    /// The commands.
    #[serde(default)]
    pub commands: IndexMap<String, Option<FrameSpec>>,
    /// In a delta: events and commands of the base that this version does not have.
    #[serde(default)]
    pub removed: Vec<String>,
    /// In a delta: clauses of the base that this version does not have. Inherited rules and scenarios no longer cite them.
    #[serde(default)]
    pub removed_clauses: Vec<Spanned<String>>,
    /// In a delta: renamed sections of the specification, by their old heading. The clauses of the base move along.
    #[serde(default)]
    pub sections: IndexMap<String, Spanned<String>>,
    /// With `naming: json-rpc`: how a client answers the requests of the agent. In a delta: the parts that differ.
    pub client: Option<ClientFile>,
    /// The members of frames that hold tools and calls; in a delta, the base's if left out.
    pub members: Option<MemberNames>,
    /// In a delta: renamed tools, by their name in the base.
    #[serde(default)]
    pub tools: IndexMap<String, ToolName>,
    /// Tools that an agent may lack: a scenario whose model calls one is skipped if the agent does not offer it to the model.
    #[serde(default)]
    pub optional_tools: Vec<String>,
    /// What scenarios may want of a tool, such as `shell`, with the arguments that they may give: agent files name the tool for each.
    #[serde(default)]
    pub purposes: IndexMap<String, Vec<String>>,
    /// The id of the scenario that is played first: the agent starts, answers one turn and ends. If it fails, the others say little.
    #[schemars(with = "Option<String>")]
    pub smoke: Option<Node>,
    /// Steps before those of each scenario, such as waiting for the ready event; or named parts of them, in their order. A scenario with
    /// `prelude: false` begins without them, one with `prelude: NAME` with those up to this part.
    #[schemars(with = "Option<PreludeSchema>")]
    pub prelude: Option<Node>,
    /// Steps behind those of each scenario, such as a command to end and the exit code. A scenario with `ending: false`, or whose last step is
    /// `expect_exit`, ends without them.
    #[schemars(with = "Option<Vec<IndexMap<String, AnyValueSchema>>>")]
    pub ending: Option<Vec<Node>>,
    /// The steps that the step `rest` stands for: they wait until the agent takes the next command.
    #[schemars(with = "Option<Vec<IndexMap<String, AnyValueSchema>>>")]
    pub rest: Option<Vec<Node>>,
    /// In a delta: how the scenarios of the base are inherited.
    #[serde(default)]
    pub scenarios: InheritanceFile,
    /// How a session starts and ends.
    pub session: Option<SessionFile>,
    /// A key of earlier versions: the loader says what is written instead.
    #[schemars(skip)]
    pub replies: Option<Node>,
    /// The capabilities that an agent can declare.
    #[serde(default)]
    pub capabilities: IndexMap<String, CapabilityFile>,
    /// Events by which an agent refuses to be played at all, such as one that wants a login first.
    #[serde(default)]
    pub refusals: Vec<RefusalFile>,
    /// Timeouts by name, as durations.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, TimeSpan>")]
    pub budgets: IndexMap<String, Node>,
    /// Limits in bytes, by name: `event` for a line of the agent, `command` for a line of the host.
    #[serde(default)]
    pub limits: IndexMap<String, u64>,
    /// How the agent is started. In a delta: the parts that differ.
    pub launch: Option<LaunchRecipe>,
}

/// How a delta inherits the scenarios of its base.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct InheritanceFile {
    /// The ids of the only scenarios to inherit; all if empty.
    #[schemars(with = "Vec<String>")]
    pub keep: Vec<Node>,
    /// The ids of scenarios not to inherit.
    #[schemars(with = "Vec<String>")]
    pub drop: Vec<Node>,
    /// Renamed members of frames: the frame (`>` and the name of a command), then the old and the new name.
    pub rename: IndexMap<String, IndexMap<String, String>>,
}

/// The members of frames, by name, that hold tools and calls. Inherited scenarios are rewritten there.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MemberNames {
    /// A tool's name.
    pub tool: Vec<String>,
    /// A tool's arguments, in the object that holds its name.
    pub arguments: Vec<String>,
    /// The id of a call.
    pub call: Vec<String>,
}

impl DialectFile {
    /// `NAME@VERSION`.
    pub(crate) fn id(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

impl Default for MemberNames {
    /// The members of model scripts, and of the requests on the wires of the model.
    fn default() -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        MemberNames {
            tool: names(&["name"]),
            arguments: names(&["args", "arguments", "input"]),
            call: names(&["id"]),
        }
    }
}

/// The new name of a tool, and of its arguments where those differ too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolName {
    /// The tool's name.
    pub name: String,
    /// Renamed arguments: the name in scenarios, and the tool's own name.
    #[serde(default)]
    pub args: IndexMap<String, String>,
}

impl ToolName {
    /// Replaces each tool name by the one that `tools` gives it.
    pub fn rename_all(names: &mut [String], tools: &IndexMap<String, ToolName>) {
        for name in names {
            if let Some(tool) = tools.get(name) {
                name.clone_from(&tool.name);
            }
        }
    }
}

/// JSON Pointers to the name of a frame.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Discriminator {
    /// To the name of an event.
    pub events: String,
    /// To the name of a command.
    pub commands: String,
}

/// How frames are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Naming {
    /// By their structure: a request and a notification by `method`, a response by the request that it answers: `METHOD.result`, `METHOD.error`.
    JsonRpc,
}

/// What is particular to a protocol with `naming: json-rpc`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JsonRpcFile {
    /// Whether messages may leave out the member `jsonrpc`.
    pub version_optional: bool,
    /// The first letters of methods that agents and hosts may add by themselves.
    pub extensions: Vec<String>,
    /// The methods whose answer waits for no user, no model and no process: open for 10 seconds when stdin is closed, they count as unanswered.
    pub at_once: Vec<String>,
    /// The clauses of the built-in rules.
    #[schemars(with = "IndexMap<StructureRule, Vec<String>>")]
    pub clauses: IndexMap<StructureRule, Vec<Spanned<String>>>,
}

/// The schema file that a protocol publishes: messages must be valid by its definitions, in addition to those of `events.json` and
/// `commands.json`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PublishedFile {
    /// The name of the file, which stands unchanged next to `dialect.yaml`.
    #[schemars(with = "Option<String>")]
    pub file: Option<Spanned<String>>,
    /// The keyword with which a definition names its method.
    pub method: Option<String>,
    /// The keyword with which it names the side that receives the method; without it, every side that has the method sends it.
    pub side: Option<SideKeyword>,
    /// How the names of definitions of results end; all others are those of `params`.
    pub results: Option<String>,
    /// The definitions of messages by their names, such as `ask.error: "#/$defs/Failure"`. That of a kind describes the object with the kind.
    #[schemars(with = "IndexMap<String, String>")]
    pub definitions: IndexMap<String, Spanned<String>>,
    /// The results that may be null as well, such as `close.result`.
    #[schemars(with = "Vec<String>")]
    pub nullable: Vec<Spanned<String>>,
    /// The keywords, other than those of JSON Schema, that accept nothing and require nothing, such as those for tolerant readers.
    #[schemars(with = "Vec<String>")]
    pub ignore: Vec<Spanned<String>>,
}

/// The keyword with which a definition names the side that receives its method, and the words for the sides. A word of both is of both.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SideKeyword {
    /// The keyword.
    pub keyword: String,
    /// Its values for the methods that the agent receives.
    pub agent: Vec<String>,
    /// Its values for the methods that the host receives.
    pub host: Vec<String>,
}

/// What is particular to an event or a command.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FrameSpec {
    /// The JSON Pointer to the name of the nested kind.
    pub kind: Option<String>,
    /// The nested kinds.
    pub kinds: Vec<String>,
    /// With `naming: json-rpc`: it is a notification, so it has no id and no response.
    pub notification: bool,
    /// With `naming: json-rpc`: a method that both sides have, in `events` and in `commands`.
    pub both_sides: bool,
}

/// How a session starts and ends.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SessionFile {
    /// The event that reports that the agent is ready; none if it writes nothing at the start.
    pub ready: Option<Spanned<String>>,
    /// The pattern of frames that show that the agent reached a first turn.
    #[schemars(with = "Option<String>")]
    pub turn: Option<Node>,
    /// The pattern of commands that ask the process to exit.
    #[schemars(with = "Option<String>")]
    pub quit: Option<Node>,
    /// What begins a piece of work of the agent, and what ends it. When all work has ended and the agent is silent and idle, nothing more
    /// comes before the host acts.
    pub work: Vec<WorkFile>,
    /// The commands that interrupt the running work, but not the process. The host's next step waits a little for a sign of life.
    pub interrupts: Vec<Spanned<String>>,
    /// The commands that an agent answers by asking its model. If it never does, what fails after them follows from that.
    pub prompts: Vec<Spanned<String>>,
    /// The clauses by which the agent asks its model no more: after a command that stops the work, by its name, and for a command that it
    /// must refuse, as `#invalid`.
    #[schemars(with = "IndexMap<String, String>")]
    pub no_request: IndexMap<String, Spanned<String>>,
    /// The event with a chunk of the model's text.
    pub text: Option<Spanned<String>>,
    /// Where the agent reports its version, and the versions of this dialect.
    pub version: Option<VersionFile>,
    /// How to detect the dialect of an agent that writes nothing at the start.
    pub probe: Option<ProbeFile>,
}

/// What begins a piece of work of the agent, such as a turn or the answer to a command, and what ends it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkFile {
    /// The pattern of frames that begin one.
    #[schemars(with = "String")]
    pub from: Node,
    /// The pattern of frames that end one.
    #[schemars(with = "String")]
    pub to: Node,
}

/// Detects the dialect of an agent that writes nothing at the start.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbeFile {
    /// The commands to send, in order.
    #[schemars(with = "Vec<IndexMap<String, AnyValueSchema>>")]
    pub send: Vec<Node>,
    /// A matcher for the event that proves the dialect.
    #[schemars(with = "MatcherSchema")]
    pub shows: Node,
    /// A matcher for an event that disproves the dialect if it comes first.
    #[schemars(with = "Option<MatcherSchema>")]
    pub unless: Option<Node>,
    /// The JSON Pointer into the answer at which the version of the protocol stands: another one than in `shows` cannot be judged.
    pub version: Option<String>,
}

/// Where the agent reports its version.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VersionFile {
    /// The event.
    pub event: String,
    /// The JSON Pointer into it.
    pub at: String,
    /// A regular expression for the versions of this dialect.
    pub matches: String,
}

/// Where the agent declares a capability.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapabilityFile {
    /// The event; none if every agent of this dialect has the capability.
    pub event: Option<String>,
    /// The JSON Pointer into it; the capability is declared if the value is true.
    #[serde(default)]
    pub at: String,
}

/// An event by which an agent refuses to be played: the scenarios that do not expect it are skipped.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefusalFile {
    /// A matcher for the event, as in a step.
    #[schemars(with = "MatcherSchema")]
    pub when: Node,
    /// The events after which it is no refusal any more.
    #[serde(default)]
    pub before: Vec<String>,
    /// What the agent wants, for the reason of the skipped scenarios.
    pub reason: String,
    /// What belongs to the reason: the texts at this member of each value of a list in an earlier event.
    pub names: Option<RefusalNames>,
}

/// Where the names for the reason of a refusal stand.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefusalNames {
    /// The event.
    pub event: String,
    /// The JSON Pointer to the list.
    pub at: String,
    /// The JSON Pointer into each value of it.
    pub name: String,
}

/// How the agent is started. Strings may hold `{llm_url}`, `{workspace}` and `{home}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LaunchRecipe {
    /// The usual names of programs that speak this dialect.
    pub programs: Vec<String>,
    /// The npm package that contains the program.
    pub package: Option<String>,
    /// A regular expression that matches the program's help text.
    pub help: Option<String>,
    /// How to ask a program that is in no package for its version.
    pub version: Option<VersionCommand>,
    /// What earlier versions do not have.
    pub lacks: Vec<VersionGap>,
    /// Arguments.
    pub args: Vec<String>,
    /// Environment variables.
    pub env: IndexMap<String, String>,
    /// Files to write before the start, by path in the sandboxed HOME.
    pub home_files: IndexMap<String, String>,
    /// What each model API adds, by name.
    pub wires: IndexMap<String, WireRecipe>,
}

/// What the versions before a certain one do not have.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VersionGap {
    /// The first version that has all of it.
    pub before: String,
    /// Commands.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Model APIs.
    #[serde(default)]
    pub wires: Vec<String>,
}

/// How to ask a program for its version.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VersionCommand {
    /// The arguments of the call.
    pub args: Vec<String>,
    /// A regular expression for the output, with the groups `name` and `version`.
    pub says: String,
}

/// What one model API adds to the launch recipe.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WireRecipe {
    /// Arguments, appended to those of the recipe.
    pub args: Vec<String>,
    /// Environment variables.
    pub env: IndexMap<String, String>,
    /// Files in the sandboxed HOME.
    pub home_files: IndexMap<String, String>,
    /// How events write the id that the model gave a call: a regular expression that contains `{id}`; unchanged if left out.
    pub call_ids: Option<String>,
    /// Whether an agent may be without it: a scenario that names it is skipped if the agent does not ask its model over it.
    pub optional: bool,
}

/// Steps, or named parts of them.
struct PreludeSchema;

impl JsonSchema for PreludeSchema {
    fn schema_name() -> Cow<'static, str> {
        "Prelude".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let steps = generator.subschema_for::<Vec<IndexMap<String, AnyValueSchema>>>();
        json_schema!({ "anyOf": [steps, { "type": "object", "additionalProperties": steps }] })
    }
}
