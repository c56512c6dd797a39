//! The data model of a loaded dialect.

use super::client::Client;
use crate::check::CheckTables;
use crate::rules::frame_pattern::FramePattern;
use crate::rules::history_state::Declarations;
use crate::rules::rule::Rule;
use crate::rules::symbol::Symbols;
use crate::schema::Schemas;
use conform_dialect::file::{CapabilityFile, LaunchRecipe, MemberNames, RefusalNames};
use conform_dialect::json_rpc::JsonRpc;
use conform_dialect::{Base, Clause, FrameNames, KnownAgent};
use indexmap::IndexMap;
use json_matcher::Matcher;
use regex::Regex;
use serde_json::Value;
use spanned_yaml::{Error, Node, unknown};
use std::sync::{Arc, OnceLock};

/// One protocol at one version.
#[derive(Debug)]
pub struct Dialect {
    /// The name, without the version.
    pub name: String,
    /// The version.
    pub version: String,
    /// One line for people.
    pub title: String,
    /// The dialects that it extends, nearest first.
    pub bases: Vec<Base>,
    /// The names of the agent's frames.
    pub events: FrameNames,
    /// The names of the host's frames.
    pub commands: FrameNames,
    /// The schemas of the events.
    pub event_schemas: Schemas,
    /// The schemas of the commands.
    pub command_schemas: Schemas,
    /// What is particular to its JSON-RPC, if messages are named by their structure.
    pub json_rpc: Option<JsonRpc>,
    /// The normative statements of the specification, by id.
    pub clauses: IndexMap<String, Clause>,
    /// The rules, including one for each schema.
    pub rules: Vec<Rule>,
    /// Former rule ids, and their present ones.
    pub aliases: IndexMap<String, String>,
    /// The state variables and scopes of rules.
    pub declarations: Declarations,
    /// The symbols that rules can use.
    pub symbols: Arc<Symbols>,
    /// How a session starts and ends.
    pub session: SessionSpec,
    /// The capabilities that an agent can declare.
    pub capabilities: IndexMap<String, CapabilityFile>,
    /// Events by which an agent refuses to be played at all.
    pub refusals: Vec<Refusal>,
    /// The members of frames that hold tools and calls.
    pub members: MemberNames,
    /// Tools that an agent may lack, by the names in scenarios.
    pub optional_tools: Vec<String>,
    /// What scenarios may want of a tool, with the arguments that they may give.
    pub purposes: IndexMap<String, Vec<String>>,
    /// The file of the agent that it is loaded for, whose recipe and budgets are in place of the dialect's own.
    pub agent: Option<Arc<KnownAgent>>,
    /// Whether its files and that of the agent are in the executable: the project's tests have checked them.
    pub is_built_in: bool,
    /// The wires of the dialect's own recipe.
    pub own_wires: Vec<String>,
    /// The id of the scenario that is played first, with its place in the dialect's file.
    pub smoke: Option<Node>,
    /// Steps before those of each scenario, as written.
    pub prelude: Vec<Node>,
    /// The named parts of the prelude: how many steps there are up to the end of each.
    pub prelude_parts: IndexMap<String, usize>,
    /// How a client of it behaves, if it says so.
    pub client: Option<Client>,
    /// Steps after those of each scenario, as written.
    pub ending: Vec<Node>,
    /// The steps that `rest` plays, as written.
    pub rest: Vec<Node>,
    /// Timeouts in microseconds, by name.
    pub budgets: IndexMap<String, u64>,
    /// Limits in bytes, by name.
    pub limits: IndexMap<String, u64>,
    /// How the agent is started.
    pub launch: LaunchRecipe,
    /// The tables that its checks share, from the first one on.
    pub(super) tables: OnceLock<CheckTables>,
}

