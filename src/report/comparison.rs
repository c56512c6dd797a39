//! Several agents side by side: what groups of scenarios came to with each. Pure.

use super::model::Report;
use super::model::Verdict;
use crate::finding::{BaselinedKind, Finding, Level};
use indexmap::{IndexMap, IndexSet};
use serde::Serialize;

/// The page's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The agents, in the order given.
    pub agents: Vec<ComparedAgent>,
    /// The groups of scenarios in the order of their names, each with a cell an agent.
    pub groups: Vec<Group>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparedAgent {
    /// What it is called on the page.
    pub name: String,
    /// What it was judged against.
    pub dialect: String,
    /// Its command line.
    pub command: String,
    /// How long its run took, in whole seconds.
    pub seconds: u64,
    /// Testable clauses that were exercised.
    pub clauses: usize,
    /// Testable clauses in all.
    pub testable: usize,
    /// Those that were not.
    pub not_exercised: Vec<String>,
    /// Scenarios that were skipped, by the reason.
    pub skipped: IndexMap<String, usize>,
    /// What was found, by rule and reason.
    pub found: Vec<GroupedFinding>,
}

/// One thing that was found, in one scenario or more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupedFinding {
    /// The rule.
    pub rule: String,
    /// How hard it counts.
    pub level: Level,
    /// The clauses that it breaks.
    pub clauses: IndexSet<String>,
    /// What the baseline says of it; what the finding says where no baseline knows it.
    pub reason: String,
    /// Whether a baseline knows it.
    pub known: bool,
    /// Whether it comes and goes: the baseline says so, or another try at the scenario went without it.
    pub flaky: bool,
    /// The scenarios it was found in, without their dialect.
    pub scenarios: IndexSet<String>,
}

/// Scenarios that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The folder they are in.
    pub name: String,
    /// What they came to, an agent a cell; `None` where an agent's dialect has no such scenario.
    pub cells: Vec<Option<Cell>>,
}

/// What the scenarios of a group came to with an agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// Nothing is wrong.
    pub passed: usize,
    /// Something is wrong, or was not seen.
    pub found: usize,
    /// Left out, because the agent lacks what they need.
    pub skipped: usize,
}

/// Lays reports side by side, each under a name.
#[must_use]
pub fn compare(reports: &[(String, Report)]) -> Comparison {
    let tables: Vec<_> = reports.iter().map(|(_, report)| table(report)).collect();
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
            .map(|(name, report)| agent(name, report))
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

    #[test]
    fn groups_stand_beside_each_other_also_where_an_agent_has_none() {
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
        let page = compare(&[("one".into(), one), ("other".into(), other)]);
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
    fn what_was_found_is_told_once_with_every_scenario() {
        let mut report = sample::report();
        let (side, counted) = (report.side, Level::May);
        let failed = report.scenarios.iter().position(|scenario| {
            let counts = |f: &Finding| f.blame == side && f.level > counted;
            scenario.findings.iter().any(counts)
        });
        let mut again = report.scenarios[failed.unwrap()].clone();
        again.id = "a@1/once/more".into();
        report.scenarios.push(again);
        let page = compare(&[("one".into(), report)]);
        assert!(
            page.agents[0]
                .found
                .iter()
                .any(|found| found.scenarios.contains("once/more") && found.scenarios.len() > 1)
        );
    }
}
