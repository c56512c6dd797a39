//! Compares the reports of several agents: counts per group of scenarios, and the findings of each agent. Pure.

use super::model::Report;
use super::model::Verdict;
use crate::finding::{BaselinedKind, Finding, Level};
use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

/// A report and the name of its agent.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedReport {
    /// The name of the agent on the page.
    pub name: String,
    /// Its report.
    pub report: Report,
}

/// The content of the comparison page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The agents, in the order given.
    pub agents: Vec<ComparedAgent>,
    /// The groups of scenarios, sorted by name.
    pub groups: Vec<Group>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparedAgent {
    /// Its name on the page.
    pub name: String,
    /// The dialects it was judged against.
    pub dialect: String,
    /// Its command line.
    pub command: String,
    /// The duration of its run in whole seconds.
    pub seconds: u64,
    /// The number of testable clauses that were exercised.
    pub clauses: usize,
    /// The number of testable clauses.
    pub testable: usize,
    /// The ids of the testable clauses that were not exercised.
    pub not_exercised: Vec<String>,
    /// The number of skipped scenarios, by reason.
    pub skipped: IndexMap<String, usize>,
    /// The findings, grouped by rule and reason.
    pub found: Vec<GroupedFinding>,
}

/// The same finding in one or more scenarios.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupedFinding {
    /// The rule.
    pub rule: String,
    /// Its severity; the highest of the group.
    pub level: Level,
    /// The clauses that it violates.
    pub clauses: IndexSet<String>,
    /// The reason in the baseline, or the message of the finding if it is in no baseline.
    pub reason: String,
    /// Whether it is in a baseline.
    pub known: bool,
    /// Whether it is flaky: the baseline says so, or another try of the scenario did not have it.
    pub flaky: bool,
    /// The ids of the scenarios that have it, without their dialect.
    pub scenarios: IndexSet<String>,
}

/// The scenarios of one folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The path of the folder.
    pub name: String,
    /// The counts, one cell for each agent; `None` if its dialect has no scenario in this folder.
    pub cells: Vec<Option<Cell>>,
}

/// How the scenarios of a group ended with one agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// Scenarios without findings above a note.
    pub passed: usize,
    /// Scenarios with findings, or without a result.
    pub found: usize,
    /// Scenarios that were skipped because the agent lacks what they need.
    pub skipped: usize,
}

/// Compares the reports of several agents.
#[must_use]
pub fn compare(reports: &[NamedReport]) -> Comparison {
    let tables: Vec<_> = reports.iter().map(|one| table(&one.report)).collect();
    let mut names: Vec<&String> = tables.iter().flat_map(IndexMap::keys).collect();
    names.sort();
    names.dedup();
    let groups = names.into_iter().map(|name| Group {
        name: name.clone(),
        cells: tables
            .iter()
            .map(|table| table.get(name).copied())
            .collect(),
    });
    Comparison {
        groups: groups.collect(),
        agents: reports
            .iter()
            .map(|one| agent(&one.name, &one.report))
            .collect(),
    }
}

fn table(report: &Report) -> IndexMap<String, Cell> {
    let mut groups: IndexMap<String, Cell> = IndexMap::new();
    for scenario in &report.scenarios {
        let id = without_dialect(&scenario.id);
        let group = id.rsplit_once('/').map_or(id, |(group, _)| group);
        let cell = groups.entry(group.to_owned()).or_default();
        *match scenario.verdict {
            Verdict::Skipped => &mut cell.skipped,
            Verdict::Pass if scenario.all_findings().all(|f| f.level == Level::May) => {
                &mut cell.passed
            }
            _ => &mut cell.found,
        } += 1;
    }
    groups
}

