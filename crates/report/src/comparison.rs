//! Compares the reports of several agents: the causes with the agents that have them, and counts per group of scenarios. Pure.

use super::cause::Cause;
use super::model::{Report, Verdict};
use conform_judge::finding::{BaselinedKind, Level};
use indexmap::{IndexMap, IndexSet};
use serde::Serialize;
use std::cmp::Reverse;

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
    /// The causes: those of the first agent first, the gravest first.
    pub causes: Vec<ComparedCause>,
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
    /// The duration of its run in whole seconds.
    pub seconds: u64,
    /// The number of testable clauses that were exercised.
    pub clauses: usize,
    /// The number of testable clauses.
    pub testable: usize,
    /// The number of skipped scenarios, by reason.
    pub skipped: IndexMap<String, usize>,
}

/// What is wrong with one or more agents. Causes with the same reason in the baselines are one cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparedCause {
    /// The reason in the baseline, or the message if there is none.
    pub text: String,
    /// The rules that found it.
    pub rules: IndexSet<String>,
    /// Its severity; the highest of all agents.
    pub level: Level,
    /// Whether it is intermittent for every agent that has it.
    pub flaky: bool,
    /// The number of scenarios that have it, one for each agent; 0 for an agent without it.
    pub scenarios: Vec<usize>,
    /// Whether an agent has it without a baseline entry for it.
    pub new: bool,
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
        causes: compared_causes(reports),
        agents: reports
            .iter()
            .map(|one| agent(&one.name, &one.report))
            .collect(),
    }
}

/// A cause of the comparison, and the ids of its scenarios for each agent.
struct Row<'a> {
    cause: ComparedCause,
    scenarios: Vec<IndexSet<&'a str>>,
}

fn compared_causes(reports: &[NamedReport]) -> Vec<ComparedCause> {
    let mut rows: IndexMap<(&str, &str), Row<'_>> = IndexMap::new();
    for (n, NamedReport { report, .. }) in reports.iter().enumerate() {
        let counts = |cause: &&Cause| cause.blame == report.side && cause.level > Level::May;
        for cause in report.causes.iter().filter(counts) {
            let mark = cause.baseline.as_ref();
            let reason = mark.map_or("", |mark| mark.reason.as_str());
            let (id, text) = match reason {
                "" => (cause.id.as_str(), cause.message.as_str()),
                reason => ("", reason),
            };
            let row = rows.entry((id, reason)).or_insert_with(|| Row {
                cause: ComparedCause {
                    text: text.to_owned(),
                    rules: IndexSet::new(),
                    level: cause.level,
                    flaky: true,
                    scenarios: Vec::new(),
                    new: false,
                },
                scenarios: vec![IndexSet::new(); reports.len()],
            });
            row.cause.rules.insert(cause.rule.clone());
            row.cause.level = row.cause.level.max(cause.level);
            row.cause.flaky &=
                cause.flaky || mark.is_some_and(|mark| mark.kind == BaselinedKind::Flaky);
            row.cause.new |= mark.is_none();
            row.scenarios[n].extend(cause.scenarios.iter().map(String::as_str));
        }
    }
    let finished = |row: Row<'_>| ComparedCause {
        scenarios: row.scenarios.iter().map(IndexSet::len).collect(),
        ..row.cause
    };
    let mut causes: Vec<_> = rows.into_values().map(finished).collect();
    causes.sort_by_key(|cause| {
        let first = cause.scenarios.iter().position(|number| *number > 0);
        (first, cause.flaky, Reverse(cause.level))
    });
    causes
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
    for scenario in &report.scenarios {
        if scenario.verdict == Verdict::Skipped {
            *skipped.entry(scenario.reason.clone()).or_default() += 1;
        }
    }
    ComparedAgent {
        name: name.to_owned(),
        dialect: report.dialect.join(", "),
        seconds: report.duration_ms / 1000,
        clauses: coverage.clauses_exercised.len(),
        testable: coverage.clauses_exercised.len() + coverage.clauses_not_exercised.len(),
        skipped,
    }
}

fn without_dialect(id: &str) -> &str {
    id.split_once('/').map_or(id, |(_, rest)| rest)
}
