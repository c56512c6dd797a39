//! Updates a baseline from a report (`--update-baseline`): entries that still match stay as they are, others are removed, new causes are
//! added without a reason. A cause of an earlier try that the last try did not have is added as flaky. Entries of the old form, by rule,
//! become entries by cause.

use super::apply::{RunExtent, is_judged};
use super::date::Date;
use super::file::{Accepted, Baseline, BaselineEntry, EntryKind, ScenarioPattern};
use super::file_text::file_text;
use super::scenario_patterns::{Neighbors, extended};
use crate::finding::{DifferenceKind, Finding, Level};
use crate::report::causes::describe;
use crate::report::{Report, ScenarioReport, Verdict};

/// Longest description of a cause that is taken from a message, in characters.
const MAX_WHAT: usize = 100;

/// An entry, and the scenarios of this run that it lacks.
struct Draft<'a> {
    entry: BaselineEntry,
    added: Vec<&'a str>,
}

/// The text of the baseline that matches this report. Entries stay if the run left out their scenarios or could not judge them. Expired
/// entries that still match stay too: only a person may extend them.
#[must_use]
pub fn update(baseline: &Baseline, report: &Report, today: Date, extent: RunExtent) -> String {
    let kept = baseline.entries.iter();
    let kept = kept.filter_map(|entry| kept_part(entry, report, today, extent));
    let (old, kept): (Vec<_>, Vec<_>) =
        kept.partition(|entry| entry.is_by_rule() && entry.is_decided(report, extent));
    let stays = |entry| Draft {
        entry,
        added: Vec::new(),
    };
    let mut drafts: Vec<Draft> = kept.into_iter().map(stays).collect();
    for entry in &old {
        convert(&mut drafts, entry, report);
    }
    let counts = |f: &&Finding| f.blame == report.side && f.level > Level::May;
    for scenario in report.scenarios.iter().filter(|s| failed(s)) {
        for finding in scenario.findings.iter().filter(counts) {
            add(&mut drafts, scenario, finding, EntryKind::Known);
        }
    }
    for scenario in &report.scenarios {
        let earlier = scenario.tries.iter().flat_map(|one| &one.findings);
        for finding in earlier.filter(counts) {
            add(&mut drafts, scenario, finding, EntryKind::Flaky);
        }
    }
    let entries = drafts
        .into_iter()
        .map(|draft| draft.finished(report, extent));
    let mut entries: Vec<BaselineEntry> = entries.collect();
    entries.sort_by(|a, b| (&a.accepted, &a.scenarios).cmp(&(&b.accepted, &b.scenarios)));
    file_text(&baseline.head, &entries)
}

/// Adds what an entry by rule covers as entries by cause.
fn convert<'a>(drafts: &mut Vec<Draft<'a>>, old: &BaselineEntry, report: &'a Report) {
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
            let mut same = drafts.iter_mut().filter(|Draft { entry, .. }| {
                !entry.is_by_rule() && entry.accepts_cause(finding) && entry.expires == old.expires
            });
            match same.next() {
                Some(draft) => {
                    draft.add(&scenario.id);
                    let entry = &mut draft.entry;
                    if old.kind == EntryKind::Flaky {
                        entry.kind = EntryKind::Flaky;
                    }
                    if !entry.reason.contains(reason) {
                        entry.reason = format!("{} {reason}", entry.reason).trim().to_owned();
                    }
                }
                None => {
                    let mut draft = new_draft(scenario, finding, old.kind);
                    draft.entry.reason = reason.to_owned();
                    draft.entry.expires = old.expires;
                    drafts.push(draft);
                }
            }
        }
    }
}

/// Adds a finding that no entry covers: to the entry of its cause, or as a new one.
fn add<'a>(
    drafts: &mut Vec<Draft<'a>>,
    scenario: &'a ScenarioReport,
    finding: &Finding,
    kind: EntryKind,
) {
    if drafts
        .iter()
        .any(|draft| draft.covers(&scenario.id, finding))
    {
        return;
    }
    let mut same = drafts.iter_mut().filter(|Draft { entry, .. }| {
        !entry.is_by_rule()
            && entry.accepts_cause(finding)
            && entry.kind == kind
            && entry.expires.is_none()
    });
    match same.next() {
        Some(draft) => draft.add(&scenario.id),
        None => drafts.push(new_draft(scenario, finding, kind)),
    }
}

