//! Merges reports: the shards of one run, or checks made one at a time. Pure.

use super::model::{Coverage, Report};

/// Merges several reports into one. Its duration is that of the longest, because shards run in parallel.
///
/// # Errors
/// A sentence: there is no report, the reports are not of the same run, or two of them have the same entry.
pub fn merge(reports: Vec<Report>) -> Result<Report, String> {
    let mut reports = reports.into_iter();
    let mut whole = reports.next().ok_or("no report to merge")?;
    for part in reports {
        add(&mut whole, part)?;
    }
    whole.summarize();
    Ok(whole)
}

fn add(whole: &mut Report, part: Report) -> Result<(), String> {
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
    whole.scenarios.extend(part.scenarios);
    whole.scenarios.sort_by(|a, b| a.id.cmp(&b.id));
    extend_new(&mut whole.stale, part.stale);
    whole.duration_ms = whole.duration_ms.max(part.duration_ms);
    whole.clauses.extend(part.clauses);
    whole.rules.extend(part.rules);
    extend_new(&mut whole.dialect, part.dialect);
    add_coverage(&mut whole.coverage, part.coverage);
    Ok(())
}

fn add_coverage(whole: &mut Coverage, part: Coverage) {
    extend_new(&mut whole.clauses_exercised, part.clauses_exercised);
    extend_new(&mut whole.clauses_not_exercised, part.clauses_not_exercised);
    whole
        .clauses_not_exercised
        .retain(|id| !whole.clauses_exercised.contains(id));
    for (clause, entries) in part.entries_by_clause {
        *whole.entries_by_clause.entry(clause).or_default() += entries;
    }
    for (rule, times) in part.rules {
        *whole.rules.entry(rule).or_default() += times;
    }
    for (rule, readings) in part.readings {
        let counts = whole.readings.entry(rule).or_default();
        for (reading, times) in readings {
            *counts.entry(reading).or_default() += times;
        }
    }
}

fn extend_new(list: &mut Vec<String>, more: Vec<String>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporter::sample;
    use crate::verdict_rules;

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
        assert_eq!(
            merge(vec![left, right])
                .unwrap()
                .coverage
                .clauses_not_exercised,
            Vec::<String>::new()
        );
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
}
