//! Retry of flaky scenarios: plays a scenario again while it fails, up to a number of times.

use super::play::context::SuiteContext;
use super::play::player::play;
use super::play::scenario_result::ScenarioResult;
use super::transcripts::KeepTranscripts;
use crate::scenario::Scenario;
use conform_judge::finding::{Blame, Finding};
use conform_report::ScenarioReport;
use conform_report::Try;
use conform_report::Verdict;
use conform_report::baseline::DatedBaseline;
use conform_report::verdict_rules;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The attempts at one scenario.
#[derive(Debug)]
pub(super) struct Attempts {
    /// The failed attempts that were followed by another one.
    pub(super) failed: Vec<ScenarioResult>,
    /// The last attempt, which counts.
    pub(super) last: ScenarioResult,
}

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
    /// Whether a scenario with this verdict and these findings is retried.
    fn should_retry(&self, id: &str, verdict: Verdict, findings: &[Finding]) -> bool {
        match verdict {
            Verdict::Inconclusive => true,
            Verdict::Fail | Verdict::Warn => match self.open_verdict(id, findings) {
                Verdict::Fail => true,
                Verdict::Warn => self.retry_warnings,
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a scenario has failed with findings that the baseline does not know.
    pub(super) fn is_failure(&self, scenario: &ScenarioReport) -> bool {
        let open = || self.open_verdict(&scenario.id, &scenario.findings);
        scenario.verdict == Verdict::Broken
            || scenario.verdict == Verdict::Fail && open() == Verdict::Fail
    }

    /// The verdict of the findings that the baseline does not know.
    fn open_verdict(&self, id: &str, findings: &[Finding]) -> Verdict {
        let is_known = |finding: &Finding| {
            let known = self.baseline.as_ref();
            known.is_some_and(|known| known.covers(id, finding))
        };
        let open = findings.iter().filter(|finding| !is_known(finding));
        let open: Vec<_> = open.cloned().collect();
        verdict_rules::of_findings(&open, Blame::Agent, true)
    }
}

/// Plays a scenario, and retries it while it fails.
///
/// # Errors
/// A sentence that says why the agent cannot be started.
pub(super) async fn play_with_retries(
    suite: Arc<SuiteContext>,
    scenario: Arc<Scenario>,
    policy: Arc<RetryOptions>,
) -> Result<Attempts, String> {
    let id = format!("{}/{}", suite.dialect.id(), scenario.id);
    let mut failed = Vec::new();
    loop {
        let last = play(Arc::clone(&suite), Arc::clone(&scenario)).await?;
        let should_retry = policy.should_retry(&id, last.verdict, &last.findings);
        let is_left = u32::try_from(failed.len()).is_ok_and(|done| done < policy.max_retries);
        if !(should_retry && is_left) || *suite.cancel.borrow() {
            return Ok(Attempts { failed, last });
        }
        failed.push(last);
    }
}

impl Attempts {
    /// A single attempt.
    pub(super) fn only(last: ScenarioResult) -> Self {
        Attempts {
            failed: Vec::new(),
            last,
        }
    }

    /// How many agents were started.
    pub(super) fn starts(&self) -> u32 {
        let all = self.failed.iter().chain([&self.last]);
        all.map(|one| one.starts).sum()
    }

    /// The time that all attempts took together, and the part of it in which no agent was running.
    pub(super) fn times(&self) -> (Duration, Duration) {
        let all = self.failed.iter().chain([&self.last]);
        all.fold((Duration::ZERO, Duration::ZERO), |(wall, overhead), one| {
            (
                wall + one.wall,
                overhead + one.wall.saturating_sub(one.lifetime),
            )
        })
    }
}

/// The failed attempts at the scenario `id` for the report. Their transcripts are stored beside that of the last attempt.
pub(super) fn failed_attempts(
    id: &str,
    failed: Vec<ScenarioResult>,
    keep: &KeepTranscripts,
) -> Vec<Try> {
    let one = |(n, mut played): (usize, ScenarioResult)| {
        let name = format!("{id}.try-{}", n + 1);
        let transcripts = store_transcripts(keep, &name, played.verdict, &played.transcripts);
        played.remove_sandbox();
        Try {
            verdict: played.verdict,
            reason: played.reason,
            duration_ms: u64::try_from(played.wall.as_millis()).unwrap_or(u64::MAX),
            findings: played.findings,
            transcript: first_path(&transcripts),
            stderr: played.stderr,
        }
    };
    failed.into_iter().enumerate().map(one).collect()
}

/// Stores the transcripts that are to be kept, and returns their paths. A transcript that cannot be stored is logged and lost.
pub(super) fn store_transcripts(
    keep: &KeepTranscripts,
    name: &str,
    verdict: Verdict,
    transcripts: &[PathBuf],
) -> Vec<PathBuf> {
    keep.store(name, verdict, transcripts)
        .unwrap_or_else(|error| {
            tracing::warn!(%error, name, "a transcript could not be stored");
            Vec::new()
        })
}

/// The first of the stored transcripts, as reports name it; empty if there is none.
pub(super) fn first_path(kept: &[PathBuf]) -> String {
    kept.first()
        .map(|path| path.display().to_string())
        .unwrap_or_default()
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
            assert_eq!(
                policy.should_retry("d@1/s", verdict, &findings),
                expected,
                "{verdict:?} {findings:?}"
            );
        }
    }
}
