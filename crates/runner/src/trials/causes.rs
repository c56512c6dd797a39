//! The causes of the findings of an exploration, by identities that stay the same in a smaller session.

use super::exploration::PlayedSession;
use crate::step_rules;
use conform_judge::finding::{Blame, Finding, Level};
use conform_report::ScenarioReport;
use conform_report::causes::{attribute, cause_id};
use conform_report::verdict_rules::is_of_a_step;
use indexmap::IndexMap;
use std::collections::HashSet;

/// The identities of the causes in these sessions, in their order, each with the place of the first session that has it.
#[must_use]
pub fn causes_found(sessions: &[PlayedSession]) -> IndexMap<String, usize> {
    let mut causes: IndexMap<String, (usize, bool)> = IndexMap::new();
    for (at, played) in sessions.iter().enumerate() {
        for finding in played.run.report.findings.iter().filter(|one| counts(one)) {
            let place = (at, is_of_a_step(&finding.rule));
            causes.entry(identity(finding)).or_insert(place);
        }
    }
    // A rule reports what is wrong; a step reports what did not come.
    causes.sort_by_key(|_, place| *place);
    let first = causes.into_iter().map(|(cause, (at, _))| (cause, at));
    first.collect()
}

/// The id of the cause of a finding that does not follow from another one. Moves that are left out change the clauses of a scenario, so
/// they are not part of it where the finding cites all of them.
#[must_use]
pub fn identity(finding: &Finding) -> String {
    if !step_rules::cites_the_scenario(&finding.rule) {
        return cause_id(finding);
    }
    cause_id(&Finding {
        clauses: Vec::new(),
        ..finding.clone()
    })
}

/// Findings that cite all clauses of a generated session cite none instead: most of them are about other moves.
pub(super) fn drop_clauses_of_the_session(findings: &mut [Finding]) {
    let citing = findings.iter_mut();
    citing
        .filter(|one| step_rules::cites_the_scenario(&one.rule))
        .for_each(|one| one.clauses.clear());
    attribute(findings);
}

/// The identities of all findings in a session that are the agent's.
pub(super) fn shown_by(report: &ScenarioReport) -> HashSet<String> {
    let findings = report.findings.iter().filter(|one| is_of_the_agent(one));
    findings.map(identity).collect()
}

/// The finding with this identity in a session.
#[must_use]
pub fn found_in<'r>(cause: &str, report: &'r ScenarioReport) -> Option<&'r Finding> {
    let mut findings = report.findings.iter();
    findings.find(|one| is_of_the_agent(one) && identity(one) == cause)
}

/// Whether it is a cause: it follows from no other finding.
#[must_use]
pub fn counts(finding: &Finding) -> bool {
    is_of_the_agent(finding) && !finding.is_echo()
}

/// A warning or a violation of the agent that is not in the baseline.
fn is_of_the_agent(finding: &Finding) -> bool {
    finding.blame == Blame::Agent && finding.level > Level::May && finding.baseline.is_none()
}
