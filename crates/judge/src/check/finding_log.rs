//! The finding log: completes the findings of a session, with a limit on similar ones.

use super::checker::CheckOutcome;
use super::evidence::RecentFrames;
use crate::finding::{DifferenceKind, Facts, Finding};
use crate::frame::{Body, Frame};
use crate::profile::Profile;
use crate::rules::rule::Rule;
use indexmap::IndexSet;
use std::borrow::Cow;
use std::collections::HashMap;

/// The most findings of one rule at one place of a frame that are listed.
const MAX_SIMILAR: u64 = 10;
/// The most texts of a line, and the most bytes of one, that a finding remembers. Names and ids are short.
const MAX_TEXTS: usize = 4_096;
const MAX_TEXT: usize = 200;

/// How the findings are judged, and how many there are of each rule at each place of a frame.
#[derive(Debug, Clone, Default)]
pub(super) struct FindingLog {
    pub(super) profile: Profile,
    pub(super) similar: HashMap<(String, String), u64>,
}

impl FindingLog {
    /// Adds a finding of a rule at the newest frame, which is `frame`.
    pub(super) fn add(
        &mut self,
        outcome: &mut CheckOutcome,
        rule: &Rule,
        found: Finding,
        frame: &Frame,
        recent: &RecentFrames,
    ) {
        let place = (rule.id.clone(), found.pointer.clone());
        let similar = self.similar.entry(place).or_default();
        *similar += 1;
        if *similar > MAX_SIMILAR {
            outcome.dropped += 1;
            return;
        }
        outcome.findings.push(Finding {
            rule: rule.id.clone(),
            level: self.profile.apply(found.level, rule.source),
            source: rule.source,
            at: recent.newest(),
            evidence: recent.quoted(),
            message: message(&found, frame),
            facts: Facts {
                texts: texts(&found, frame),
                explains: rule.explains.clone(),
                ..found.facts
            },
            ..found
        });
    }
}

/// The message, with the numbers of the frame as they are written.
fn message(found: &Finding, frame: &Frame) -> String {
    match &frame.body {
        Body::FromAgent(line) | Body::ToAgent(line) => {
            json_matcher::numbers_as_written(&found.message, &line.text())
        }
        _ => found.message.clone(),
    }
}

/// The texts in quotes of the line that a finding is about, whether it is JSON or not.
fn texts(found: &Finding, frame: &Frame) -> Vec<String> {
    use DifferenceKind::{Condition, Malformed};
    let (Body::FromAgent(line) | Body::ToAgent(line)) = &frame.body else {
        return Vec::new();
    };
    if !matches!(found.difference.kind, Condition | Malformed) {
        return Vec::new();
    }
    let quoted = line
        .bytes
        .split(|byte| *byte == b'"')
        .skip(1)
        .take(MAX_TEXTS);
    let short = quoted.filter(|text| text.len() <= MAX_TEXT);
    let texts: IndexSet<_> = short.map(String::from_utf8_lossy).collect();
    texts.into_iter().map(Cow::into_owned).collect()
}
