//! The context of loading a scenario: the names that scenarios of a dialect may use, and the mistakes found so far.

use conform_judge::dialect::{Dialect, FrameIdentity, FrameNames};
use conform_judge::finding::Level;
use indexmap::IndexMap;
use serde_json::Value;
use spanned_yaml::{Error, Node, Span, Spanned, unknown};
use std::collections::HashSet;
use std::fmt;

/// A problem in a command or a matcher: a JSON Pointer into it, and a sentence.
pub type ValueProblem = (String, String);

/// Checks a command that a scenario sends, or a matcher that it uses.
pub type ValueCheck<'a> = dyn Fn(&Value) -> Vec<ValueProblem> + 'a;

/// A clause, as far as the linter needs it.
#[derive(Debug, Clone, Default)]
pub struct ClauseInfo {
    /// The requirement level in the specification.
    pub strength: Level,
    /// Why it cannot be tested; `None` for a testable clause.
    pub untestable: Option<String>,
}

/// The names that scenarios of a dialect may use.
#[derive(Default)]
pub struct Vocabulary<'a> {
    /// The events.
    pub events: FrameNames,
    /// The commands.
    pub commands: FrameNames,
    /// The clauses of the specification, by id.
    pub clauses: IndexMap<String, ClauseInfo>,
    /// The capabilities that an agent can declare.
    pub capabilities: Vec<String>,
    /// The steps before those of each scenario.
    pub prelude: Vec<Node>,
    /// The steps behind those of each scenario.
    pub ending: Vec<Node>,
    /// The names of the timeouts.
    pub budgets: Vec<String>,
    /// The model APIs of the launch recipe.
    pub wires: Vec<String>,
    /// Checks commands against their schemas.
    pub check_command: Option<Box<ValueCheck<'a>>>,
    /// Finds members of commands that the schemas do not have.
    pub check_members: Option<Box<ValueCheck<'a>>>,
    /// Finds parts of matchers that no event can match.
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
    /// The vocabulary of a dialect, with checks by its schemas.
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
            prelude: dialect.prelude.clone(),
            ending: dialect.ending.clone(),
            budgets: dialect.budgets.keys().cloned().collect(),
            wires: dialect.launch.wires.keys().cloned().collect(),
            check_command: Some(Box::new(|command| command_problems(dialect, command))),
            check_members: Some(Box::new(|command| unknown_members(dialect, command))),
            check_matcher: Some(Box::new(|matcher| contradictions(dialect, matcher))),
        }
    }
}

/// The most problems that are reported for one command.
const MAX_PROBLEMS: usize = 8;

fn command_problems(dialect: &Dialect, command: &Value) -> Vec<ValueProblem> {
    let FrameIdentity::Known(name, kind) = dialect.commands.identify(command) else {
        return Vec::new();
    };
    let faults =
        dialect
            .command_schemas
            .violations(kind.as_deref().unwrap_or(&name), command, MAX_PROBLEMS);
    let broken = faults
        .into_iter()
        .filter(|fault| fault.level == Level::Must);
    broken.map(|fault| (fault.pointer, fault.message)).collect()
}

fn unknown_members(dialect: &Dialect, command: &Value) -> Vec<ValueProblem> {
    let FrameIdentity::Known(name, kind) = dialect.commands.identify(command) else {
        return Vec::new();
    };
    let mut found = dialect
        .command_schemas
        .unknown_members(kind.as_deref().unwrap_or(&name), command);
    // A schema need not repeat the member that holds the name of the command.
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

/// The file being loaded, the names that it may use, and the mistakes found so far.
#[derive(Debug)]
pub(super) struct LoadContext<'a> {
    pub(super) root: &'a Node,
    pub(super) vocabulary: Option<&'a Vocabulary<'a>>,
    pub(super) errors: Vec<Error>,
}

impl LoadContext<'_> {
    /// Reports a mistake at a location.
    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(self.root.error_at(span, message));
    }

    /// Reports a mistake if the name is unknown. Returns whether it is known.
    pub(super) fn known<'k>(
        &mut self,
        what: &str,
        name: &Spanned<String>,
        known: impl IntoIterator<Item = &'k str>,
    ) -> bool {
        let known: Vec<&str> = known.into_iter().collect();
        let found = known.contains(&name.as_str());
        if !found {
            self.error(name.span, unknown(what, name, known));
        }
        found
    }

    /// Reports each word that is listed twice.
    pub(super) fn no_duplicates(&mut self, what: &str, words: &[Spanned<String>]) {
        let mut seen = HashSet::new();
        for word in words
            .iter()
            .filter(|word| !seen.insert(word.value.as_str()))
        {
            self.error(
                word.span,
                format!("the {what} `{}` is listed twice", word.value),
            );
        }
    }

    /// The value of a result; its errors are reported.
    pub(super) fn value_or_report<T>(&mut self, result: Result<T, Vec<Error>>) -> Option<T> {
        result.map_err(|errors| self.errors.extend(errors)).ok()
    }
}
