//! The finding log: the findings of a session, with a limit on similar ones.

use super::evidence::RecentFrames;
use crate::finding::{Finding, Level};
use crate::profile::Profile;
use crate::rules::monitor::Violation;
use crate::rules::rule::Rule;
use std::collections::HashMap;

/// The most findings of one rule at one place of a frame that are listed.
const MAX_SIMILAR: u64 = 10;

/// The findings so far.
#[derive(Debug, Clone, Default)]
pub(super) struct FindingLog {
    pub(super) profile: Profile,
    pub(super) findings: Vec<Finding>,
    /// Findings that were counted and not listed.
    pub(super) dropped: u64,
    similar: HashMap<(String, String), u64>,
}

impl FindingLog {
    pub(super) fn new(profile: Profile) -> Self {
        FindingLog {
            profile,
            ..FindingLog::default()
        }
    }

    /// Adds a finding: a violation of a rule at the newest frame, with the clauses and the level of the broken part.
    pub(super) fn add(
        &mut self,
        rule: &Rule,
        violation: Violation,
        clauses: &[String],
        level: Level,
        recent: &RecentFrames,
    ) {
        let place = (rule.id.clone(), violation.pointer.clone());
        let similar = self.similar.entry(place).or_default();
        *similar += 1;
        if *similar > MAX_SIMILAR {
            self.dropped += 1;
            return;
        }
        self.findings.push(Finding {
            rule: rule.id.clone(),
            level: self.profile.apply(level, rule.source),
            source: rule.source,
            blame: violation.blame,
            clauses: clauses.to_vec(),
            at: recent.newest(),
            key: violation.key,
            message: violation.message,
            expected: violation.expected,
            pointer: violation.pointer,
            difference: violation.difference,
            evidence: recent.quoted(),
            ..Finding::default()
        });
    }
}
