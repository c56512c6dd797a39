//! Updates a baseline from a report (`--update-baseline`): entries that still match stay as they are, others are removed, new causes are
//! added without a reason. A cause of an earlier try that the last try did not have is added as flaky. Entries of the old form, by rule,
//! become entries by cause.

use super::apply::RunExtent;
use super::date::Date;
use super::file::{Baseline, BaselineEntry, EntryKind, ScenarioPattern};
use super::scenario_patterns::extended;
use crate::finding::{Finding, Level};
use crate::report::causes::describe;
use crate::report::{Report, ScenarioReport, Verdict};
use std::fmt::Write as _;

const HEAD: &str = "\
# Known causes, written by `conform run --baseline FILE --update-baseline`. Write into each `reason` why it is accepted.
# `kind` is known (every time) or flaky (now and then); `expires: YYYY-MM-DD` may set the last day.
";

/// The first line of baselines of the old form.
const OLD_HEAD: &str = "# Accepted findings: ";

/// The text of the baseline that matches this report. Entries stay if the run left out their scenarios or could not judge them. Expired
/// entries that still match stay too: only a person may extend them.
#[must_use]
pub fn update(baseline: &Baseline, report: &Report, today: Date, extent: RunExtent) -> String {
    let known = baseline.entries.iter();
    let mut entries = Vec::new();
    for entry in known.filter_map(|entry| kept(entry, report, today, extent)) {
        match &entry.cause {
            None if entry.is_judged(report, extent) => convert(&mut entries, &entry, report),
            _ => entries.push(entry),
        }
    }
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
    entries.sort_by(|a, b| {
        let key = |entry: &BaselineEntry| {
            (
                entry.rule.clone(),
                entry.cause.clone(),
                entry.scenarios.clone(),
            )
        };
        key(a).cmp(&key(b))
    });
    text(&baseline.head, &entries)
}

/// Adds what an entry by rule covers as entries by cause.
fn convert(entries: &mut Vec<BaselineEntry>, old: &BaselineEntry, report: &Report) {
    for scenario in &report.scenarios {
        let covered = scenario.all_findings();
        for finding in covered.filter(|finding| old.covers(&scenario.id, finding)) {
            let is_written_by_a_person = !scenario
                .all_findings()
                .any(|finding| old.accepts(finding) && finding.message == old.reason);
            let reason = if is_written_by_a_person {
                old.reason.as_str()
            } else {
                ""
            };
            let mut same = entries.iter_mut().filter(|entry| {
                entry.cause.as_ref() == Some(&finding.cause) && entry.expires == old.expires
            });
            match same.next() {
                Some(entry) => {
                    entry.scenarios = extended(&entry.scenarios, &[&scenario.id]);
                    if old.kind == EntryKind::Flaky {
                        entry.kind = EntryKind::Flaky;
                    }
                    if !entry.reason.contains(reason) {
                        entry.reason = format!("{} {reason}", entry.reason).trim().to_owned();
                    }
                }
                None => entries.push(BaselineEntry {
                    reason: reason.to_owned(),
                    expires: old.expires,
                    ..new_entry(scenario, finding, old.kind)
                }),
            }
        }
    }
}

/// Adds a finding that no entry covers: to the entry of its cause, or as a new one.
fn add(
    entries: &mut Vec<BaselineEntry>,
    scenario: &ScenarioReport,
    finding: &Finding,
    kind: EntryKind,
) {
    if entries
        .iter()
        .any(|entry| entry.covers(&scenario.id, finding))
    {
        return;
    }
    let mut same = entries.iter_mut().filter(|entry| {
        entry.cause.as_ref() == Some(&finding.cause)
            && entry.kind == kind
            && entry.expires.is_none()
    });
    match same.next() {
        Some(entry) => entry.scenarios = extended(&entry.scenarios, &[&scenario.id]),
        None => entries.push(new_entry(scenario, finding, kind)),
    }
}