/// An entry for the cause of a finding, without a reason.
fn new_draft<'a>(scenario: &'a ScenarioReport, finding: &Finding, kind: EntryKind) -> Draft<'a> {
    let of_cause = |other: &&Finding| other.cause == finding.cause && !other.echo;
    let origin = scenario.all_findings().find(of_cause).unwrap_or(finding);
    Draft {
        entry: BaselineEntry {
            span: Default::default(),
            accepted: Accepted::Cause(finding.cause.clone()),
            what: what(origin),
            scenarios: Vec::new(),
            kind,
            reason: String::new(),
            expires: None,
        },
        added: vec![&scenario.id],
    }
}

/// The rule and what is wrong. Where the shape says little, the example says more.
fn what(finding: &Finding) -> String {
    let example = match finding.difference.kind {
        DifferenceKind::Condition => finding.message.clone(),
        DifferenceKind::WrongValue if finding.pointer.is_empty() => {
            let expected = finding.expected.first();
            expected.map_or(String::new(), |one| format!("expected {one}"))
        }
        _ => String::new(),
    };
    let what = match example.as_str() {
        text if text.is_empty() || names_a_path(text) => {
            describe(&finding.difference, &finding.pointer)
        }
        text => shortened(text),
    };
    match what.as_str() {
        "" => finding.rule.clone(),
        what => format!("{}: {what}", finding.rule),
    }
}

/// Whether a text names a file, which is elsewhere on the next machine. JSON Pointers are in backquotes.
fn names_a_path(text: &str) -> bool {
    let mut words = text.split([' ', '"', '\'', '(', '=']);
    words.any(|word| word.starts_with('/') && word.len() > 1)
}

fn shortened(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(MAX_WHAT) else {
        return text.to_owned();
    };
    let end = text[..end].rfind(' ').unwrap_or(end);
    format!("{} …", text[..end].trim_end())
}

impl<'a> Draft<'a> {
    fn covers(&self, scenario: &str, finding: &Finding) -> bool {
        self.entry.covers(scenario, finding)
            || (self.added.contains(&scenario) && self.entry.accepts(finding))
    }

    fn add(&mut self, scenario: &'a str) {
        let has = |one: &ScenarioPattern| one.matches(scenario);
        if !self.entry.scenarios.iter().any(has) && !self.added.contains(&scenario) {
            self.added.push(scenario);
        }
    }

    /// The entry with patterns for all of its scenarios.
    fn finished(self, report: &Report, extent: RunExtent) -> BaselineEntry {
        let Draft { mut entry, added } = self;
        if added.is_empty() {
            return entry;
        }
        let has = |s: &&ScenarioReport| s.all_findings().any(|finding| entry.accepts(finding));
        let judged = report.scenarios.iter().filter(|s| is_judged(s));
        let without = judged.filter(|scenario| !has(scenario));
        let neighbors = match (extent, entry.kind) {
            (_, EntryKind::Flaky) => Neighbors::MayHaveIt,
            (RunExtent::Whole, _) => Neighbors::Without(without.map(|s| s.id.as_str()).collect()),
            (RunExtent::Part, _) => Neighbors::Unknown,
        };
        entry.scenarios = extended(&entry.scenarios, &added, &neighbors);
        entry
    }
}

/// Whether the last try had findings that count.
fn failed(scenario: &ScenarioReport) -> bool {
    matches!(scenario.verdict, Verdict::Fail | Verdict::Warn)
}

