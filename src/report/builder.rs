//! Gathers what was judged into a report: verdicts, counts, coverage, the clauses cited.

use super::model::{CitedClause, Command, Coverage, Report, ScenarioReport};
use super::verdict_rules;
use crate::dialect::Dialect;
use crate::finding::Blame;
use indexmap::{IndexMap, IndexSet};
use std::sync::Arc;

/// What one scenario or transcript exercised.
#[derive(Debug, Clone, Default)]
pub struct Exercised {
    /// How often each rule met its subject.
    pub rules: IndexMap<String, u64>,
    /// Readings met: probe, reading, how often.
    pub readings: IndexMap<String, IndexMap<String, u64>>,
    /// Clauses that something else than a rule checked, such as a scenario's own steps.
    pub clauses: Vec<String>,
}

/// Collects the entries of a report.
#[derive(Debug)]
pub struct ReportBuilder {
    command: Command,
    side: Blame,
    dialects: IndexMap<String, Arc<Dialect>>,
    scenarios: Vec<ScenarioReport>,
    exercised: Exercised,
}

impl ReportBuilder {
    /// Nothing gathered yet.
    #[must_use]
    pub fn new(command: Command, side: Blame) -> Self {
        let exercised = Exercised::default();
        ReportBuilder {
            command,
            side,
            dialects: IndexMap::new(),
            scenarios: Vec::new(),
            exercised,
        }
    }

    /// Names a dialect that is judged against, so that its coverage is reported even if nothing comes of it.
    pub fn dialect(&mut self, dialect: &Arc<Dialect>) {
        if self
            .dialects
            .insert(dialect.id(), Arc::clone(dialect))
            .is_none()
        {
            for rule in &dialect.rules {
                self.exercised.rules.entry(rule.id.clone()).or_default();
            }
        }
    }

    /// Adds an entry and what it exercised.
    pub fn add(&mut self, scenario: ScenarioReport, exercised: Exercised) {
        self.scenarios.push(scenario);
        for (rule, times) in exercised.rules {
            *self.exercised.rules.entry(rule).or_default() += times;
        }
        for (probe, readings) in exercised.readings {
            let met = self.exercised.readings.entry(probe).or_default();
            for (reading, times) in readings {
                *met.entry(reading).or_default() += times;
            }
        }
        self.exercised.clauses.extend(exercised.clauses);
    }

    /// The report, its entries in the order of their ids. The caller fills in agent, seed, time and what baselines changed.
    #[must_use]
    pub fn finish(mut self) -> Report {
        self.scenarios.sort_by(|a, b| a.id.cmp(&b.id));
        Report {
            command: self.command,
            dialect: self.dialects.keys().cloned().collect(),
            side: self.side,
            summary: verdict_rules::summary(&self.scenarios),
            clauses: self.cited(),
            coverage: self.coverage(),
            scenarios: self.scenarios,
            ..Report::default()
        }
    }

    fn cited(&self) -> IndexMap<String, CitedClause> {
        let mut cited = IndexMap::new();
        for id in self
            .scenarios
            .iter()
            .flat_map(ScenarioReport::all_findings)
            .flat_map(|finding| &finding.clauses)
        {
            if let Some(clause) = self
                .dialects
                .values()
                .find_map(|dialect| dialect.clauses.get(id))
            {
                let (section, text) = (clause.section.clone(), clause.text.clone());
                cited.entry(id.clone()).or_insert(CitedClause {
                    section,
                    strength: clause.strength,
                    text,
                });
            }
        }
        cited
    }

    fn coverage(&self) -> Coverage {
        let rules = self.dialects.values().flat_map(|dialect| &dialect.rules);
        let met = rules.filter(|rule| {
            self.exercised
                .rules
                .get(&rule.id)
                .is_some_and(|times| *times > 0)
        });
        let met: IndexSet<&String> = met
            .flat_map(|rule| &rule.clauses)
            .chain(&self.exercised.clauses)
            .collect();
        let clauses = self.dialects.values().flat_map(|dialect| &dialect.clauses);
        let testable: IndexSet<&String> = clauses
            .filter(|(_, clause)| clause.untestable.is_none())
            .map(|(id, _)| id)
            .collect();
        Coverage {
            clauses_exercised: testable
                .iter()
                .filter(|id| met.contains(*id))
                .map(|id| (*id).clone())
                .collect(),
            clauses_not_exercised: testable
                .iter()
                .filter(|id| !met.contains(*id))
                .map(|id| (*id).clone())
                .collect(),
            rules: self.exercised.rules.clone(),
            readings: self.exercised.readings.clone(),
        }
    }
}
