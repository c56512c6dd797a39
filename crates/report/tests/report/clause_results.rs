//! The status of each clause.

use crate::sample;
use conform_judge::finding::{Finding, Level};
use conform_report::{ClauseStatus, Report, clause_results};

fn status(report: &Report, id: &str) -> ClauseStatus {
    clause_results(report)[id].status
}

#[test]
fn the_worst_finding_decides_the_status_of_a_clause() {
    let mut report = sample::report();
    let id = "demo.tool.announced";
    assert_eq!(status(&report, id), ClauseStatus::Violated);
    assert_eq!(clause_results(&report)[id].entries, 2);
    let findings = |report: &mut Report, change: fn(&mut Finding)| {
        let all = report.scenarios.iter_mut();
        all.flat_map(|one| one.all_findings_mut()).for_each(change);
    };
    findings(&mut report, |finding| finding.level = Level::Should);
    assert_eq!(status(&report, id), ClauseStatus::Warned);
    findings(&mut report, |finding| finding.level = Level::May);
    assert_eq!(status(&report, id), ClauseStatus::Kept);
}

#[test]
fn a_finding_that_only_follows_from_another_one_violates_no_clause() {
    let mut report = sample::report();
    let id = "demo.tool.announced";
    for scenario in &mut report.scenarios {
        scenario
            .all_findings_mut()
            .for_each(|finding| finding.follows_from = Some(1));
    }
    assert_eq!(status(&report, id), ClauseStatus::Undecided);
}

#[test]
fn a_clause_that_nothing_checked_is_neither_kept_nor_violated() {
    let report = sample::report();
    assert_eq!(status(&report, "demo.usage"), ClauseStatus::Kept);
    assert_eq!(status(&report, "demo.mcp"), ClauseStatus::NotExercised);
}
