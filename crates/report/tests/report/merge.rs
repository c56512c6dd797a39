//! Shards of a run as one report.

use crate::sample;
use conform_report::verdict_rules;
use conform_report::{Report, merge};

fn halves() -> (Report, Report) {
    let (mut left, mut right) = (sample::report(), sample::report());
    left.scenarios.truncate(3);
    right.scenarios.drain(..3);
    left.summary = verdict_rules::summary(&left.scenarios);
    right.summary = verdict_rules::summary(&right.scenarios);
    (left, right)
}

#[test]
fn merging_the_shards_gives_the_report_of_the_whole_run() {
    let (left, right) = halves();
    let whole = merge(vec![left, right]).unwrap();
    assert_eq!(whole.summary, sample::report().summary);
    assert_eq!(whole.scenarios.len(), 10);
    assert_eq!(whole.causes, sample::report().causes);
    assert!(
        whole
            .scenarios
            .is_sorted_by_key(|scenario| scenario.id.clone())
    );
    assert_eq!(whole.coverage.rules["demo.tool-lifecycle"], 6);
}

#[test]
fn a_clause_that_one_shard_exercised_is_exercised() {
    let (left, mut right) = halves();
    right.coverage.clauses_exercised = left.coverage.clauses_not_exercised.clone();
    right.coverage.clauses_not_exercised = left.coverage.clauses_exercised.clone();
    let whole = merge(vec![left, right]).unwrap();
    assert!(whole.coverage.clauses_not_exercised.is_empty());
}

#[test]
fn reports_of_different_runs_are_refused() {
    let (left, mut right) = halves();
    assert_eq!(
        merge(vec![left.clone(), left.clone()]).unwrap_err(),
        "two reports have an entry 'demo@1/basic'"
    );
    right.seed = 9;
    assert_eq!(
        merge(vec![left, right]).unwrap_err(),
        "the reports differ in the seed"
    );
    assert!(merge(vec![]).is_err());
}
