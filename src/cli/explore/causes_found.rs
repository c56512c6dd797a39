//! The causes of the findings of an exploration, coarse enough to recognise them in a smaller session.

use super::PlayedSession;
use super::finding_text::event;
use conform_judge::finding::{Blame, Finding, Level};
use conform_report::ScenarioReport;
use conform_report::verdict_rules::is_of_a_step;
use conform_runner::step_rules;
use indexmap::IndexMap;

/// A finding without its place: the rule, or the step and the clauses that it checks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct FoundCause {
    pub(super) rule: String,
    pub(super) clauses: Vec<String>,
}

/// The causes in the order of the sessions, each with the place of the first session that has it.
pub(super) struct CausesFound(pub(super) IndexMap<FoundCause, usize>);

impl CausesFound {
    /// The causes in these sessions.
    pub(super) fn of(sessions: &[PlayedSession]) -> Self {
        let mut causes = IndexMap::new();
        for (at, played) in sessions.iter().enumerate() {
            for cause in causes_of(&played.run.report) {
                causes.entry(cause).or_insert(at);
            }
        }
        // A rule says what is wrong; a step says what did not come.
        causes.sort_by_key(|cause: &FoundCause, at| (*at, is_of_a_step(&cause.rule)));
        CausesFound(causes)
    }
}

/// The causes in a session that count: warnings and violations of the agent that follow from nothing else.
pub(super) fn causes_of(report: &ScenarioReport) -> impl Iterator<Item = FoundCause> {
    report.findings.iter().filter(|one| counts(one)).map(cause)
}

pub(super) fn counts(finding: &Finding) -> bool {
    is_of_the_agent(finding) && !finding.is_echo()
}

/// What is looked for in plays: a cause, and what happened in the session that had it first.
pub(super) struct Sought<'c> {
    pub(super) cause: &'c FoundCause,
    pub(super) event: String,
}

impl<'c> Sought<'c> {
    /// A cause of a session.
    pub(super) fn of(cause: &'c FoundCause, report: &ScenarioReport) -> Self {
        let mut sought = Sought {
            cause,
            event: String::new(),
        };
        let finding = sought.found_in(report);
        sought.event = finding.map_or_else(String::new, |one| event(&one.message));
        sought
    }

    /// The finding with this cause in a session. One that follows from another has it too if the same happened.
    pub(super) fn found_in<'r>(&self, report: &'r ScenarioReport) -> Option<&'r Finding> {
        report.findings.iter().find(|one| {
            let is_same = !one.is_echo() || event(&one.message) == self.event;
            is_same && is_of_the_agent(one) && cause(one) == *self.cause
        })
    }
}

/// A warning or a violation of the agent that is not in the baseline.
pub(super) fn is_of_the_agent(finding: &Finding) -> bool {
    finding.blame == Blame::Agent && finding.level > Level::May && finding.baseline.is_none()
}

pub(super) fn cause(finding: &Finding) -> FoundCause {
    // What the script of the model expects cites all clauses of a session, which change when moves are left out.
    let mut clauses = match step_rules::cites_the_scenario(&finding.rule) {
        true => Vec::new(),
        false => finding.clauses.clone(),
    };
    clauses.sort();
    FoundCause {
        rule: finding.rule.clone(),
        clauses,
    }
}
