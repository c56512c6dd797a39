//! Adds parts of a run to its report: single entries, the shards of a run, or checks made one at a time. Pure.

use super::model::{Report, Verdict};
use super::{causes, verdict_rules};
use std::collections::HashSet;

/// Merges several reports into one. Its duration is that of the longest, because shards run in parallel.
///
/// # Errors
/// There is no report, the reports are not of the same run, or two of them have the same entry.
pub fn merge(reports: Vec<Report>) -> Result<Report, String> {
    let mut reports = reports.into_iter();
    let mut whole = reports.next().ok_or("no report to merge")?;
    for part in reports {
        check_same_run(&whole, &part)?;
        whole.add(part);
    }
    whole.summarize();
    Ok(whole)
}

/// Checks that a part is of the same run, and has other entries.
fn check_same_run(whole: &Report, part: &Report) -> Result<(), String> {
    let same = [
        (whole.tool == part.tool, "the program that wrote them"),
        (whole.command == part.command, "the command"),
        (whole.agent == part.agent, "the agent"),
        (whole.side == part.side, "the side judged"),
        (whole.seed == part.seed, "the seed"),
    ];
    if let Some((_, what)) = same.iter().find(|(same, _)| !same) {
        return Err(format!("the reports differ in {what}"));
    }
    if let Some(twice) = part
        .scenarios
        .iter()
        .find(|one| whole.scenarios.iter().any(|other| other.id == one.id))
    {
        return Err(format!("two reports have an entry '{}'", twice.id));
    }
    Ok(())
}

impl Report {
    /// Adds another part of the same run; the entries stay sorted by their ids. [`Report::summarize`] then derives the rest.
    pub(super) fn add(&mut self, part: Report) {
        self.scenarios.extend(part.scenarios);
        self.scenarios.sort_by(|a, b| a.id.cmp(&b.id));
        extend_new(&mut self.stale, part.stale);
        extend_new(&mut self.dialect, part.dialect);
        self.duration_ms = self.duration_ms.max(part.duration_ms);
        self.clauses.extend(part.clauses);
        self.rules.extend(part.rules);
        self.coverage.add(part.coverage);
    }

    /// Derives the counts and the causes again, after the scenarios have changed.
    pub fn summarize(&mut self) {
        self.summary = verdict_rules::summary(&self.scenarios);
        let causes = causes::collect(&mut self.scenarios, self.side);
        let scenarios = self.scenarios.iter();
        let inconclusive = scenarios.filter(|one| one.verdict == Verdict::Inconclusive);
        let inconclusive: HashSet<&String> = inconclusive.map(|one| &one.id).collect();
        (self.inconclusive, self.causes) = causes.into_iter().partition(|cause| {
            let mut scenarios = cause.scenarios.iter();
            cause.baseline.is_none() && scenarios.all(|id| inconclusive.contains(id))
        });
        self.without_result = causes::group_by_reason(&self.scenarios);
    }
}

fn extend_new(list: &mut Vec<String>, more: Vec<String>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}
