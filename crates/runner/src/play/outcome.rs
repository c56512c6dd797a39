//! Sums up a scenario that is over: its findings, what it exercised, and its verdict.

use super::context::EarlyStop;
use super::player::ScenarioPlayer;
use super::step_finding::session_number;
use crate::scenario::types::StepAction;
use crate::trials::ScenarioRun;
use conform_judge::finding::Blame;
use conform_report::Verdict;
use conform_report::verdict_rules::{self, ScenarioFacts};
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
            has_checked,
            skipped_after,
            ..
        } = self;
        server.shutdown().await;
        let mut stop = stop;
        match session.recorder.finish(&mut run) {
            Ok(mut last) => {
                if let Some(frame) = skipped_after {
                    last.findings.retain(|one| one.at <= frame);
                }
                past.push(last);
            }
            Err(_) if matches!(stop, Some(EarlyStop::Broken(_))) => {}
            Err(unwritten) => stop = Some(unwritten),
        }
        for (n, session) in past.iter_mut().enumerate() {
            // The host is the scenario, so findings that blame it are left out.
            session.findings.retain(|one| one.blame == Blame::Agent);
            for finding in &mut session.findings {
                finding.origin.session = session_number(n);
            }
        }
        let by_rules = past.iter().flat_map(|session| &session.findings);
        requests.resolve(by_rules.chain(&step_findings));
        let mut step_findings = requests.unrefuted(step_findings);
        // A skipped scenario was not played to its end, so its steps found nothing.
        if matches!(stop, Some(EarlyStop::Skipped(_))) {
            step_findings.clear();
        }
        let is_only_one = past.len() == 1;
        for (n, mut session) in past.into_iter().enumerate() {
            let found = &mut session.findings;
            let unscripted = requests.unscripted().filter(|_| !scenario.rules_only);
            let note = unscripted.and_then(|one| one.note.clone());
            found.extend(note.filter(|note| note.origin.session_index() == n));
            found.extend(step_findings.extract_if(.., |one| one.origin.session_index() == n));
            found.sort_by_key(|finding| finding.at);
            if is_only_one {
                found.iter_mut().for_each(|one| one.origin.session = 0);
            }
            run.check.add(session);
        }
        run.check.coverage.clauses_exercised = checked_clauses;
        let report = &mut run.report;
        report.take(&mut run.check);
        if let Some(moments) = &suite.moments {
            for (n, transcript) in run.transcripts.iter().enumerate() {
                let findings = report.findings.iter_mut();
                let findings = findings.filter(|one| one.origin.session_index() == n);
                moments.note_findings(&suite.dialect, transcript, findings);
            }
        }
        let (exercised, spoke) = (&run.check.coverage, run.check.events > 0);
        let is_unchecked = |clause: &&String| {
            let mut rules = suite.dialect.rules.iter();
            let is_by_rule = rules.any(|rule| {
                let times = exercised.rules.get(&rule.id).copied().unwrap_or_default();
                rule.clauses.contains(clause) && times > 0
            });
            !is_by_rule && !exercised.clauses_exercised.contains(*clause)
        };
        let clauses = scenario.clauses.iter().filter(is_unchecked);
        let unchecked: Vec<String> = clauses.cloned().collect();
        let waits_for_events = scenario.steps.iter().any(|step| {
            matches!(
                step.action,
                StepAction::Expect(_)
                    | StepAction::ExpectNext(_)
                    | StepAction::Unordered(_)
                    | StepAction::ExpectText(_)
            )
        });
        let starved = matches!(stop, Some(EarlyStop::Starved)).then(|| suite.starved());
        (report.verdict, report.reason) = verdict_rules::of_scenario(&ScenarioFacts {
            broken: match &stop {
                Some(EarlyStop::Broken(why)) => Some(why),
                _ => None,
            },
            interrupted: matches!(stop, Some(EarlyStop::Interrupted)),
            starved: starved.as_deref(),
            findings: &report.findings,
            came_up: !waits_for_events || spoke,
            skipped: match &stop {
                Some(EarlyStop::Skipped(why)) => Some(why),
                _ => None,
            },
            unforeseen: requests
                .unscripted()
                .filter(|_| !scenario.rules_only)
                .map(|request| request.why.as_str()),
            checked: has_checked || spoke,
            unmet: &unchecked,
        });
        if matches!(report.verdict, Verdict::Pass | Verdict::Skipped) {
            report.stderr.clear();
        }
        run.starved = starved.filter(|_| report.verdict == Verdict::Inconclusive);
        run.sandbox = Some(sandbox);
        run.after(began.elapsed())
    }
}