/// How a session starts and ends.
#[derive(Debug, Clone, Default)]
pub struct SessionSpec {
    /// The event that reports that the agent is ready.
    pub ready: Option<String>,
    /// The frames that show that the agent reached a first turn.
    pub turn: FramePattern,
    /// The commands that ask the process to exit.
    pub quit: FramePattern,
    /// What begins a piece of work of the agent, and what ends it. Empty if the dialect does not define it.
    pub work: Vec<WorkSpec>,
    /// The commands that interrupt the running work, but not the process.
    pub interrupts: Vec<String>,
    /// The commands that an agent answers by asking its model.
    pub prompts: Vec<String>,
    /// The clauses that forbid the agent to ask its model any more, by the name of a command that stops the work, or `#invalid` for a
    /// command that must be refused.
    pub no_request: IndexMap<String, String>,
    /// The event with a chunk of the model's text.
    pub text: Option<String>,
    /// Where the agent reports its version: the event, the JSON Pointer, and a pattern for the versions of this dialect.
    pub version: Option<(String, String, Regex)>,
    /// How to detect the dialect of an agent that writes nothing at the start.
    pub probe: Option<DetectionProbe>,
}

/// What begins a piece of work of the agent, and what ends it.
#[derive(Debug, Clone)]
pub struct WorkSpec {
    /// The frames that begin one.
    pub from: FramePattern,
    /// The frames that end one.
    pub to: FramePattern,
    /// Whether only prompts begin one.
    pub is_turn: bool,
}

/// Detects the dialect of an agent that writes nothing at the start: commands to send, and the event that answers them.
#[derive(Debug, Clone)]
pub struct DetectionProbe {
    /// The commands, in order.
    pub send: Vec<Value>,
    /// Matches the event that proves the dialect.
    pub shows: Matcher,
    /// Matches an event that disproves the dialect if it comes first.
    pub unless: Option<Matcher>,
    /// The JSON Pointer into the answer to the version of the protocol.
    pub version: Option<String>,
}

/// An event by which an agent refuses to be played.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// Matches the event.
    pub when: Matcher,
    /// The events after which it is no refusal any more.
    pub before: Vec<String>,
    /// What the agent wants.
    pub reason: String,
    /// Where the names stand that belong to the reason.
    pub names: Option<RefusalNames>,
}

impl Dialect {
    /// `NAME@VERSION`.
    pub fn id(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    pub(crate) fn tables(&self) -> &CheckTables {
        self.tables.get_or_init(|| CheckTables::new(self))
    }

    /// The names and the schemas of commands, or of events.
    pub fn frames(&self, commands: bool) -> (&FrameNames, &Schemas) {
        match commands {
            true => (&self.commands, &self.command_schemas),
            false => (&self.events, &self.event_schemas),
        }
    }

    /// The id of the scenario that is played first.
    pub fn smoke_id(&self) -> Option<&str> {
        self.smoke.as_ref().and_then(Node::as_str)
    }

    /// Checks that the smoke scenario is one of these scenarios of the dialect.
    ///
    /// # Errors
    /// It is not; the error has its place in the dialect's file.
    pub fn check_smoke<'a>(
        &self,
        scenarios: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), Error> {
        let Some(smoke) = &self.smoke else {
            return Ok(());
        };
        let known: Vec<_> = scenarios.into_iter().collect();
        let name = smoke.as_str().unwrap_or_default();
        if known.contains(&name) {
            return Ok(());
        }
        let what = format!("smoke scenario of {}", self.id());
        Err(smoke.error(unknown(&what, name, known)))
    }

    /// The dialects whose files are merged into its faults: its oldest base first, itself last.
    pub fn fault_sources(&self) -> Vec<String> {
        let bases = self.bases.iter().rev().map(|base| base.id.clone());
        bases.chain([self.id()]).collect()
    }

    /// A timeout, by name.
    pub fn budget(&self, name: &str) -> Option<std::time::Duration> {
        self.budgets
            .get(name)
            .map(|micros| std::time::Duration::from_micros(*micros))
    }

    /// The rule with this id, now or formerly.
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        let id = self.aliases.get(id).map_or(id, String::as_str);
        self.rules.iter().find(|rule| rule.id == id)
    }
}
