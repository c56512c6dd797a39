//! Updates a baseline from a report (`--update-baseline`): entries that still match stay as they are, others are removed, new causes are
//! added without a reason. A cause of an earlier try that the last try did not have is added as flaky.

use super::date::Date;
use super::entry::{Accepted, Baseline, BaselineEntry};
use super::file::file_text;
use super::patterns::extended;
use super::run_extent::{RunExtent, why_stale};
use crate::Verdict::{Fail, Inconclusive, Warn};
use crate::causes::describe;
use crate::id_pattern::matches_id;
use crate::verdict_rules;
use crate::{Report, ScenarioReport};
use conform_judge::finding::{BaselinedKind, DifferenceKind, Finding};
use indexmap::IndexSet;

/// Longest description of a cause that is taken from a message, in characters.
const MAX_WHAT: usize = 100;

/// An entry, and the scenarios of this run that it lacks.
struct Draft<'a> {
    entry: BaselineEntry,
    added: IndexSet<&'a str>,
}

/// The text of the baseline that matches this report. Entries stay if the run left out their scenarios or could not judge them. Expired
/// entries that still match stay too: only a person may extend them.
#[must_use]
pub fn update(baseline: &Baseline, report: &Report, today: Date, extent: RunExtent) -> String {
    let kept = baseline
        .entries
        .iter()
        .map(|entry| existing_part(entry, &baseline.absent))
        .filter_map(|entry| kept_part(entry, report, today, extent));
    let draft = |entry| Draft {
        entry,
        added: IndexSet::new(),
    };
    let mut drafts: Vec<Draft<'_>> = kept.map(draft).collect();
    let counts = |f: &&Finding| f.blame == report.side && verdict_rules::counts(f);
    for scenario in &report.scenarios {
        if matches!(scenario.verdict, Fail | Warn | Inconclusive) {
            for finding in scenario.findings.iter().filter(counts) {
                add(&mut drafts, scenario, finding, BaselinedKind::Known);
            }
        }
    }
    for scenario in &report.scenarios {
        let earlier = scenario.tries.iter().flat_map(|one| &one.findings);
        for finding in earlier.filter(counts) {
            add(&mut drafts, scenario, finding, BaselinedKind::Flaky);
        }
    }
    let drafts = drafts.into_iter();
    let mut entries: Vec<_> = drafts.map(|one| one.finished(report, extent)).collect();
    entries.sort_by(|a, b| (&a.accepted, &a.scenarios).cmp(&(&b.accepted, &b.scenarios)));
    file_text(&baseline.head, &entries)
}

/// The entry without the patterns that nothing can match.
fn existing_part(entry: &BaselineEntry, absent: &[String]) -> BaselineEntry {
    let mut existing = entry.clone();
    existing
        .scenarios
        .retain(|pattern| !absent.contains(pattern));
    existing
}

/// The entry without the patterns that nothing matched; `None` if no pattern is left.
fn kept_part(
    entry: BaselineEntry,
    report: &Report,
    today: Date,
    extent: RunExtent,
) -> Option<BaselineEntry> {
    let mut kept = entry.clone();
    kept.scenarios.retain(|pattern| {
        let matched = report.scenarios.iter().any(|scenario| {
            let mut findings = scenario.all_findings();
            matches_id(pattern, &scenario.id) && findings.any(|finding| entry.accepts(finding))
        });
        let may_occur_again = entry.kind == BaselinedKind::Flaky && !entry.is_expired(today);
        matched || why_stale(pattern, may_occur_again, report, extent).is_none()
    });
    (!kept.scenarios.is_empty() || !kept.situations.is_empty()).then_some(kept)
}