fn agent(name: &str, report: &Report) -> ComparedAgent {
    let coverage = &report.coverage;
    let mut skipped: IndexMap<String, usize> = IndexMap::new();
    let mut found: IndexMap<(String, String), GroupedFinding> = IndexMap::new();
    for scenario in &report.scenarios {
        if scenario.verdict == Verdict::Skipped {
            *skipped.entry(scenario.reason.clone()).or_default() += 1;
        }
        let counts = |f: &&Finding| f.blame == report.side && f.level > Level::May;
        for finding in scenario.all_findings().filter(counts) {
            let mark = finding.baseline.as_ref();
            let reason = mark.map_or(&finding.message, |mark| &mark.reason);
            let gone = !scenario.findings.iter().any(|f| f.rule == finding.rule);
            let flaky = gone || mark.is_some_and(|mark| mark.kind == BaselinedKind::Flaky);
            let key = (finding.rule.clone(), reason.clone());
            let entry = found.entry(key).or_insert_with(|| GroupedFinding {
                rule: finding.rule.clone(),
                level: finding.level,
                clauses: IndexSet::new(),
                reason: reason.clone(),
                known: mark.is_some(),
                flaky,
                scenarios: IndexSet::new(),
            });
            entry.level = entry.level.max(finding.level);
            entry.clauses.extend(finding.clauses.iter().cloned());
            entry
                .scenarios
                .insert(without_dialect(&scenario.id).to_owned());
        }
    }
    ComparedAgent {
        name: name.to_owned(),
        dialect: report.dialect.join(", "),
        command: report.agent.join(" "),
        seconds: report.duration_ms / 1000,
        clauses: coverage.clauses_exercised.len(),
        testable: coverage.clauses_exercised.len() + coverage.clauses_not_exercised.len(),
        not_exercised: coverage.clauses_not_exercised.clone(),
        skipped,
        found: found.into_values().collect(),
    }
}

fn without_dialect(id: &str) -> &str {
    id.split_once('/').map_or(id, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::ScenarioReport;
    use crate::reporter::sample;

    fn scenario(id: &str, verdict: Verdict) -> ScenarioReport {
        ScenarioReport {
            id: id.into(),
            verdict,
            reason: "it lacks b".into(),
            ..ScenarioReport::default()
        }
    }

    fn named(name: &str, report: Report) -> NamedReport {
        NamedReport {
            name: name.into(),
            report,
        }
    }

    #[test]
    fn a_group_has_an_empty_cell_for_an_agent_without_its_scenarios() {
        let report = |scenarios: Vec<ScenarioReport>| Report {
            scenarios,
            ..Report::default()
        };
        let one = report(vec![
            scenario("a@1/turn/x", Verdict::Pass),
            scenario("a@1/turn/y", Verdict::Skipped),
            scenario("a@1/deny/z", Verdict::Fail),
        ]);
        let other = report(vec![scenario("b@2/turn/x", Verdict::Pass)]);
        let page = compare(&[named("one", one), named("other", other)]);
        let cell = |passed, found, skipped| {
            Some(Cell {
                passed,
                found,
                skipped,
            })
        };
        let groups: Vec<_> = page
            .groups
            .iter()
            .map(|g| (g.name.as_str(), &g.cells[..]))
            .collect();
        assert_eq!(
            groups,
            [
                ("deny", &[cell(0, 1, 0), None][..]),
                ("turn", &[cell(1, 0, 1), cell(1, 0, 0)]),
            ]
        );
        assert_eq!(page.agents[0].skipped["it lacks b"], 1);
    }

    #[test]
    fn the_same_finding_is_listed_once_with_all_its_scenarios() {
        let mut report = sample::report();
        let (side, counted) = (report.side, Level::May);
        let failed = report.scenarios.iter().position(|scenario| {
            let counts = |f: &Finding| f.blame == side && f.level > counted;
            scenario.findings.iter().any(counts)
        });
        let mut again = report.scenarios[failed.unwrap()].clone();
        again.id = "a@1/once/more".into();
        report.scenarios.push(again);
        let page = compare(&[named("one", report)]);
        assert!(
            page.agents[0]
                .found
                .iter()
                .any(|found| found.scenarios.contains("once/more") && found.scenarios.len() > 1)
        );
    }
}
