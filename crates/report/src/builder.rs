//! Report builder: collects the results of scenarios or transcripts into one report with counts, coverage and the cited clauses.

use super::long_texts;
use super::model::{CitedClause, Report, ReportCommand, ScenarioReport};
use conform_judge::check::Coverage;
use conform_judge::dialect::Dialect;
use conform_judge::finding::Blame;
use indexmap::{IndexMap, IndexSet};
use std::collections::HashMap;

/// Collects the entries of a report.
#[derive(Debug, Default)]
pub struct ReportBuilder {
    /// The report so far.
    report: Report,
    /// The clauses that each rule checks, in any of the dialects.
    clauses_by_rule: HashMap<String, IndexSet<String>>,
    /// The requirement of each rule.
    docs: IndexMap<String, String>,
}

impl ReportBuilder {
    /// An empty builder. Findings of `side` decide the verdicts.
    #[must_use]
    pub fn new(command: ReportCommand, side: Blame) -> Self {
        ReportBuilder {
            report: Report {
                command,
                side,
                ..Report::default()
            },
            ..ReportBuilder::default()
        }
    }

    /// Gives the text of a rule, unless it has one already.
    pub fn add_rule(&mut self, id: &str, doc: &str) {
        let held = self.docs.entry(id.to_owned());
        held.or_insert_with(|| doc.to_owned());
    }

    /// Registers a dialect, so that its coverage is reported even if no entry exercises it.
    pub fn add_dialect(&mut self, dialect: &Dialect) {
        if self.report.dialect.contains(&dialect.id()) {
            return;
        }
        let mut part = Report {
            dialect: vec![dialect.id()],
            ..Report::default()
        };
        for (id, clause) in &dialect.clauses {
            let cited = CitedClause {
                section: clause.section.clone(),
                strength: clause.strength,
                text: clause.text.clone(),
            };
            part.clauses.insert(id.clone(), cited);
            if clause.untestable.is_none() {
                part.coverage.clauses_not_exercised.insert(id.clone());
            }
        }
        for rule in &dialect.rules {
            part.coverage.rules.insert(rule.id.clone(), 0);
            let clauses = self.clauses_by_rule.entry(rule.id.clone()).or_default();
            clauses.extend(rule.clauses.iter().cloned());
            self.add_rule(&rule.id, &rule.doc);
        }
        self.report.add(part);
    }

    /// Adds the result of a scenario or a transcript, and what it exercised. Long texts of its findings are shortened.
    pub fn add(&mut self, mut scenario: ScenarioReport, mut coverage: Coverage) {
        long_texts::shorten(&mut scenario);
        let evaluated = coverage.rules.iter().filter(|(_, times)| **times > 0);
        let by_rules = evaluated.filter_map(|(rule, _)| self.clauses_by_rule.get(rule));
        let checked = by_rules.flatten().chain(&coverage.clauses_exercised);
        let checked: IndexSet<String> = checked.cloned().collect();
        coverage.entries_by_clause = checked.iter().map(|id| (id.clone(), 1)).collect();
        coverage.clauses_exercised = checked;
        let testable = &self.report.coverage;
        coverage.clauses_exercised.retain(|id| testable.has(id));
        self.report.add(Report {
            scenarios: vec![scenario],
            coverage,
            ..Report::default()
        });
    }

    /// The report, sorted by the ids of its entries. The caller adds the agent, the seed, the duration and the effect of baselines.
    #[must_use]
    pub fn finish(self) -> Report {
        let ReportBuilder {
            mut report, docs, ..
        } = self;
        report.summarize();
        let place = |id: &String| report.clauses.get_index_of(id);
        let exercised = &mut report.coverage.clauses_exercised;
        exercised.sort_by(|a, b| place(a).cmp(&place(b)));
        let found = report
            .scenarios
            .iter()
            .flat_map(ScenarioReport::all_findings);
        let named: IndexSet<&String> = found.map(|finding| &finding.rule).collect();
        let texts = named.into_iter().filter_map(|id| docs.get_key_value(id));
        report.rules = texts.map(|(id, doc)| (id.clone(), doc.clone())).collect();
        report
    }
}
