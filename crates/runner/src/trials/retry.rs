//! Retry of flaky scenarios: plays a scenario again while it fails, up to a number of times.

use super::engine::SuiteSettings;
use super::scenario_run::ScenarioRun;
use crate::play::context::SuiteContext;
use crate::play::player::play;
use crate::process::spawn_error::SpawnError;
use crate::scenario::Scenario;
use conform_judge::finding::{Blame, Finding};
use conform_report::ScenarioReport;
use conform_report::Verdict;
use conform_report::baseline::DatedBaseline;
use conform_report::verdict_rules;
use std::sync::Arc;

/// Which failures are retried, and how often.
#[derive(Debug, Clone, Default)]
pub struct RetryOptions {
    /// The number of retries at most.
    pub max_retries: u32,
    /// Whether warnings count as failures.
    pub retry_warnings: bool,
    /// The baseline, whose findings are not retried.
    pub baseline: Option<DatedBaseline>,
}

impl RetryOptions {
    /// Whether a scenario with this result is retried.
    fn should_retry(&self, scenario: &ScenarioReport) -> bool {
        match scenario.verdict {
            Verdict::Inconclusive => true,
            Verdict::Fail | Verdict::Warn => match self.open_verdict(scenario) {
                Verdict::Fail => true,
                Verdict::Warn => self.retry_warnings,
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a scenario has failed with findings that the baseline does not know.
    pub(super) fn is_failure(&self, scenario: &ScenarioReport) -> bool {
        scenario.verdict == Verdict::Broken
            || scenario.verdict == Verdict::Fail && self.open_verdict(scenario) == Verdict::Fail
    }

    /// The verdict of the findings that the baseline does not know.
    fn open_verdict(&self, scenario: &ScenarioReport) -> Verdict {
        let is_known = |finding: &Finding| {
            let known = self.baseline.as_ref();
            known.is_some_and(|known| known.covers(&scenario.id, finding))
        };
        let findings = scenario.findings.iter();
        let open = findings.filter(|finding| !is_known(finding));
        verdict_rules::of_findings(open, Blame::Agent, true)
    }
}

/// Plays a scenario, and retries it while it fails. The transcripts of failed attempts are stored next to that of the last one.
///
/// # Errors
/// The agent cannot be started.
pub(super) async fn play_with_retries(
    suite: Arc<SuiteContext>,
    scenario: Arc<Scenario>,
) -> Result<ScenarioRun, SpawnError> {
    let SuiteSettings { retry, keep, .. } = &*suite.settings;
    let mut failed = None;
    loop {
        let mut run = play(Arc::clone(&suite), Arc::clone(&scenario)).await?;
        failed.into_iter().for_each(|before| run.add_failed(before));
        let name = run.report.id.clone();
        let retries = run.report.tries.len();
        let is_left = u32::try_from(retries).is_ok_and(|done| done < retry.max_retries);
        let is_wanted = is_left && run.starved.is_none() && retry.should_retry(&run.report);
        if !is_wanted || *suite.cancel.borrow() {
            run.store(keep, &name);
            run.played = true;
            tracing::debug!(name, millis = run.report.duration_ms, "played");
            return Ok(run);
        }
        run.store(keep, &format!("{name}.try-{}", retries + 1));
        failed = Some(run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::finding::Level;
    use conform_report::baseline;

    #[test]
    fn only_failures_beyond_the_baseline_are_retried() {
        let finding = |rule: &str, level| Finding {
            rule: rule.into(),
            level,
            at: 1,
            ..Finding::default()
        };
        let text = "findings:\n  - { scenario: d@1/s, rule: known, kind: known, reason: x }\n";
        let known = DatedBaseline {
            baseline: Arc::new(baseline::load("b.yaml".into(), text).unwrap()),
            today: "2026-11-21".parse().unwrap(),
        };
        let (must, weak) = (finding("new", Level::Must), finding("weak", Level::Should));
        let old = finding("known", Level::Must);
        for (verdict, findings, warnings, expected) in [
            (Verdict::Pass, vec![], true, false),
            (Verdict::Inconclusive, vec![], false, true),
            (Verdict::Fail, vec![must.clone()], false, true),
            (Verdict::Fail, vec![old.clone()], true, false),
            (Verdict::Fail, vec![old.clone(), must], false, true),
            (Verdict::Warn, vec![weak.clone()], false, false),
            (Verdict::Warn, vec![weak.clone()], true, true),
            (Verdict::Fail, vec![old, weak], false, false),
        ] {
            let policy = RetryOptions {
                max_retries: 1,
                retry_warnings: warnings,
                baseline: Some(known.clone()),
            };
            let scenario = ScenarioReport {
                id: "d@1/s".into(),
                verdict,
                findings,
                ..ScenarioReport::default()
            };
            assert_eq!(policy.should_retry(&scenario), expected, "{scenario:?}");
        }
    }
}
