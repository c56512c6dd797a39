//! Writes a baseline anew from a report: entries that still match stay as they are, others go, new findings are added.

use super::{Baseline, Entry, Kind};
use crate::report::{Report, ScenarioReport};
use std::fmt::Write as _;

const HEAD: &str = "\
# Findings that are put up with: `kind` is known (there every time) or flaky (now and then), `reason` says why,
# `expires: YYYY-MM-DD` may set the last day. Written by `conform run --baseline FILE --update-baseline`.
findings:
";

/// The text of the baseline that fits this report. Entries about scenarios that the run left out stay.
#[must_use]
pub fn update(baseline: &Baseline, report: &Report) -> String {
    let mut entries: Vec<Entry> = baseline
        .entries
        .iter()
        .filter(|entry| keeps(entry, report))
        .cloned()
        .collect();
    for scenario in &report.scenarios {
        for finding in scenario.findings.iter().filter(|f| f.blame == report.side) {
            if !entries
                .iter()
                .any(|e| e.covers(&scenario.id, &finding.rule))
            {
                entries.push(Entry {
                    span: Default::default(),
                    scenario: scenario.id.clone(),
                    rule: finding.rule.clone(),
                    kind: Kind::Known,
                    reason: finding.message.clone(),
                    expires: None,
                });
            }
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

fn keeps(entry: &Entry, report: &Report) -> bool {
    let about = |s: &&ScenarioReport| super::file::fits(&entry.scenario, &s.id);
    let mut ran = report.scenarios.iter().filter(about).peekable();
    ran.peek().is_none()
        || entry.kind == Kind::Flaky
        || ran.any(|s| s.findings.iter().any(|f| f.rule == entry.rule))
}

fn write_entry(text: &mut String, entry: &Entry) {
    let quoted = |t: &str| serde_json::Value::from(t).to_string();
    let kind = match entry.kind {
        Kind::Known => "known",
        Kind::Flaky => "flaky",
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
    use crate::baseline::{Date, apply, load};
    use crate::finding::{Blame, Finding, Level, Source};
    use crate::verdict::Verdict;

    fn finding(rule: &str) -> Finding {
        Finding {
            rule: rule.into(),
            level: Level::Must,
            source: Source::Spec,
            blame: Blame::Agent,
            clauses: vec![],
            at: 3,
            key: String::new(),
            message: format!("{rule} is \"broken\""),
            expected: vec![],
            pointer: String::new(),
            evidence: vec![],
            rerun: String::new(),
            baseline: None,
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

    #[test]
    fn what_is_written_covers_all_and_nothing_is_stale() {
        let mut found = report(&[("a/1", &["r", "s"]), ("a/2", &[])]);
        let text = update(&Baseline::default(), &found);
        let baseline = load("b.yaml".into(), &text).unwrap();
        assert_eq!(baseline.entries.len(), 2);
        assert!(apply(&mut found, &baseline, today()).is_empty());
        assert_eq!(found.scenarios[0].verdict, Verdict::Pass);
        assert_eq!((found.summary.known, found.summary.failed), (2, 0));
        assert_eq!(
            update(&baseline, &found),
            text,
            "updating again changes nothing"
        );
    }

    #[test]
    fn a_finding_that_is_gone_makes_its_entry_stale_and_updating_prunes_it() {
        let text = update(&Baseline::default(), &report(&[("a/1", &["r"])]));
        let baseline = load("b.yaml".into(), &text).unwrap();
        let mut clean = report(&[("a/1", &[])]);
        let stale = apply(&mut clean, &baseline, today());
        assert_eq!(
            stale[0].message(&baseline),
            "b.yaml:4: delete this entry (r in a/1): nothing matched it in this run"
        );
        assert!(update(&baseline, &clean).ends_with("findings: []\n"));
        let mut elsewhere = report(&[("b/1", &[])]);
        assert!(
            apply(&mut elsewhere, &baseline, today()).is_empty(),
            "its scenario did not run"
        );
        assert_eq!(update(&baseline, &elsewhere), text);
    }

    #[test]
    fn an_entry_past_its_day_covers_nothing() {
        let text = "findings:\n  - { scenario: 'a/*', rule: r, kind: known, reason: x, expires: 2026-11-20 }\n";
        let baseline = load("b.yaml".into(), text).unwrap();
        let mut found = report(&[("a/1", &["r"])]);
        let stale = apply(&mut found, &baseline, today());
        assert_eq!(stale[0].why, "it expired on 2026-11-20");
        assert_eq!(found.scenarios[0].verdict, Verdict::Fail);
    }

    #[test]
    fn a_flaky_entry_need_not_be_met() {
        let text = "findings:\n  - { scenario: a/1, rule: r, kind: flaky, reason: x }\n";
        let baseline = load("b.yaml".into(), text).unwrap();
        assert!(apply(&mut report(&[("a/1", &[])]), &baseline, today()).is_empty());
        let mut found = report(&[("a/1", &["r", "t"])]);
        assert!(apply(&mut found, &baseline, today()).is_empty());
        assert_eq!(
            found.scenarios[0].verdict,
            Verdict::Fail,
            "another finding still counts"
        );
        assert_eq!(found.summary.flaky, 1);
    }
}
