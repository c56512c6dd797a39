//! Clause coverage: for each clause the rules and scenarios that check it, and the faults that prove those checks.

use super::matrix::{Fate, Matrix, Row};
use crate::scenario::Scenario;
use conform_judge::dialect::Dialect;
use conform_judge::finding::Blame;
use conform_judge::rules::rule::{Rule, RuleForm};
use schemars::JsonSchema;
use serde::Serialize;

/// One testable clause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Covered {
    /// Its id.
    pub clause: String,
    /// The section of the specification.
    pub section: String,
    /// The rules that check it.
    pub rules: Vec<String>,
    /// The schema definitions of events and commands that check it.
    pub definitions: Vec<String>,
    /// The scenarios that check it.
    pub scenarios: Vec<String>,
    /// The faults that were killed by a check of it.
    pub faults: Vec<String>,
}

impl Covered {
    /// What is missing, in words; `None` if nothing is.
    #[must_use]
    pub fn gap(&self) -> Option<&'static str> {
        if self.rules.is_empty() && self.definitions.is_empty() && self.scenarios.is_empty() {
            return Some("nothing checks it");
        }
        self.faults
            .is_empty()
            .then_some("no fault proves its checks")
    }
}

/// The rules that killed no fault of the matrix.
#[must_use]
pub fn unproved(dialect: &Dialect, matrix: &Matrix) -> Vec<String> {
    let with_hosts = matrix.faults.iter().any(|row| row.is_of_host());
    let sides = &[Blame::Agent, Blame::Host][..1 + usize::from(with_hosts)];
    let rules = provable_rules(dialect, sides).into_iter();
    rules.filter(|rule| !matrix.kills(rule)).collect()
}

/// Every testable clause of a dialect, in the order of the specification.
#[must_use]
pub fn covered(dialect: &Dialect, scenarios: &[Scenario], matrix: &Matrix) -> Vec<Covered> {
    let clauses = dialect.clauses.iter();
    let testable = clauses.filter(|(_, clause)| clause.untestable.is_none());
    let covered = testable.map(|(id, clause)| {
        let rules = dialect.rules.iter();
        let checking = rules.filter(|rule| rule.clauses.contains(id));
        let cites = |scenario: &&Scenario| {
            let steps = scenario.steps.iter();
            let own = steps.flat_map(|step| step.clauses.iter().flatten());
            scenario.clauses.iter().chain(own).any(|cited| cited == id)
        };
        let citing = scenarios.iter().filter(cites);
        let is_killed = |row: &&Row| row.fate == Fate::Killed && row.clauses.contains(id);
        let killed = matrix.faults.iter().filter(is_killed);
        let mut definitions = dialect.event_schemas.citing(id);
        definitions.extend(dialect.command_schemas.citing(id));
        Covered {
            clause: id.clone(),
            definitions,
            section: clause.section.clone(),
            rules: checking.map(|rule| rule.id.clone()).collect(),
            scenarios: citing.map(|scenario| scenario.id.clone()).collect(),
            faults: killed.map(|row| row.fault.clone()).collect(),
        }
    });
    covered.collect()
}

/// The ids of the rules about these sides that must kill at least one fault, in the order of the dialect. Only bad hosts break the rules
/// about hosts.
#[must_use]
pub fn provable_rules(dialect: &Dialect, sides: &[Blame]) -> Vec<String> {
    let is_asked = |rule: &Rule| {
        let side = if binds_host(rule, dialect) {
            Blame::Host
        } else {
            Blame::Agent
        };
        sides.contains(&side)
    };
    let rules = dialect.rules.iter();
    let provable = rules.filter(|rule| can_fail(rule, dialect) && is_asked(rule));
    provable.map(|rule| rule.id.clone()).collect()
}

/// Whether a rule can report a violation.
fn can_fail(rule: &Rule, dialect: &Dialect) -> bool {
    match &rule.form {
        RuleForm::Readings(_) => false,
        RuleForm::Schema(name) => {
            let command = name.strip_prefix('>');
            let (names, schemas) = dialect.frames(command.is_some());
            schemas.can_be_broken(command.unwrap_or(name), &names.discriminator)
        }
        _ => true,
    }
}

/// Whether a rule is about the host.
fn binds_host(rule: &Rule, dialect: &Dialect) -> bool {
    let symbols = &dialect.symbols;
    rule.config.blame == Some(Blame::Host)
        || match &rule.form {
            RuleForm::Schema(name) => name.starts_with('>'),
            RuleForm::Require(require) => {
                let on = require.on.symbols();
                on.iter().all(|s| symbols.host.contains(s))
            }
            _ => false,
        }
}
