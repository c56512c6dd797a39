//! The result of a run for each clause of its dialects: the rows of the clause matrix. Pure.

use super::model::Report;
use conform_judge::finding::Level;
use indexmap::IndexMap;
use serde::Serialize;

/// The result of one clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ClauseResult {
    /// Whether the clause was checked, and whether a finding cites it.
    pub status: ClauseStatus,
    /// In how many scenarios or transcripts it was checked.
    pub entries: u32,
}

/// The status of a clause. A later one outweighs an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClauseStatus {
    /// It cannot be checked from outside, and no finding cites it.
    #[serde(rename = "not testable")]
    NotTestable,
    /// Nothing checked it.
    #[serde(rename = "not exercised")]
    NotExercised,
    /// It was checked, and no finding above a note cites it.
    Kept,
    /// The findings that cite it only follow from others, so nothing is known about it.
    Undecided,
    /// It is cited by a finding that a baseline covers.
    Known,
    /// It is cited by a warning.
    Warned,
    /// It is cited by a violation.
    Violated,
}

/// The result of every clause that the report names, by clause id.
#[must_use]
pub fn clause_results(report: &Report) -> IndexMap<String, ClauseResult> {
    let coverage = &report.coverage;
    let mut results: IndexMap<String, ClauseResult> = IndexMap::new();
    let mut raise = |id: &String, status: ClauseStatus| {
        let entries = coverage.entries_by_clause.get(id).copied().unwrap_or(0);
        let result = ClauseResult { status, entries };
        let held = results.entry(id.clone()).or_insert(result);
        held.status = held.status.max(status);
    };
    let ids = report.clauses.keys();
    ids.for_each(|id| raise(id, ClauseStatus::NotTestable));
    let ids = coverage.clauses_not_exercised.iter();
    ids.for_each(|id| raise(id, ClauseStatus::NotExercised));
    let ids = coverage.clauses_exercised.iter();
    ids.for_each(|id| raise(id, ClauseStatus::Kept));
    let found = report.scenarios.iter().flat_map(|one| one.all_findings());
    for finding in found.filter(|finding| finding.blame == report.side) {
        let status = match (finding.level, &finding.baseline) {
            (Level::May, _) => continue,
            _ if finding.is_echo() => ClauseStatus::Undecided,
            (_, Some(_)) => ClauseStatus::Known,
            (Level::Should, None) => ClauseStatus::Warned,
            (Level::Must, None) => ClauseStatus::Violated,
        };
        finding.clauses.iter().for_each(|id| raise(id, status));
    }
    results
}
