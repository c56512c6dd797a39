//! An entry while it is written: the scenarios that it lacks, and the description of its cause.

use super::entry::{Accepted, BaselineEntry, EntryKind, ScenarioPattern};
use super::extent::{RunExtent, is_judged};
use super::scenario_patterns::{Neighbors, extended};
use crate::causes::describe;
use crate::{Report, ScenarioReport};
use conform_judge::finding::{DifferenceKind, Finding};

/// Longest description of a cause that is taken from a message, in characters.
const MAX_WHAT: usize = 100;

/// An entry, and the scenarios of this run that it lacks.
pub(super) struct Draft<'a> {
    pub(super) entry: BaselineEntry,
    added: Vec<&'a str>,
}

impl<'a> Draft<'a> {
    /// An entry that is there already.
    pub(super) fn of(entry: BaselineEntry) -> Self {
        Draft {
            entry,
            added: Vec::new(),
        }
    }

    /// An entry for the cause of a finding, without a reason.
    pub(super) fn new(scenario: &'a ScenarioReport, finding: &Finding, kind: EntryKind) -> Self {
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

    pub(super) fn covers(&self, scenario: &str, finding: &Finding) -> bool {
        self.entry.covers(scenario, finding)
            || (self.added.contains(&scenario) && self.entry.accepts(finding))
    }

    pub(super) fn add(&mut self, scenario: &'a str) {
        let has = |one: &ScenarioPattern| one.matches(scenario);
        if !self.entry.scenarios.iter().any(has) && !self.added.contains(&scenario) {
            self.added.push(scenario);
        }
    }

    /// The entry with patterns for all of its scenarios.
    pub(super) fn finished(self, report: &Report, extent: RunExtent) -> BaselineEntry {
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

#[cfg(test)]
mod tests {
    use super::*;
    use DifferenceKind::{Condition, Missing, WrongValue};
    use conform_judge::finding::Difference;

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
}
