//! A dialect, loaded. Data only.

use super::file::{CapabilityFile, LaunchRecipe, MemberNames, Side, ToolName};
use super::frame_names::FrameNames;
use crate::finding::Level;
use crate::matcher::Matcher;
use crate::rules::history_state::Declarations;
use crate::rules::parse::FramePattern;
use crate::rules::rule::Rule;
use crate::rules::symbol::Symbols;
use crate::schema::Schemas;
use indexmap::IndexMap;
use regex::Regex;
use serde_json::Value;
use spanned_yaml::Node;
use std::sync::Arc;

/// One protocol at one version.
#[derive(Debug)]
pub struct Dialect {
    /// The name, without the version.
    pub name: String,
    /// The version.
    pub version: String,
    /// One line for people.
    pub title: String,
    /// The dialects it was made from, nearest first.
    pub bases: Vec<Base>,
    /// The agent's frames.
    pub events: FrameNames,
    /// The host's frames.
    pub commands: FrameNames,
    /// Definitions of the events.
    pub event_schemas: Schemas,
    /// Definitions of the commands.
    pub command_schemas: Schemas,
    /// The normative statements, by id.
    pub clauses: IndexMap<String, Clause>,
    /// The rules, those of the schemas among them.
    pub rules: Vec<Rule>,
    /// Old rule ids, and what they are called now.
    pub aliases: IndexMap<String, String>,
    /// What rules remember.
    pub declarations: Declarations,
    /// The names of everything that rules can name.
    pub symbols: Arc<Symbols>,
    /// How a session begins and ends.
    pub session: SessionSpec,
    /// What the agent may declare that it can do.
    pub capabilities: IndexMap<String, CapabilityFile>,
    /// The members of frames that hold tools and calls.
    pub members: MemberNames,
    /// Tools that an agent need not have, by the names that scenarios use.
    pub optional_tools: Vec<String>,
    /// Waits in microseconds, by name.
    pub budgets: IndexMap<String, u64>,
    /// Limits in bytes, by name.
    pub limits: IndexMap<String, u64>,
    /// How the agent is started.
    pub launch: LaunchRecipe,
}

/// How a session begins and ends.
#[derive(Debug, Clone, Default)]
pub struct SessionSpec {
    /// The event that says that the agent is up.
    pub ready: Option<String>,
    /// Shows that the agent came as far as a first turn.
    pub turn: FramePattern,
    /// Commands that ask the process to end.
    pub quit: FramePattern,
    /// Commands that end what is at work, and not the process.
    pub interrupts: Vec<String>,
    /// Where the agent says its version: event, pointer, and the versions of this dialect.
    pub version: Option<(String, String, Regex)>,
    /// How an agent that begins in silence shows that it speaks this dialect.
    pub probe: Option<DetectionProbe>,
}

/// What is said to an agent that begins in silence, and what it shows.
#[derive(Debug, Clone)]
pub struct DetectionProbe {
    /// What is sent, in order.
    pub send: Vec<Value>,
    /// The event that shows that it speaks this dialect.
    pub shows: Matcher,
    /// What an agent of this dialect never writes before that.
    pub unless: Option<Matcher>,
}

/// A dialect that another one was made from.
#[derive(Debug, Clone)]
pub struct Base {
    /// `NAME@VERSION`.
    pub id: String,
    /// How its scenarios read in the dialect that extends it.
    pub inheritance: Inheritance,
}

/// How the scenarios of a base read in a delta.
#[derive(Debug, Clone, Default)]
pub struct Inheritance {
    /// Ids of the only scenarios that hold here, each where it is written; all, if it is empty.
    pub keep: Vec<Node>,
    /// Ids of scenarios that do not hold here, each where it is written.
    pub drop: Vec<Node>,
    /// Members of frames that have another name here: frame (`>` in front of a command), old name, new name.
    pub rename: IndexMap<String, IndexMap<String, String>>,
    /// The members of frames that hold tools and calls, in the base.
    pub members: MemberNames,
    /// Tools that have another name here, by the old one.
    pub tools: IndexMap<String, ToolName>,
    /// Clauses of the base that this version does not have.
    pub without_clauses: Vec<String>,
    /// How events write the id that the model gave a call: a regular expression with `{id}` in it; just so if `None`.
    pub call_ids: Option<String>,
    /// JSON Pointers to the name of an event, and of a command.
    pub names_at: (String, String),
}

/// One normative statement of a spec.
#[derive(Debug, Clone)]
pub struct Clause {
    /// The section of the page.
    pub section: String,
    /// How strongly the page asks.
    pub strength: Level,
    /// Whom it binds.
    pub side: Side,
    /// What it says, in our words.
    pub text: String,
    /// Why no check can exist; `None` for a testable clause.
    pub untestable: Option<String>,
}

impl Dialect {
    /// `NAME@VERSION`.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// Takes over what the user's agent calls its tools, by the names that scenarios use.
    pub fn call_tools(&mut self, tools: &IndexMap<String, ToolName>) {
        ToolName::rename_all(&mut self.optional_tools, tools);
    }

    /// A wait, by name.
    #[must_use]
    pub fn budget(&self, name: &str) -> Option<std::time::Duration> {
        self.budgets
            .get(name)
            .map(|micros| std::time::Duration::from_micros(*micros))
    }

    /// The rule of this id, or the one that used to have it.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        let id = self.aliases.get(id).map_or(id, String::as_str);
        self.rules.iter().find(|rule| rule.id == id)
    }
}
