//! Plays a scenario again while it fails.

use super::play::context::SuiteContext;
use super::play::player::play;
use super::play::scenario_result::ScenarioResult;
use super::transcripts::KeepTranscripts;
use crate::baseline::DatedBaseline;
use crate::finding::{Blame, Finding};
use crate::report::Try;
use crate::report::Verdict;
use crate::report::verdict_rules;
use crate::scenario::Scenario;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A scenario that was played once or more.
#[derive(Debug)]
pub(super) struct Attempts {
    /// Those that failed, and that another one followed.
    pub(super) earlier: Vec<ScenarioResult>,
    /// The last one, which counts.
    pub(super) last: ScenarioResult,
}

/// What is played again, and how often.
#[derive(Debug, Clone, Default)]
pub struct RetryPolicy {
    /// How often at most.
    pub times: u32,
    /// Whether warnings count as failures.
    pub warnings: bool,
    /// What is put up with: nothing is played again for that.
    pub known: Option<DatedBaseline>,
}

impl RetryPolicy {
    /// Whether a scenario that came to this deserves another try.
    fn wants(&self, id: &str, verdict: Verdict, findings: &[Finding]) -> bool {
        let known = |finding: &&Finding| {
            let known = self.known.as_ref();
            known.is_some_and(|known| known.covers(id, finding))
        };
        match verdict {
            Verdict::Inconclusive => true,
            Verdict::Fail | Verdict::Warn => {
                let open = findings.iter().filter(|finding| !known(finding));
                let open: Vec<_> = open.cloned().collect();
                match verdict_rules::of_findings(&open, Blame::Agent, true) {
                    Verdict::Fail => true,
                    Verdict::Warn => self.warnings,
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

/// Plays a scenario, and again while it fails.
pub(super) async fn tries(
    suite: Arc<SuiteContext>,
    scenario: Arc<Scenario>,
    again: Arc<RetryPolicy>,
) -> Result<Attempts, String> {
    let id = format!("{}/{}", suite.dialect.id(), scenario.id);
    let mut earlier = Vec::new();
    loop {
        let last = play(Arc::clone(&suite), Arc::clone(&scenario)).await?;
        let failed = again.wants(&id, last.verdict, &last.findings);
        let left = u32::try_from(earlier.len()).is_ok_and(|spent| spent < again.times);
        if !(failed && left) || *suite.cancel.borrow() {
            return Ok(Attempts { earlier, last });
        }
        earlier.push(last);
    }
}

impl Attempts {
    /// A single try.
    pub(super) fn only(last: ScenarioResult) -> Self {
        Attempts {
            earlier: Vec::new(),
            last,
        }
    }

    /// What all tries together took, and how much of that no agent was alive.
    pub(super) fn spent(&self) -> (Duration, Duration) {
        let all = self.earlier.iter().chain([&self.last]);
        all.fold((Duration::ZERO, Duration::ZERO), |(wall, overhead), one| {
            (
                wall + one.wall,
                overhead + one.wall.saturating_sub(one.life),
            )
        })
    }
}

/// The earlier tries at the scenario `id` for the report, their transcripts kept beside the last one's.
pub(super) fn reported(id: &str, earlier: Vec<ScenarioResult>, keep: &KeepTranscripts) -> Vec<Try> {
    let one = |(n, mut played): (usize, ScenarioResult)| {
        let name = format!("{id}.try-{}", n + 1);
        let transcripts = kept(keep, &name, played.verdict, &played.transcripts);
        played.clear();
        Try {
            verdict: played.verdict,
            reason: played.reason,
            duration_ms: u64::try_from(played.wall.as_millis()).unwrap_or(u64::MAX),
            findings: played.findings,
            transcript: first(&transcripts),
            stderr: played.stderr,
        }
    };
    earlier.into_iter().enumerate().map(one).collect()
}

/// Keeps transcripts, if they are to be kept, and says where they are.
pub(super) fn kept(
    keep: &KeepTranscripts,
    name: &str,
    verdict: Verdict,
    transcripts: &[PathBuf],
) -> Vec<PathBuf> {
    keep.keep(name, verdict, transcripts)
        .unwrap_or_else(|error| {
            tracing::warn!(%error, name, "a transcript is lost");
            Vec::new()
        })
}

/// The first of the transcripts that were kept, as reports name it; empty if none was.
pub(super) fn first(kept: &[PathBuf]) -> String {
    kept.first()
        .map(|path| path.display().to_string())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline;
    use crate::finding::{Level, Source};

    #[test]
    fn only_what_nobody_knows_of_deserves_another_try() {
        let finding = |rule: &str, level| Finding {
            rule: rule.into(),
            level,
            source: Source::Spec,
            blame: Blame::Agent,
            clauses: vec![],
            at: 1,
            key: String::new(),
            message: String::new(),
            expected: vec![],
            pointer: String::new(),
            evidence: vec![],
            rerun: String::new(),
            baseline: None,
        };
        let text = "findings:\n  - { scenario: d@1/s, rule: known, kind: known, reason: x }\n";
        let known = DatedBaseline {
            baseline: Arc::new(baseline::load("b.yaml".into(), text).unwrap()),
            today: "2026-11-21".parse().unwrap(),
        };
        let (must, weak) = (finding("new", Level::Must), finding("weak", Level::Should));
        let old = finding("known", Level::Must);
        for (verdict, findings, warnings, wanted) in [
            (Verdict::Pass, vec![], true, false),
            (Verdict::Inconclusive, vec![], false, true),
            (Verdict::Fail, vec![must.clone()], false, true),
            (Verdict::Fail, vec![old.clone()], true, false),
            (Verdict::Fail, vec![old.clone(), must], false, true),
            (Verdict::Warn, vec![weak.clone()], false, false),
            (Verdict::Warn, vec![weak.clone()], true, true),
            (Verdict::Fail, vec![old, weak], false, false),
        ] {
            let again = RetryPolicy {
                times: 1,
                warnings,
                known: Some(known.clone()),
            };
            assert_eq!(
                again.wants("d@1/s", verdict, &findings),
                wanted,
                "{verdict:?} {findings:?}"
            );
        }
    }
}
