//! Updates a baseline from a report (`--update-baseline`): entries that still match stay as they are, others are removed, new findings are
//! added. A finding of an earlier try that the last try did not have is added as flaky.

use super::apply::RunExtent;
use super::date::Date;
use super::file::{Baseline, BaselineEntry, EntryKind};
use crate::finding::{Finding, Level};
use crate::report::Verdict;
use crate::report::{Report, ScenarioReport};
use std::fmt::Write as _;

const HEAD: &str = "\
# Accepted findings: `kind` is known (every time) or flaky (now and then), `reason` says why it is accepted,
# `expires: YYYY-MM-DD` may set the last day. Written by `conform run --baseline FILE --update-baseline`.
findings:
";

/// The text of the baseline that matches this report. Entries stay if the run left out their scenarios or could not judge them. Expired
/// entries that still match stay too: only a person may extend them.
#[must_use]
pub fn update(baseline: &Baseline, report: &Report, today: Date, extent: RunExtent) -> String {
    let mut entries: Vec<BaselineEntry> = baseline
        .entries
        .iter()
        .filter(|entry| keeps(entry, report, today, extent))
        .cloned()
        .collect();
    let counts = |f: &&Finding| f.blame == report.side && f.level > Level::May;
    for scenario in report.scenarios.iter().filter(|s| failed(s)) {
        for finding in scenario.findings.iter().filter(counts) {
            add(&mut entries, scenario, finding, EntryKind::Known);
        }
    }
    for scenario in &report.scenarios {
        let earlier = scenario.tries.iter().flat_map(|one| &one.findings);
        for finding in earlier.filter(counts) {
            add(&mut entries, scenario, finding, EntryKind::Flaky);
        }
    }
    entries.sort_by(|a, b| (&a.scenario, &a.rule).cmp(&(&b.scenario, &b.rule)));
    let mut text = HEAD.to_owned();
    if entries.is_empty() {
        return text.replace("findings:\n", "findings: []\n");
    }
    for entry in &entries {
        write_entry(&mut text, entry);
    }
    text
}

/// Adds an entry for a finding that no entry covers.
fn add(
    entries: &mut Vec<BaselineEntry>,
    scenario: &ScenarioReport,
    finding: &Finding,
    kind: EntryKind,
) {
    let (id, rule) = (&scenario.id, &finding.rule);
    if !entries.iter().any(|entry| entry.covers(id, rule)) {
        entries.push(BaselineEntry {
            span: Default::default(),
            scenario: id.clone(),
            rule: rule.clone(),
            kind,
            reason: finding.message.clone(),
            expires: None,
        });
    }
}

/// Whether the last try had findings that count.
fn failed(scenario: &ScenarioReport) -> bool {
    matches!(scenario.verdict, Verdict::Fail | Verdict::Warn)
}

fn keeps(entry: &BaselineEntry, report: &Report, today: Date, extent: RunExtent) -> bool {
    let matched = report.scenarios.iter().any(|scenario| {
        let mut findings = scenario.all_findings();
        findings.any(|finding| entry.covers(&scenario.id, &finding.rule))
    });
    let may_occur_again = entry.kind == EntryKind::Flaky && !entry.is_expired(today);
    let gone = entry.was_judged(report, extent) && !may_occur_again;
    matched || !(gone || entry.matches_no_scenario(report, extent))
}

