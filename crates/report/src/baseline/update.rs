//! Updates a baseline from a report (`--update-baseline`): entries that still match stay as they are, others are removed, new causes are
//! added without a reason. A cause of an earlier try that the last try did not have is added as flaky. Entries of the old form, by rule,
//! become entries by cause.

use super::date::Date;
use super::draft::Draft;
use super::entry::{Baseline, BaselineEntry, EntryKind, ScenarioPattern};
use super::extent::RunExtent;
use super::file_text::file_text;
use crate::{Report, ScenarioReport, Verdict};
use conform_judge::finding::{Finding, Level};

/// The text of the baseline that matches this report. Entries stay if the run left out their scenarios or could not judge them. Expired
/// entries that still match stay too: only a person may extend them.
#[must_use]
pub fn update(baseline: &Baseline, report: &Report, today: Date, extent: RunExtent) -> String {
    let kept = baseline.entries.iter();
    let kept = kept.filter_map(|entry| kept_part(entry, report, today, extent));
    let (old, kept): (Vec<_>, Vec<_>) =
        kept.partition(|entry| entry.is_by_rule() && entry.is_decided(report, extent));
    let mut drafts: Vec<Draft> = kept.into_iter().map(Draft::of).collect();
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
                    let mut draft = Draft::new(scenario, finding, old.kind);
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
        None => drafts.push(Draft::new(scenario, finding, kind)),
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
