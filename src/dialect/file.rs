//! What a `dialect.yaml` and a `clauses.yaml` may hold.

use crate::finding::Level;
use indexmap::IndexMap;
use serde::Deserialize;
use spanned_yaml::{Node, Spanned};

/// A dialect's first file.
#[derive(Debug, Clone, Deserialize)]
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
    #[serde(default)]
    pub extends: Option<Spanned<String>>,
    /// Where the name of a frame stands.
    #[serde(default)]
    pub discriminator: Option<Discriminator>,
    /// The events.
    #[serde(default)]
    pub events: IndexMap<String, Option<FrameSpec>>,
    /// The commands.
    #[serde(default)]
    pub commands: IndexMap<String, Option<FrameSpec>>,
    /// In a delta: names of the base that this version lacks.
    #[serde(default)]
    pub removed: Vec<String>,
    /// In a delta: clauses of the base that this version lacks. Rules and scenarios of the base do not cite them any more.
    #[serde(default)]
    pub removed_clauses: Vec<Spanned<String>>,
    /// In a delta: headings of the base's page that are others on this version's, under which its clauses stand now.
    #[serde(default)]
    pub sections: IndexMap<String, Spanned<String>>,
    /// The members of frames that hold tools and calls; in a delta, the base's if left out.
    #[serde(default)]
    pub members: Option<MemberNames>,
    /// In a delta: tools that have another name than in the base, by the old one.
    #[serde(default)]
    pub tools: IndexMap<String, ToolName>,
    /// Tools that an agent need not have: a scenario whose model calls one is skipped if the agent did not offer it to the model.
    #[serde(default)]
    pub optional_tools: Vec<String>,
    /// In a delta: what becomes of the scenarios of the base.
    #[serde(default)]
    pub scenarios: InheritanceFile,
    /// How a session begins.
    #[serde(default)]
    pub session: Option<SessionFile>,
    /// What the agent may declare that it can do.
    #[serde(default)]
    pub capabilities: IndexMap<String, CapabilityFile>,
    /// Waits, by name, as durations.
    #[serde(default)]
    pub budgets: IndexMap<String, Node>,
    /// Limits in bytes: `line` for a line of the agent.
    #[serde(default)]
    pub limits: IndexMap<String, u64>,
    /// How the agent is started. In a delta: what differs, part by part.
    #[serde(default)]
    pub launch: Option<LaunchRecipe>,
}

/// What a delta says about the scenarios of its base.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InheritanceFile {
    /// Ids of the only scenarios that hold here; all, if none is given.
    pub keep: Vec<Node>,
    /// Ids of scenarios that do not hold here.
    pub drop: Vec<Node>,
    /// Members of frames that have another name here: frame (`>` in front of a command), old name, new name.
    pub rename: IndexMap<String, IndexMap<String, String>>,
}

/// The members of frames, by name, that hold tools and calls. Inherited scenarios are rewritten there.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MemberNames {
    /// A tool's name.
    pub tool: Vec<String>,
    /// A tool's arguments, in the object that holds its name.
    pub arguments: Vec<String>,
    /// The id of a call.
    pub call: Vec<String>,
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

/// What a tool is called, and its arguments where their names differ too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolName {
    /// The tool's name.
    pub name: String,
    /// Arguments: the name that scenarios use, and the tool's own.
    #[serde(default)]
    pub args: IndexMap<String, String>,
}

impl ToolName {
    /// Replaces each tool name by the one that `tools` gives it.
    pub(super) fn rename_all(names: &mut [String], tools: &IndexMap<String, ToolName>) {
        for name in names {
            if let Some(tool) = tools.get(name) {
                name.clone_from(&tool.name);
            }
        }
    }
}

/// JSON Pointers to the name of a frame.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Discriminator {
    /// In an event.
    pub events: String,
    /// In a command.
    pub commands: String,
}

