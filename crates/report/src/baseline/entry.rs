//! The entries of a baseline, and the findings and scenarios that each covers.

use super::date::Date;
use crate::causes::cause_id;
use crate::id_pattern::{matches, matches_id};
use conform_judge::finding::{BaselinedKind, Finding};
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
    /// Patterns of which is known that nothing can match them, whatever is run: there is no such file, or no such dialect.
    pub absent: Vec<String>,
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
    /// Patterns of scenario ids: `DIALECT/PATH`, or `PATH` in every dialect; `*` matches any characters.
    pub scenarios: Vec<String>,
    /// The situations of findings, in any scenario ([`Finding::situation`]): for a flaky entry.
    pub situations: Vec<String>,
    /// Whether it occurs every time. An unmatched flaky entry is not stale.
    pub kind: BaselinedKind,
    /// Why it is accepted; empty until a user has written it.
    pub reason: String,
    /// The last day on which it is accepted.
    pub expires: Option<Date>,
}

/// The findings that an entry accepts in its scenarios.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Accepted {
    /// The findings of a cause, by its id, in which `*` matches any characters.
    Cause(String),
    /// The findings of a rule, by its id: an entry of the old form.
    Rule(String),
}

impl Baseline {
    /// The first entry for the cause of a finding, else the first one for the cause that it would have by itself.
    pub(super) fn covering(&self, id: &str, finding: &Finding, today: Date) -> Option<usize> {
        let covers = |entry: &&BaselineEntry| entry.covers(id, finding) && !entry.is_expired(today);
        let by_cause = |entry: &BaselineEntry| covers(&entry) && entry.accepts_cause(finding);
        let entries = || self.entries.iter();
        entries()
            .position(by_cause)
            .or_else(|| entries().position(|entry| covers(&entry)))
    }

    /// The number of entries that have no reason yet.
    #[must_use]
    pub fn without_reason(&self) -> usize {
        let entries = self.entries.iter();
        entries.filter(|entry| entry.reason.is_empty()).count()
    }
}

impl BaselineEntry {
    /// Whether this entry covers a finding of a scenario: one of the scenarios that it lists, or a generated session.
    pub(super) fn covers(&self, scenario: &str, finding: &Finding) -> bool {
        let mut places = self
            .scenarios
            .iter()
            .map(String::as_str)
            .chain(["explore/*"]);
        let mut is_here = || places.any(|one| matches_id(one, scenario));
        self.accepts(finding) && (self.situations.contains(&finding.situation) || is_here())
    }

    /// Where it accepts its cause, for messages.
    #[must_use]
    pub fn places(&self) -> String {
        let places: Vec<&str> = (self.scenarios.iter().chain(&self.situations))
            .map(String::as_str)
            .collect();
        places.join(", ")
    }

    /// Whether this entry covers a finding in some scenario.
    pub(super) fn accepts(&self, finding: &Finding) -> bool {
        self.accepts_cause(finding) || self.accepts_echo(finding)
    }

    /// Whether this entry is about a finding that follows from another cause here. Whether it does may depend on a flaky
    /// cause.
    pub(super) fn accepts_echo(&self, finding: &Finding) -> bool {
        matches!(&self.accepted, Accepted::Cause(id) if finding.is_echo() && matches(id, &cause_id(finding)))
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

    /// The id of the accepted cause or rule.
    pub(super) fn subject(&self) -> &str {
        match &self.accepted {
            Accepted::Cause(id) | Accepted::Rule(id) => id,
        }
    }
}
