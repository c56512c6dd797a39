//! Sums up a scenario that is over: its findings, what it exercised, and its verdict.

use super::context::EarlyStop;
use super::model_requests::ModelRequests;
use super::player::ScenarioPlayer;
use super::scenario_result::ScenarioResult;
use crate::scenario::types::StepAction;
use crate::session_recorder::RecordedSession;
use conform_judge::finding::{Blame, Finding, Level};
use conform_report::verdict_rules::{self, ScenarioFacts};
use conform_report::{Exercised, causes};
use std::time::Instant;

impl ScenarioPlayer {
    /// Turns the player into its result, after the last session is over.
    pub(super) async fn into_result(
        self,
        stop: Option<EarlyStop>,
        began: Instant,
    ) -> ScenarioResult {
        let ScenarioPlayer {
            suite,
            scenario,
            sandbox,
            server,
            session,
            past_sessions: mut past,
            mut agent_lifetime,
            mut agent_cpu,
            findings: step_findings,
            mut requests,
            checked_clauses,
            first_line,
            skipped_after,
            ..
        } = self;
        server.shutdown().await;
        let starts = u32::try_from(past.len() + 1).unwrap_or(u32::MAX);
        agent_lifetime += session.process.lifetime();
        agent_cpu += session.cpu();
        let mut broken = match &stop {
            Some(EarlyStop::Broken(why)) => Some(why.clone()),
            _ => None,
        };
        match session.recorder.finish() {
            Ok(mut last) => {
                if let Some(frame) = skipped_after {
                    last.outcome.findings.retain(|one| one.at <= frame);
                }
                past.push(last);
            }
            Err(why) => broken = broken.or(Some(why)),
        }
        let by_rules = past.iter().enumerate().flat_map(|(session, one)| {
            let found = one.outcome.findings.iter();
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
        let (sessions, mut findings): (Vec<usize>, Vec<Finding>) =
            findings(&past, step_findings, &requests)
                .into_iter()
                .unzip();
        causes::attribute(&mut findings);
        let mut exercised = Exercised::default();
        for RecordedSession { outcome, .. } in &past {
            for (rule, times) in &outcome.exercised {
                *exercised.rules.entry(rule.clone()).or_default() += times;
            }
            for (probe, readings) in &outcome.readings {
                let all = exercised.readings.entry(probe.clone()).or_default();
                for (reading, times) in readings {
                    *all.entry(reading.clone()).or_default() += times;
                }
            }
        }
        exercised.clauses = checked_clauses.into_iter().collect();
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
        let sum = |count: fn(&RecordedSession) -> u64| past.iter().map(count).sum::<u64>();
        let spoke = sum(|past| past.outcome.events) > 0;
        let (verdict, reason) = verdict_rules::of_scenario(&ScenarioFacts {
            broken: broken.as_deref(),
            interrupted: stop == Some(EarlyStop::Interrupted),
            findings: &findings,
            came_up: !waits_for_events || spoke,
            skipped: match &stop {
                Some(EarlyStop::Skipped(why)) => Some(why),
                _ => None,
            },
            unforeseen: requests.unscripted().map(|request| request.why.as_str()),
            checked: !exercised.clauses.is_empty() || spoke,
            unmet: &unchecked,
        });
        let counted = findings.iter().position(|one| one.level > Level::May);
        let excerpt = counted.and_then(|index| past.get(sessions[index]));
        ScenarioResult {
            verdict,
            reason,
            excerpt: excerpt.map_or_else(Vec::new, |session| session.excerpt.finish()),
            findings,
            sessions,
            findings_dropped: sum(|past| past.outcome.dropped),
            frames: sum(|past| past.outcome.frames),
            exercised,
            spoke,
            turn: past.iter().any(|past| past.outcome.turn),
            stderr: past
                .last_mut()
                .map(|past| std::mem::take(&mut past.stderr))
                .unwrap_or_default(),
            transcripts: past.into_iter().map(|past| past.transcript).collect(),
            wall: began.elapsed(),
            lifetime: agent_lifetime,
            starts,
            first_line,
            agent_cpu,
            sandbox: Some(sandbox),
        }
    }
}

/// The findings of all sessions, each with the number of its session, in the order of their frames. Findings that blame the host are left
/// out, since the host is the scenario.
fn findings(
    past: &[RecordedSession],
    step_findings: Vec<(usize, Finding)>,
    requests: &ModelRequests,
) -> Vec<(usize, Finding)> {
    let mut step_findings = step_findings;
    let mut all = Vec::new();
    for (session, past_session) in past.iter().enumerate() {
        let rules = past_session.outcome.findings.iter();
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