fn write_entry(text: &mut String, entry: &BaselineEntry) {
    let quoted = |t: &str| serde_json::Value::from(t).to_string();
    let kind = match entry.kind {
        EntryKind::Known => "known",
        EntryKind::Flaky => "flaky",
    };
    let _ = write!(
        text,
        "  - scenario: {}\n    rule: {}\n    kind: {kind}\n    reason: {}\n",
        quoted(&entry.scenario),
        quoted(&entry.rule),
        quoted(&entry.reason)
    );
    if let Some(day) = entry.expires {
        let _ = writeln!(text, "    expires: {day}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::{apply, load, stale_entries};
    use crate::report::Try;

    fn finding(rule: &str) -> Finding {
        Finding {
            rule: rule.into(),
            level: Level::Must,
            at: 3,
            message: format!("{rule} is \"broken\""),
            ..Finding::default()
        }
    }

    fn report(findings: &[(&str, &[&str])]) -> Report {
        let scenarios = findings.iter().map(|(id, rules)| ScenarioReport {
            id: (*id).into(),
            verdict: if rules.is_empty() {
                Verdict::Pass
            } else {
                Verdict::Fail
            },
            findings: rules.iter().map(|rule| finding(rule)).collect(),
            ..ScenarioReport::default()
        });
        Report {
            scenarios: scenarios.collect(),
            ..Report::default()
        }
    }

    fn today() -> Date {
        "2026-11-21".parse().unwrap()
    }

    fn updated(baseline: &Baseline, report: &Report) -> String {
        update(baseline, report, today(), RunExtent::Whole)
    }

    fn applied(report: &mut Report, baseline: &Baseline) -> Vec<String> {
        apply(report, baseline, today(), RunExtent::Whole);
        report.stale.clone()
    }

    #[test]
    fn a_written_baseline_covers_all_findings_and_has_no_stale_entry() {
        let mut found = report(&[("a/1", &["r", "s"]), ("a/2", &[])]);
        let text = updated(&Baseline::default(), &found);
        let baseline = load("b.yaml".into(), &text).unwrap();
        assert_eq!(baseline.entries.len(), 2);
        assert!(applied(&mut found, &baseline).is_empty());
        assert_eq!(found.scenarios[0].verdict, Verdict::Pass);
        assert_eq!((found.summary.known, found.summary.failed), (2, 0));
        assert_eq!(
            updated(&baseline, &found),
            text,
            "updating again changes nothing"
        );
    }

    #[test]
    fn a_fixed_finding_makes_its_entry_stale_and_updating_removes_it() {
        let text = updated(&Baseline::default(), &report(&[("a/1", &["r"])]));
        let baseline = load("b.yaml".into(), &text).unwrap();
        let mut clean = report(&[("a/1", &[])]);
        assert_eq!(
            applied(&mut clean, &baseline),
            ["b.yaml:4: delete this entry (r in a/1): nothing matched it in this run"]
        );
        assert!(updated(&baseline, &clean).ends_with("findings: []\n"));
        let mut elsewhere = report(&[("b/1", &[])]);
        assert!(
            applied(&mut elsewhere, &baseline).is_empty(),
            "its scenario did not run"
        );
        assert_eq!(updated(&baseline, &elsewhere), text);
        elsewhere.dialect = vec!["a".into()];
        let stale = applied(&mut elsewhere, &baseline);
        assert!(
            stale[0].ends_with("there is no such scenario"),
            "its dialect did run"
        );
    }

    #[test]
    fn a_scenario_without_a_verdict_makes_no_entry_stale() {
        let text = updated(&Baseline::default(), &report(&[("a/1", &["r"])]));
        let baseline = load("b.yaml".into(), &text).unwrap();
        for verdict in [
            Verdict::Skipped,
            Verdict::Inconclusive,
            Verdict::Broken,
            Verdict::NotExercised,
        ] {
            let mut open = report(&[("a/1", &[])]);
            open.scenarios[0].verdict = verdict;
            assert!(applied(&mut open, &baseline).is_empty(), "{verdict:?}");
            assert_eq!(updated(&baseline, &open), text, "{verdict:?}");
        }
    }

    #[test]
    fn a_partial_run_makes_no_pattern_stale() {
        let text = "findings:\n  - { scenario: 'a/*', rule: r, kind: known, reason: x }\n";
        let baseline = load("b.yaml".into(), text).unwrap();
        let clean = report(&[("a/1", &[])]);
        assert_eq!(
            stale_entries(&clean, &baseline, today(), RunExtent::Part),
            []
        );
        assert_eq!(
            stale_entries(&clean, &baseline, today(), RunExtent::Whole).len(),
            1
        );
        let kept = update(&baseline, &clean, today(), RunExtent::Part);
        assert!(kept.contains("a/*"), "{kept}");
    }

    #[test]
    fn an_expired_entry_covers_nothing_and_stays_for_a_person_to_decide() {
        let text = "findings:\n  - { scenario: 'a/*', rule: r, kind: known, reason: x, expires: 2026-11-20 }\n";
        let baseline = load("b.yaml".into(), text).unwrap();
        let mut found = report(&[("a/1", &["r"])]);
        let stale = applied(&mut found, &baseline);
        assert!(stale[0].ends_with("it expired on 2026-11-20"), "{stale:?}");
        assert_eq!(found.scenarios[0].verdict, Verdict::Fail);
        assert!(updated(&baseline, &found).contains("expires: 2026-11-20"));
        assert!(updated(&baseline, &report(&[("a/1", &[])])).ends_with("findings: []\n"));
    }

    #[test]
    fn a_flaky_entry_need_not_match_and_makes_its_scenario_flaky() {
        let text = "findings:\n  - { scenario: a/1, rule: r, kind: flaky, reason: x }\n";
        let baseline = load("b.yaml".into(), text).unwrap();
        assert!(applied(&mut report(&[("a/1", &[])]), &baseline).is_empty());
        let mut found = report(&[("a/1", &["r"])]);
        assert!(applied(&mut found, &baseline).is_empty());
        assert_eq!((found.summary.flaky, found.summary.passed), (1, 0));
        let mut found = report(&[("a/1", &["r", "t"])]);
        assert!(applied(&mut found, &baseline).is_empty());
        assert_eq!(
            (found.summary.flaky, found.summary.failed),
            (0, 1),
            "another finding still counts"
        );
    }

    #[test]
    fn a_finding_of_an_earlier_try_alone_is_written_as_flaky() {
        let mut again = report(&[("a/1", &[]), ("a/2", &["r"])]);
        for scenario in &mut again.scenarios {
            scenario.tries = vec![Try {
                verdict: Verdict::Fail,
                findings: vec![finding("r")],
                ..Try::default()
            }];
        }
        again.scenarios[0].flaky = true;
        let written = load("b.yaml".into(), &updated(&Baseline::default(), &again)).unwrap();
        let kinds: Vec<_> = written.entries.iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, [EntryKind::Flaky, EntryKind::Known]);
    }

    #[test]
    fn an_entry_matches_a_finding_of_an_earlier_try() {
        let text = updated(&Baseline::default(), &report(&[("a/1", &["r"])]));
        let baseline = load("b.yaml".into(), &text).unwrap();
        let mut again = report(&[("a/1", &[])]);
        again.scenarios[0].flaky = true;
        again.scenarios[0].tries = vec![Try {
            verdict: Verdict::Fail,
            findings: vec![finding("r")],
            ..Try::default()
        }];
        assert!(applied(&mut again, &baseline).is_empty());
        assert_eq!((again.summary.flaky, again.summary.known), (1, 1));
        assert_eq!(updated(&baseline, &again), text);
    }
}
