//! The names that scenarios of a dialect may use.

use crate::dialect::{Dialect, FrameIdentity, FrameNames};
use crate::finding::Level;
use indexmap::IndexMap;
use serde_json::Value;
use std::fmt;

/// What is wrong with a command or a matcher: a JSON Pointer into it, and a sentence.
pub type ValueProblem = (String, String);

/// Checks a command that a scenario sends, or a matcher that it uses.
pub type ValueCheck<'a> = dyn Fn(&Value) -> Vec<ValueProblem> + 'a;

/// A clause, as far as scenarios are concerned.
#[derive(Debug, Clone, Default)]
pub struct ClauseInfo {
    /// How strongly the page asks.
    pub strength: Level,
    /// Why it cannot be tested, if it cannot.
    pub untestable: Option<String>,
}

/// The names that scenarios of a dialect may use.
#[derive(Default)]
pub struct Vocabulary<'a> {
    /// What the agent may write.
    pub events: FrameNames,
    /// What the host may write.
    pub commands: FrameNames,
    /// The spec's clauses, by id.
    pub clauses: IndexMap<String, ClauseInfo>,
    /// What the agent may declare that it can do.
    pub capabilities: Vec<String>,
    /// The names of budgets.
    pub budgets: Vec<String>,
    /// The wires that the launch recipe knows.
    pub wires: Vec<String>,
    /// Judges commands, beyond their names.
    pub check_command: Option<Box<ValueCheck<'a>>>,
    /// Finds members of commands that the page does not have.
    pub check_members: Option<Box<ValueCheck<'a>>>,
    /// Finds what of a matcher no event can meet.
    pub check_matcher: Option<Box<ValueCheck<'a>>>,
}

impl fmt::Debug for Vocabulary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vocabulary")
            .field("events", &self.events)
            .field("commands", &self.commands)
            .finish_non_exhaustive()
    }
}

impl<'a> Vocabulary<'a> {
    /// The vocabulary of a dialect, commands judged by its definitions.
    #[must_use]
    pub fn of(dialect: &'a Dialect) -> Self {
        let clauses = dialect.clauses.iter().map(|(id, clause)| {
            let info = ClauseInfo {
                strength: clause.strength,
                untestable: clause.untestable.clone(),
            };
            (id.clone(), info)
        });
        Vocabulary {
            events: dialect.events.clone(),
            commands: dialect.commands.clone(),
            clauses: clauses.collect(),
            capabilities: dialect.capabilities.keys().cloned().collect(),
            budgets: dialect.budgets.keys().cloned().collect(),
            wires: dialect.launch.wires.keys().cloned().collect(),
            check_command: Some(Box::new(|command| faults(dialect, command))),
            check_members: Some(Box::new(|command| strangers(dialect, command))),
            check_matcher: Some(Box::new(|matcher| contradictions(dialect, matcher))),
        }
    }
}

/// Most faults reported of one command.
const MOST: usize = 8;

fn faults(dialect: &Dialect, command: &Value) -> Vec<ValueProblem> {
    let FrameIdentity::Known(name, kind) = dialect.commands.identify(command) else {
        return Vec::new();
    };
    let faults =
        dialect
            .command_schemas
            .violations(kind.as_deref().unwrap_or(&name), command, MOST);
    let broken = faults
        .into_iter()
        .filter(|fault| fault.level == Level::Must);
    broken.map(|fault| (fault.pointer, fault.message)).collect()
}

fn strangers(dialect: &Dialect, command: &Value) -> Vec<ValueProblem> {
    let FrameIdentity::Known(name, kind) = dialect.commands.identify(command) else {
        return Vec::new();
    };
    let mut found = dialect
        .command_schemas
        .unknown_members(kind.as_deref().unwrap_or(&name), command);
    // A definition need not repeat the member that names the command.
    found.retain(|(place, _)| *place != dialect.commands.discriminator);
    found
}

fn contradictions(dialect: &Dialect, matcher: &Value) -> Vec<ValueProblem> {
    let FrameIdentity::Known(name, kind) = dialect.events.identify(matcher) else {
        return Vec::new();
    };
    let names = std::iter::once(name).chain(kind);
    let schemas = &dialect.event_schemas;
    names
        .flat_map(|name| schemas.contradictions(&name, matcher))
        .collect()
}