/// The entry without the patterns that nothing matched; `None` if nothing is left of it.
fn kept_part(
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
    /// Whether this run shows all that the entry accepts: every scenario of the entry has a verdict, or was skipped while others of them
    /// have findings.
    fn is_decided(&self, report: &Report, extent: RunExtent) -> bool {
        let mut scenarios = report.scenarios.iter();
        let is_found = scenarios.any(|scenario| {
            let mut findings = scenario.all_findings();
            findings.any(|finding| self.covers(&scenario.id, finding))
        });
        let mut patterns = self.scenarios.iter();
        patterns.all(|one| match is_found {
            true => one.was_judged_or_skipped(report, extent),
            false => one.was_judged(report, extent),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::{apply, load, stale_entries};
    use crate::finding::Difference;
    use crate::report::Try;
    use crate::report::causes::cause_id;
    use DifferenceKind::{Condition, Missing, WrongValue};

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
        assert_eq!(
            (entry.what.as_str(), entry.reason.as_str()),
            ("r: r is \"broken\"", "")
        );
        let patterns: Vec<_> = entry.scenarios.iter().map(|one| one.0.as_str()).collect();
        assert_eq!(patterns, ["a@1/x/*", "a@1/y/1"]);
        assert!(applied(&mut found, &baseline).is_empty());
        assert_eq!((found.summary.known, found.summary.failed), (4, 0));
        assert_eq!(found.baseline.unwrap().without_reason, 1);
    }

    #[test]
    fn reasons_of_people_are_kept_and_a_pattern_that_nothing_matches_is_removed() {
        let text = "# Ask Jo.\ncauses:\n  - { cause: r-1, what: r, scenarios: [a@1/1, a@1/2], kind: known, reason: Jo knows }\n";
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
        assert!(text.starts_with("# Known causes, "), "{text}");
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

    #[test]
    fn an_entry_by_rule_becomes_one_by_cause_though_some_of_its_scenarios_are_skipped() {
        let text =
            "findings:\n  - { scenario: 'a@1/x/*', rule: r, kind: known, reason: Jo knows }\n";
        let baseline = load("b.yaml".into(), text).unwrap();
        let mut found = report(&[("a@1/x/1", &["r"]), ("a@1/x/2", &[]), ("a@1/x/3", &[])]);
        found.scenarios[2].verdict = Verdict::Inconclusive;
        assert!(updated(&baseline, &found).contains("rule: \"r\""));
        found.scenarios[2].verdict = Verdict::Skipped;
        let text = updated(&baseline, &found);
        assert!(
            text.contains("cause: \"r-1\"") && !text.contains("findings:"),
            "{text}"
        );
        assert!(
            text.contains("[\"a@1/x/1\"]"),
            "only where it was found: {text}"
        );
    }

    #[test]
    fn an_entry_holds_when_its_finding_follows_from_a_cause_that_comes_and_goes() {
        let step = Finding {
            cause: String::new(),
            ..finding("scenario.expect")
        };
        let own = cause_id(&step);
        let text = format!(
            "causes:\n  - {{ cause: {own}, scenarios: [a@1/1], reason: x }}\n  - {{ cause: r-1, scenarios: [a@1/1], kind: flaky, reason: y }}\n"
        );
        let baseline = load("b.yaml".into(), &text).unwrap();
        let mut alone = report(&[("a@1/1", &["r"])]);
        alone.scenarios[0].findings = vec![Finding {
            cause: own,
            ..step.clone()
        }];
        assert!(applied(&mut alone, &baseline).is_empty());
        let mut echo = report(&[("a@1/1", &["r"])]);
        echo.scenarios[0].findings.push(Finding {
            cause: "r-1".into(),
            echo: true,
            ..step.clone()
        });
        assert!(applied(&mut echo, &baseline).is_empty());
        assert_eq!((echo.summary.failed, echo.summary.known), (0, 0));
        let mut other = report(&[("a@1/1", &["s"])]);
        other.scenarios[0].findings.push(Finding {
            cause: "s-1".into(),
            echo: true,
            ..step
        });
        assert!(applied(&mut other, &baseline).is_empty());
        assert_eq!(other.summary.failed, 1, "the other cause is new");
    }

    #[test]
    fn an_entry_says_what_is_wrong_without_a_path() {
        let of = |kind, message: &str, expected: &[&str]| {
            what(&Finding {
                rule: "p/r".into(),
                difference: Difference::of(kind),
                message: message.into(),
                expected: expected.iter().map(|one| (*one).to_owned()).collect(),
                ..Finding::default()
            })
        };
        for (kind, message, expected, what) in [
            (Condition, "2 are `/open`", &[][..], "p/r: 2 are `/open`"),
            (Condition, "it names \"/tmp/x/y\"", &[], "p/r"),
            (WrongValue, "x", &["a word"], "p/r: expected a word"),
            (WrongValue, "x", &[], "p/r: the frame has the wrong value"),
            (Missing, "x", &["y"], "p/r: the frame is missing"),
        ] {
            assert_eq!(of(kind, message, expected), what);
        }
        let long = of(Condition, &"word ".repeat(60), &[]);
        assert!(
            long.chars().count() < 120 && long.ends_with("word …"),
            "{long}"
        );
    }

    #[test]
    fn an_entry_may_accept_every_cause_of_a_rule_in_its_scenarios() {
        let text = "causes:\n  - { cause: 'r-*', scenarios: ['a@1/x/*'], reason: Jo knows }\n";
        let baseline = load("b.yaml".into(), text).unwrap();
        let mut found = report(&[("a@1/x/1", &["r"]), ("a@1/x/2", &["r"])]);
        found.scenarios[1].findings[0].cause = "r-2".into();
        assert!(applied(&mut found, &baseline).is_empty());
        assert_eq!((found.summary.known, found.summary.failed), (2, 0));
        let text = updated(&baseline, &found);
        assert_eq!(
            load("b.yaml".into(), &text).unwrap().entries.len(),
            1,
            "{text}"
        );
        let mut other = report(&[("a@1/x/1", &["rs"]), ("a@1/y/1", &["r"])]);
        applied(&mut other, &baseline);
        assert_eq!((other.summary.known, other.summary.failed), (0, 2));
    }
}
