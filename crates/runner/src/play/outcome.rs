//! Sums up a scenario that is over: its findings, what it exercised, and its verdict.

use super::context::EarlyStop;
use super::model_requests::ModelRequests;
use super::player::ScenarioPlayer;
use crate::scenario::types::StepAction;
use crate::scenario_run::ScenarioRun;
use conform_judge::check::CheckOutcome;
use conform_judge::finding::{Blame, Finding, Level};
use conform_report::verdict_rules::{self, ScenarioFacts};
use conform_report::{Verdict, causes};
use std::time::Instant;

impl ScenarioPlayer {
    /// The result, after the last session is over.
    pub(super) async fn into_run(self, stop: Option<EarlyStop>, began: Instant) -> ScenarioRun {
        let ScenarioPlayer {
            suite,
            scenario,
            sandbox,
            server,
            session,
            past_sessions: mut past,
            mut run,
            findings: step_findings,
            mut requests,
            checked_clauses,
            skipped_after,
            ..
        } = self;
        server.shutdown().await;
        let mut broken = match &stop {
            Some(EarlyStop::Broken(why)) => Some(why.clone()),
            _ => None,
        };
        match session.recorder.finish(&mut run) {
            Ok(mut last) => {
                if let Some(frame) = skipped_after {
                    last.findings.retain(|one| one.at <= frame);
                }
                past.push(last);
            }
            Err(why) => broken = broken.or(Some(why)),
        }
        let by_rules = past.iter().enumerate().flat_map(|(session, one)| {
            let found = one.findings.iter();
            let found = found.filter(|finding| finding.blame == Blame::Agent);
            found.map(move |finding| (session, finding.at))
        });
        let by_steps = step_findings
            .iter()
            .map(|(session, finding)| (*session, finding.at));
        requests.resolve(by_rules.chain(by_steps));
        let mut step_findings = requests.unrefuted(step_findings);
        // A skipped scenario was not played to its end, so its steps found nothing.
        if matches!(stop, Some(EarlyStop::Skipped(_))) {
            step_findings.clear();
        }
        let found = findings(&past, step_findings, &requests).into_iter();
        (run.sessions, run.report.findings) = found.unzip();
        let report = &mut run.report;
        causes::attribute(&mut report.findings);
        let counted = report
            .findings
            .iter()
            .position(|one| one.level > Level::May);
        if let Some(session) = counted.and_then(|index| past.get(run.sessions[index])) {
            report.excerpt = session.excerpt.finish();
        }
        for session in past {
            report.frames += session.frames;
            report.findings_dropped += session.dropped;
            run.spoke |= session.events > 0;
            run.turn |= session.turn;
            run.exercised.add(session.exercised);
        }
        run.exercised.clauses = checked_clauses.into_iter().collect();
        let exercised = &run.exercised;
        let is_checked_by_rule = |clause: &String| {
            suite.dialect.rules.iter().any(|rule| {
                rule.clauses.contains(clause)
                    && exercised.rules.get(&rule.id).is_some_and(|n| *n > 0)
            })
        };
        let unchecked: Vec<String> = scenario
            .clauses
            .iter()
            .filter(|clause| !exercised.clauses.contains(clause) && !is_checked_by_rule(clause))
            .cloned()
            .collect();
        let waits_for_events = scenario.steps.iter().any(|step| {
            matches!(
                step.action,
                StepAction::Expect(_)
                    | StepAction::ExpectNext(_)
                    | StepAction::Unordered(_)
                    | StepAction::ExpectText(_)
            )
        });
        (report.verdict, report.reason) = verdict_rules::of_scenario(&ScenarioFacts {
            broken: broken.as_deref(),
            interrupted: stop == Some(EarlyStop::Interrupted),
            findings: &report.findings,
            came_up: !waits_for_events || run.spoke,
            skipped: match &stop {
                Some(EarlyStop::Skipped(why)) => Some(why),
                _ => None,
            },
            unforeseen: requests.unscripted().map(|request| request.why.as_str()),
            checked: !exercised.clauses.is_empty() || run.spoke,
            unmet: &unchecked,
        });
        if matches!(report.verdict, Verdict::Pass | Verdict::Skipped) {
            report.stderr.clear();
        }
        run.sandbox = Some(sandbox);
        run.after(began.elapsed())
    }
}

/// The findings of all sessions, each with the number of its session, in the order of their frames. Findings that blame the host are left
/// out, since the host is the scenario.
fn findings(
    past: &[CheckOutcome],
    step_findings: Vec<(usize, Finding)>,
    requests: &ModelRequests,
) -> Vec<(usize, Finding)> {
    let mut step_findings = step_findings;
    let mut all = Vec::new();
    for (session, past_session) in past.iter().enumerate() {
        let rules = past_session.findings.iter();
        let mut found: Vec<Finding> = rules
            .filter(|finding| {
                finding.blame == Blame::Agent && requests.is_before_unscripted(session, finding.at)
            })
            .cloned()
            .collect();
        found.extend(
            step_findings
                .extract_if(.., |(of, _)| *of == session)
                .map(|(_, finding)| finding),
        );
        found.sort_by_key(|finding| finding.at);
        if past.len() > 1 {
            let number = u32::try_from(session + 1).unwrap_or(u32::MAX);
            for finding in &mut found {
                finding.origin.session = number;
            }
        }
        all.extend(found.into_iter().map(|finding| (session, finding)));
    }
    all
}