/// An event or a command.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FrameSpec {
    /// Where the name of a nested kind stands.
    pub kind: Option<String>,
    /// The nested kinds.
    pub kinds: Vec<String>,
}

/// How a session begins and ends.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SessionFile {
    /// The event that says that the agent is up; none if it says nothing.
    pub ready: Option<Spanned<String>>,
    /// The pattern that shows that the agent came as far as a first turn.
    pub turn: Option<Node>,
    /// The pattern of commands that ask the process to end.
    pub quit: Option<Node>,
    /// The commands that end what is at work, and not the process. What the host does next waits a little while for the process to show that it lives on.
    pub interrupts: Vec<Spanned<String>>,
    /// Where the agent says its version, and which it may say.
    pub version: Option<VersionFile>,
    /// How an agent that begins in silence is brought to show that it speaks this dialect.
    pub probe: Option<ProbeFile>,
}

/// What is said to an agent that begins in silence, and what shows that it speaks a dialect.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeFile {
    /// Lines that are sent to it, in order.
    pub send: Vec<Node>,
    /// A matcher for the event that shows it.
    pub shows: Node,
    /// A matcher for what an agent of this dialect never writes before that.
    #[serde(default)]
    pub unless: Option<Node>,
}

/// Where the agent says its version.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionFile {
    /// The event.
    pub event: String,
    /// The pointer into it.
    pub at: String,
    /// A regular expression for the versions of this dialect.
    pub matches: String,
}

/// Where the agent declares a capability.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapabilityFile {
    /// The event; none if every agent of this dialect has it.
    #[serde(default)]
    pub event: Option<String>,
    /// The pointer to a true value in it.
    #[serde(default)]
    pub at: String,
}

/// How the agent is started. Strings may hold `{llm_url}`, `{workspace}` and `{home}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LaunchRecipe {
    /// The names that programs of this dialect usually have.
    pub programs: Vec<String>,
    /// The npm package that a program of this dialect is part of.
    pub package: Option<String>,
    /// What the help of a program of this dialect says: a regular expression.
    pub help: Option<String>,
    /// How a program of this dialect that is part of no package tells its version.
    pub version: Option<VersionCommand>,
    /// What early versions lack.
    pub lacks: Vec<VersionGap>,
    /// Arguments.
    pub args: Vec<String>,
    /// Environment variables.
    pub env: IndexMap<String, String>,
    /// Files written before the start, by path under the scratch HOME.
    pub home_files: IndexMap<String, String>,
    /// What each wire of the model adds.
    pub wires: IndexMap<String, WireRecipe>,
}

/// What the versions before a certain one lack.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionGap {
    /// The first version that has it.
    pub before: String,
    /// Commands.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Wires of the model.
    #[serde(default)]
    pub wires: Vec<String>,
}

/// How a program tells its version.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionCommand {
    /// The arguments that it is asked with.
    pub args: Vec<String>,
    /// What it says then: a regular expression with the groups `name` and `version`.
    pub says: String,
}

/// What one wire of the model adds to a launch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WireRecipe {
    /// Arguments, behind those of the launch.
    pub args: Vec<String>,
    /// Environment variables.
    pub env: IndexMap<String, String>,
    /// Files under the scratch HOME.
    pub home_files: IndexMap<String, String>,
    /// How events write the id that the model gave a call: a regular expression with `{id}` in it; just so if left out.
    pub call_ids: Option<String>,
}

/// One normative statement of a spec.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClauseFile {
    /// Its id; append-only.
    pub id: Spanned<String>,
    /// The section of the page.
    pub section: String,
    /// How strongly the page asks.
    pub strength: Level,
    /// Whom it binds.
    pub side: Side,
    /// What it says, in our words.
    pub text: String,
    /// Given, and true, if a check can exist.
    #[serde(default)]
    pub testable: Option<bool>,
    /// Why no check can exist.
    #[serde(default)]
    pub untestable: Option<String>,
}

/// Whom a clause binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The agent.
    Agent,
    /// The host.
    Host,
}