/// Adds a finding that no entry covers: to the entry of its cause, or as a new one.
fn add<'a>(
    drafts: &mut Vec<Draft<'a>>,
    scenario: &'a ScenarioReport,
    finding: &Finding,
    kind: BaselinedKind,
) {
    let id = scenario.id.as_str();
    let covers = |Draft { entry, added }: &Draft<'_>| {
        entry.covers(id, finding) || (added.contains(id) && entry.accepts(finding))
    };
    if drafts.iter().any(covers) {
        return;
    }
    let is_same = |Draft { entry, .. }: &Draft<'_>| {
        matches!(entry.accepted, Accepted::Cause(_))
            && entry.accepts_cause(finding)
            && entry.kind == kind
            && entry.expires.is_none()
    };
    let is_in_situation = kind == BaselinedKind::Flaky && !finding.situation.is_empty();
    let situations = is_in_situation.then(|| finding.situation.clone());
    if let Some(same) = drafts.iter().position(is_same) {
        match situations {
            Some(situation) => drafts[same].entry.situations.push(situation),
            None => drop(drafts[same].added.insert(id)),
        }
        return;
    }
    let of_cause = |other: &&Finding| other.cause == finding.cause && !other.is_echo();
    let origin = scenario.all_findings().find(of_cause).unwrap_or(finding);
    let entry = BaselineEntry {
        span: Default::default(),
        accepted: Accepted::Cause(finding.cause.clone()),
        what: what(origin),
        scenarios: Vec::new(),
        situations: situations.clone().into_iter().collect(),
        kind,
        reason: String::new(),
        expires: None,
    };
    let added = match situations {
        Some(_) => IndexSet::new(),
        None => IndexSet::from([id]),
    };
    drafts.push(Draft { entry, added });
}

impl Draft<'_> {
    /// The entry with patterns for all of its scenarios.
    fn finished(self, report: &Report, extent: RunExtent) -> BaselineEntry {
        let Draft { mut entry, added } = self;
        if added.is_empty() {
            return entry;
        }
        let has = |s: &&ScenarioReport| s.all_findings().any(|finding| entry.accepts(finding));
        let judged = report.scenarios.iter().filter(|s| s.is_judged());
        let without = judged
            .filter(|scenario| !has(scenario))
            .map(|scenario| scenario.id.as_str());
        let without = match (extent, entry.kind) {
            // It comes and goes, so that any scenario may have it in the next run.
            (_, BaselinedKind::Flaky) => Some(Vec::new()),
            (RunExtent::Whole, _) => Some(without.collect()),
            (RunExtent::Part, _) => None,
        };
        entry.scenarios = extended(&entry.scenarios, added, without.as_deref());
        entry
    }
}

/// The rule and what is wrong. Where the shape is not specific enough, the example is added.
fn what(finding: &Finding) -> String {
    let example = match finding.difference.kind {
        DifferenceKind::Condition => Some(finding.message.clone()),
        DifferenceKind::WrongValue if finding.pointer.is_empty() => {
            let expected = finding.expected.first();
            expected.map(|one| format!("expected {one}"))
        }
        _ => None,
    };
    let example = example.filter(|text| !text.is_empty() && !names_a_path(text));
    let shape = || describe(&finding.difference, &finding.pointer);
    let what = example.map_or_else(shape, |text| shortened(&text));
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

#[cfg(test)]
mod tests {
    use super::*;
    use DifferenceKind::{Condition, Missing, WrongValue};
    use conform_judge::finding::Difference;

    #[test]
    fn an_entry_says_what_is_wrong_without_a_path() {
        let long = "word ".repeat(60);
        let cut = format!("p/r: {}word …", "word ".repeat(19));
        for (kind, message, expected, text) in [
            (Condition, "2 are `/open`", "", "p/r: 2 are `/open`"),
            (Condition, "it names \"/tmp/x/y\"", "", "p/r"),
            (Condition, &long, "", &cut),
            (WrongValue, "x", "a word", "p/r: expected a word"),
            (WrongValue, "x", "", "p/r: the frame has the wrong value"),
            (Missing, "x", "y", "p/r: the frame is missing"),
        ] {
            let expected = Some(expected.to_owned().into()).filter(|_| !expected.is_empty());
            let finding = Finding {
                rule: "p/r".into(),
                difference: Difference::of_kind(kind),
                message: message.into(),
                expected: expected.into_iter().collect(),
                ..Finding::default()
            };
            assert_eq!(what(&finding), text);
        }
    }
}