/// An entry for the cause of a finding, without a reason.
fn new_entry(scenario: &ScenarioReport, finding: &Finding, kind: EntryKind) -> BaselineEntry {
    let of_cause = |other: &&Finding| other.cause == finding.cause && !other.echo;
    let origin = scenario.all_findings().find(of_cause).unwrap_or(finding);
    BaselineEntry {
        span: Default::default(),
        cause: Some(finding.cause.clone()),
        rule: origin.rule.clone(),
        what: describe(&origin.difference, &origin.pointer),
        scenarios: vec![ScenarioPattern(scenario.id.clone())],
        kind,
        reason: String::new(),
        expires: None,
    }
}

/// Whether the last try had findings that count.
fn failed(scenario: &ScenarioReport) -> bool {
    matches!(scenario.verdict, Verdict::Fail | Verdict::Warn)
}

/// The entry without the patterns that nothing matched; `None` if nothing is left of it.
fn kept(
    entry: &BaselineEntry,
    report: &Report,
    today: Date,
    extent: RunExtent,
) -> Option<BaselineEntry> {
    let stays = |pattern: &&ScenarioPattern| {
        let matched = report.scenarios.iter().any(|scenario| {
            let mut findings = scenario.all_findings();
            pattern.matches(&scenario.id) && findings.any(|finding| entry.accepts(finding))
        });
        let may_occur_again = entry.kind == EntryKind::Flaky && !entry.is_expired(today);
        let gone = pattern.was_judged(report, extent) && !may_occur_again;
        matched || !(gone || pattern.matches_no_scenario(report, extent))
    };
    let scenarios: Vec<_> = entry.scenarios.iter().filter(stays).cloned().collect();
    (!scenarios.is_empty()).then(|| BaselineEntry {
        scenarios,
        ..entry.clone()
    })
}

impl BaselineEntry {
    /// Whether every scenario of the entry has a verdict.
    fn is_judged(&self, report: &Report, extent: RunExtent) -> bool {
        let mut patterns = self.scenarios.iter();
        patterns.all(|pattern| pattern.was_judged(report, extent))
    }
}

