//! Report builder: collects the results of scenarios or transcripts into one report with counts, coverage and the cited clauses.

use super::long_texts;
use super::model::{CitedClause, Coverage, Report, ReportCommand, ScenarioReport};
use conform_judge::check::Exercised;
use conform_judge::dialect::Dialect;
use conform_judge::finding::Blame;
use indexmap::{IndexMap, IndexSet};
use std::collections::HashMap;
use std::sync::Arc;

/// Collects the entries of a report.
#[derive(Debug, Default)]
pub struct ReportBuilder {
    command: ReportCommand,
    side: Blame,
    dialects: IndexMap<String, Arc<Dialect>>,
    scenarios: Vec<ScenarioReport>,
    exercised: Exercised,
    entries_by_clause: IndexMap<String, u32>,
    /// The clauses that each rule checks, in any of the dialects.
    clauses_by_rule: HashMap<String, IndexSet<String>>,
    docs: IndexMap<String, String>,
}

impl ReportBuilder {
    /// An empty builder. Findings of `side` decide the verdicts.
    #[must_use]
    pub fn new(command: ReportCommand, side: Blame) -> Self {
        ReportBuilder {
            command,
            side,
            ..ReportBuilder::default()
        }
    }

    /// Gives the text of a rule that belongs to no dialect, such as a rule of scenario steps.
    pub fn add_rule(&mut self, id: &str, doc: &str) {
        self.docs.insert(id.to_owned(), doc.to_owned());
    }

    /// Registers a dialect, so that its coverage is reported even if no entry exercises it.
    pub fn add_dialect(&mut self, dialect: &Arc<Dialect>) {
        if self
            .dialects
            .insert(dialect.id(), Arc::clone(dialect))
            .is_none()
        {
            for rule in &dialect.rules {
                self.exercised.rules.entry(rule.id.clone()).or_default();
                let clauses = self.clauses_by_rule.entry(rule.id.clone()).or_default();
                clauses.extend(rule.clauses.iter().cloned());
            }
        }
    }

    /// Adds the result of a scenario or a transcript, and what it exercised. Long texts of its findings are shortened.
    pub fn add(&mut self, mut scenario: ScenarioReport, exercised: Exercised) {
        long_texts::shorten(&mut scenario);
        self.scenarios.push(scenario);
        for clause in clauses_checked(&self.clauses_by_rule, &exercised) {
            *self.entries_by_clause.entry(clause.clone()).or_default() += 1;
        }
        self.exercised.add(exercised);
    }

    /// The report, sorted by the ids of its entries. The caller adds the agent, the seed, the duration and the effect of baselines.
    #[must_use]
    pub fn finish(mut self) -> Report {
        self.scenarios.sort_by(|a, b| a.id.cmp(&b.id));
        let mut report = Report {
            command: self.command,
            dialect: self.dialects.keys().cloned().collect(),
            side: self.side,
            clauses: self.clauses(),
            rules: self.rules(),
            coverage: self.coverage(),
            scenarios: self.scenarios,
            ..Report::default()
        };
        report.summarize();
        report
    }

    /// The clauses of all dialects, with their texts.
    fn clauses(&self) -> IndexMap<String, CitedClause> {
        let all = self.dialects.values().flat_map(|dialect| &dialect.clauses);
        all.map(|(id, clause)| {
            let cited = CitedClause {
                section: clause.section.clone(),
                strength: clause.strength,
                text: clause.text.clone(),
            };
            (id.clone(), cited)
        })
        .collect()
    }

    /// The texts of the rules that findings name.
    fn rules(&self) -> IndexMap<String, String> {
        let found = self.scenarios.iter().flat_map(ScenarioReport::all_findings);
        let ids: IndexSet<&String> = found.map(|finding| &finding.rule).collect();
        let doc = |id: &String| {
            let mut dialects = self.dialects.values();
            let rule = dialects.find_map(|dialect| dialect.rule(id));
            rule.map(|rule| &rule.doc).or_else(|| self.docs.get(id))
        };
        let docs = ids
            .into_iter()
            .filter_map(|id| Some((id.clone(), doc(id)?.clone())));
        docs.collect()
    }

    fn coverage(&self) -> Coverage {
        let exercised = clauses_checked(&self.clauses_by_rule, &self.exercised);
        let clauses = self.dialects.values().flat_map(|dialect| &dialect.clauses);
        let testable = clauses.filter(|(_, clause)| clause.untestable.is_none());
        let testable: IndexSet<&String> = testable.map(|(id, _)| id).collect();
        let (exercised, not_exercised): (Vec<&String>, Vec<&String>) =
            testable.into_iter().partition(|id| exercised.contains(*id));
        Coverage {
            clauses_exercised: exercised.into_iter().cloned().collect(),
            clauses_not_exercised: not_exercised.into_iter().cloned().collect(),
            entries_by_clause: self.entries_by_clause.clone(),
            rules: self.exercised.rules.clone(),
            readings: self.exercised.readings.clone(),
        }
    }
}

/// The clauses that the rules which applied check, and those that steps checked.
fn clauses_checked<'a>(
    by_rule: &'a HashMap<String, IndexSet<String>>,
    exercised: &'a Exercised,
) -> IndexSet<&'a String> {
    let evaluated = exercised.rules.iter().filter(|(_, times)| **times > 0);
    let by_rules = evaluated.filter_map(|(rule, _)| by_rule.get(rule));
    by_rules.flatten().chain(&exercised.clauses).collect()
}
