//! The entries of a baseline, and the findings and scenarios that each covers.

use super::date::Date;
use crate::causes::cause_id;
use crate::id_pattern::{matches, matches_id};
use conform_judge::finding::Finding;
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::Span;
use std::path::PathBuf;

/// A file of accepted findings.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    /// The path of the file.
    pub path: PathBuf,
    /// The comment at its top, with its `#`.
    pub head: String,
    /// Its entries.
    pub entries: Vec<BaselineEntry>,
}

/// An accepted cause in some scenarios.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineEntry {
    /// Its location; line 0 for an entry that is not in a file yet.
    pub span: Span,
    /// What it accepts.
    pub accepted: Accepted,
    /// What is wrong, for people who read the file.
    pub what: String,
    /// The scenarios.
    pub scenarios: Vec<ScenarioPattern>,
    /// Known or flaky.
    pub kind: EntryKind,
    /// Why it is accepted; empty until a person has written it.
    pub reason: String,
    /// The last day on which it is accepted.
    pub expires: Option<Date>,
}

/// The findings that an entry accepts in its scenarios.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Accepted {
    /// Those of a cause, by its id, in which `*` matches any characters.
    Cause(String),
    /// Those of a rule, by its id: an entry of the old form.
    Rule(String),
}

/// A pattern of scenario ids: `DIALECT/PATH`, or `PATH` in every dialect; `*` matches any characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScenarioPattern(pub String);

/// How often an accepted finding occurs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// Every time.
    #[default]
    Known,
    /// Now and then: an unmatched entry is not stale.
    Flaky,
}

impl Baseline {
    /// The first entry for the cause of a finding, else the first one for what it is itself.
    pub(super) fn covering(&self, id: &str, finding: &Finding, today: Date) -> Option<usize> {
        let covers = |entry: &&BaselineEntry| entry.covers(id, finding) && !entry.is_expired(today);
        let by_cause = |entry: &BaselineEntry| covers(&entry) && entry.accepts_cause(finding);
        let entries = || self.entries.iter();
        entries()
            .position(by_cause)
            .or_else(|| entries().position(|entry| covers(&entry)))
    }

    /// The number of entries for which nobody has written a reason yet.
    #[must_use]
    pub fn without_reason(&self) -> usize {
        let entries = self.entries.iter();
        entries.filter(|entry| entry.reason.is_empty()).count()
    }
}

impl BaselineEntry {
    /// Whether this entry covers a finding of a scenario.
    #[must_use]
    pub fn covers(&self, scenario: &str, finding: &Finding) -> bool {
        self.accepts(finding) && self.scenarios.iter().any(|one| one.matches(scenario))
    }

    /// Whether this entry covers a finding in some scenario.
    pub(super) fn accepts(&self, finding: &Finding) -> bool {
        self.accepts_cause(finding) || self.accepts_echo(finding)
    }

    /// Whether this entry is about a finding that follows from another cause here. Whether it does may depend on a cause that comes and
    /// goes.
    pub(super) fn accepts_echo(&self, finding: &Finding) -> bool {
        matches!(&self.accepted, Accepted::Cause(id) if finding.echo && matches(id, &cause_id(finding)))
    }

    /// Whether this entry covers the cause of a finding.
    pub(super) fn accepts_cause(&self, finding: &Finding) -> bool {
        match &self.accepted {
            Accepted::Cause(id) => matches(id, &finding.cause),
            Accepted::Rule(id) => *id == finding.rule,
        }
    }

    /// Whether it has expired.
    pub(super) fn is_expired(&self, today: Date) -> bool {
        self.expires.is_some_and(|day| day < today)
    }

    /// Whether it has the old form.
    pub(super) fn is_by_rule(&self) -> bool {
        matches!(self.accepted, Accepted::Rule(_))
    }

    /// The id of what it accepts.
    pub(super) fn subject(&self) -> &str {
        match &self.accepted {
            Accepted::Cause(id) | Accepted::Rule(id) => id,
        }
    }
}

impl ScenarioPattern {
    /// Whether the pattern matches the id of a scenario.
    #[must_use]
    pub fn matches(&self, id: &str) -> bool {
        matches_id(&self.0, id)
    }

    /// The dialect that it is limited to.
    pub(super) fn dialect(&self) -> Option<&str> {
        let first = self.0.split('/').next();
        first.filter(|first| first.contains('@') && !first.contains(['*', '?']))
    }

    /// Whether it can match more than one scenario.
    pub(super) fn is_wide(&self) -> bool {
        self.0.contains(['*', '?']) || self.dialect().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_without_a_dialect_matches_in_every_dialect() {
        let matches = |pattern: &str, id| ScenarioPattern(pattern.into()).matches(id);
        assert!(matches("turn/*", "a@1/turn/plain") && matches("a@1/turn/*", "a@1/turn/plain"));
        assert!(matches("turn/*", "turn/plain") && matches("*", "session.jsonl"));
        assert!(!matches("turn/*", "a@1/stop/plain") && !matches("b@1/turn/*", "a@1/turn/plain"));
    }
}