fn text(head: &str, entries: &[BaselineEntry]) -> String {
    let is_own = head.is_empty() || head.starts_with(OLD_HEAD);
    let mut text = if is_own { HEAD } else { head }.to_owned();
    let (by_cause, by_rule): (Vec<_>, Vec<_>) = entries.iter().partition(|one| one.cause.is_some());
    text += if by_cause.is_empty() {
        "causes: []\n"
    } else {
        "causes:\n"
    };
    by_cause
        .iter()
        .for_each(|entry| write_cause(&mut text, entry));
    if !by_rule.is_empty() {
        text += "findings:\n";
        by_rule
            .iter()
            .for_each(|entry| write_rule(&mut text, entry));
    }
    text
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn write_cause(text: &mut String, entry: &BaselineEntry) {
    let cause = entry.cause.as_deref().unwrap_or_default();
    let _ = write!(
        text,
        "  - cause: {}\n    rule: {}\n",
        quoted(cause),
        quoted(&entry.rule)
    );
    if !entry.what.is_empty() {
        let _ = writeln!(text, "    what: {}", quoted(&entry.what));
    }
    let scenarios: Vec<_> = entry.scenarios.iter().map(|one| quoted(&one.0)).collect();
    let _ = writeln!(text, "    scenarios: [{}]", scenarios.join(", "));
    write_rest(text, entry);
}

fn write_rule(text: &mut String, entry: &BaselineEntry) {
    let scenario = entry.scenarios.first().map_or("", |one| one.0.as_str());
    let _ = write!(
        text,
        "  - scenario: {}\n    rule: {}\n",
        quoted(scenario),
        quoted(&entry.rule)
    );
    write_rest(text, entry);
}

fn write_rest(text: &mut String, entry: &BaselineEntry) {
    let kind = match entry.kind {
        EntryKind::Known => "known",
        EntryKind::Flaky => "flaky",
    };
    let _ = write!(
        text,
        "    kind: {kind}\n    reason: {}\n",
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
            cause: format!("{rule}-1"),
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
        let mut found = report(&[("a@1/1", &["r", "s"]), ("a@1/2", &[])]);
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
        let text = updated(&Baseline::default(), &report(&[("a@1/1", &["r"])]));
        let baseline = load("b.yaml".into(), &text).unwrap();
        let mut clean = report(&[("a@1/1", &[])]);
        assert_eq!(
            applied(&mut clean, &baseline),
            ["b.yaml:4: delete this entry (r-1 in a@1/1): nothing matched it in this run"]
        );
        assert!(updated(&baseline, &clean).ends_with("causes: []\n"));
        let mut elsewhere = report(&[("b@1/1", &[])]);
        assert!(
            applied(&mut elsewhere, &baseline).is_empty(),
            "its scenario did not run"
        );
        assert_eq!(updated(&baseline, &elsewhere), text);
        elsewhere.dialect = vec!["a@1".into()];
        let stale = applied(&mut elsewhere, &baseline);
        assert!(
            stale[0].ends_with("there is no such scenario"),
            "its dialect did run"
        );
    }

    #[test]
    fn a_scenario_without_a_verdict_makes_no_entry_stale() {
        let text = updated(&Baseline::default(), &report(&[("a@1/1", &["r"])]));
        let baseline = load("b.yaml".into(), &text).unwrap();
        for verdict in [
            Verdict::Skipped,
            Verdict::Inconclusive,
            Verdict::Broken,
            Verdict::NotExercised,
        ] {
            let mut open = report(&[("a@1/1", &[])]);
            open.scenarios[0].verdict = verdict;
            assert!(applied(&mut open, &baseline).is_empty(), "{verdict:?}");
            assert_eq!(updated(&baseline, &open), text, "{verdict:?}");
        }
    }

    #[test]
    fn a_partial_run_makes_no_pattern_stale() {
        let text = "findings:\n  - { scenario: 'a@1/*', rule: r, kind: known, reason: x }\n";
        let baseline = load("b.yaml".into(), text).unwrap();
        let clean = report(&[("a@1/1", &[])]);
        assert_eq!(
            stale_entries(&clean, &baseline, today(), RunExtent::Part),
            []
        );
        assert_eq!(
            stale_entries(&clean, &baseline, today(), RunExtent::Whole).len(),
            1
        );
        let kept = update(&baseline, &clean, today(), RunExtent::Part);
        assert!(kept.contains("a@1/*"), "{kept}");
    }

    #[test]
    fn an_expired_entry_covers_nothing_and_stays_for_a_person_to_decide() {
        let text = "findings:\n  - { scenario: 'a@1/*', rule: r, kind: known, reason: x, expires: 2026-11-20 }\n";
        let baseline = load("b.yaml".into(), text).unwrap();
        let mut found = report(&[("a@1/1", &["r"])]);
        let stale = applied(&mut found, &baseline);
        assert!(stale[0].ends_with("it expired on 2026-11-20"), "{stale:?}");
        assert_eq!(found.scenarios[0].verdict, Verdict::Fail);
        assert!(updated(&baseline, &found).contains("expires: 2026-11-20"));
        assert!(updated(&baseline, &report(&[("a@1/1", &[])])).ends_with("causes: []\n"));
    }

    #[test]
    fn a_flaky_entry_need_not_match_and_makes_its_scenario_flaky() {
        let text = "findings:\n  - { scenario: a@1/1, rule: r, kind: flaky, reason: x }\n";
        let baseline = load("b.yaml".into(), text).unwrap();
        assert!(applied(&mut report(&[("a@1/1", &[])]), &baseline).is_empty());
        let mut found = report(&[("a@1/1", &["r"])]);
        assert!(applied(&mut found, &baseline).is_empty());
        assert_eq!((found.summary.flaky, found.summary.passed), (1, 0));
        let mut found = report(&[("a@1/1", &["r", "t"])]);
        assert!(applied(&mut found, &baseline).is_empty());
        assert_eq!(
            (found.summary.flaky, found.summary.failed),
            (0, 1),
            "another finding still counts"
        );
    }

    #[test]
    fn a_finding_of_an_earlier_try_alone_is_written_as_flaky() {
        let mut again = report(&[("a@1/1", &[]), ("a@1/2", &["r"])]);
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
        let text = updated(&Baseline::default(), &report(&[("a@1/1", &["r"])]));
        let baseline = load("b.yaml".into(), &text).unwrap();
        let mut again = report(&[("a@1/1", &[])]);
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

    #[test]
    fn one_entry_covers_a_cause_in_many_scenarios_and_its_echoes() {
        let mut found = report(&[
            ("a@1/x/1", &["r"]),
            ("a@1/x/2", &["r"]),
            ("a@1/y/1", &["r"]),
        ]);
        let echo = Finding {
            cause: "r-1".into(),
            echo: true,
            ..finding("scenario.expect")
        };
        found.scenarios[0].findings.insert(0, echo);
        let text = updated(&Baseline::default(), &found);
        let baseline = load("b.yaml".into(), &text).unwrap();
        assert_eq!(baseline.entries.len(), 1, "{text}");
        let entry = &baseline.entries[0];
        assert_eq!((entry.rule.as_str(), entry.reason.as_str()), ("r", ""));
        let patterns: Vec<_> = entry.scenarios.iter().map(|one| one.0.as_str()).collect();
        assert_eq!(patterns, ["a@1/x/*", "a@1/y/1"]);
        assert!(applied(&mut found, &baseline).is_empty());
        assert_eq!((found.summary.known, found.summary.failed), (4, 0));
        assert_eq!(found.baseline.unwrap().without_reason, 1);
    }

    #[test]
    fn reasons_of_people_are_kept_and_a_pattern_that_nothing_matches_is_removed() {
        let text = "# Ask Jo.\ncauses:\n  - { cause: r-1, rule: r, scenarios: [a@1/1, a@1/2], kind: known, reason: Jo knows }\n";
        let baseline = load("b.yaml".into(), text).unwrap();
        let mut found = report(&[("a@1/1", &["r"]), ("a@1/2", &[]), ("a@1/z/3", &["r"])]);
        assert_eq!(
            applied(&mut found.clone(), &baseline),
            [
                "b.yaml:3: delete this pattern of the entry (r-1 in a@1/2): nothing matched it in this run"
            ]
        );
        let text = updated(&baseline, &found);
        assert!(text.starts_with("# Ask Jo.\ncauses:\n"), "{text}");
        assert!(
            text.contains(r#"scenarios: ["a@1/1", "a@1/z/3"]"#),
            "{text}"
        );
        assert!(text.contains("Jo knows"), "{text}");
        assert!(applied(&mut found, &load("b.yaml".into(), &text).unwrap()).is_empty());
    }

    #[test]
    fn entries_by_rule_become_entries_by_cause() {
        let text = "# Accepted findings: x\nfindings:\n  - { scenario: 'a@1/*', rule: r, kind: known, reason: Jo knows }\n  - { scenario: a@1/2, rule: s, kind: flaky, reason: 's is \"broken\"' }\n  - { scenario: b@1/1, rule: r, kind: known, reason: elsewhere }\n";
        let baseline = load("b.yaml".into(), text).unwrap();
        let mut found = report(&[("a@1/1", &["r"]), ("a@1/2", &["r", "s"])]);
        assert!(
            applied(&mut found.clone(), &baseline).is_empty(),
            "old baselines hold as they are"
        );
        let text = updated(&baseline, &found);
        assert!(text.starts_with(HEAD), "{text}");
        let written = load("b.yaml".into(), &text).unwrap();
        let read: Vec<_> = written
            .entries
            .iter()
            .map(|entry| (entry.subject(), entry.kind, entry.reason.as_str()))
            .collect();
        assert_eq!(
            read,
            [
                ("r-1", EntryKind::Known, "Jo knows"),
                ("s-1", EntryKind::Flaky, ""),
                ("r", EntryKind::Known, "elsewhere"),
            ],
            "a message of the program is no reason, and what was not run stays: {text}"
        );
        assert!(applied(&mut found, &written).is_empty());
        assert_eq!(updated(&written, &found), text);
    }
}
