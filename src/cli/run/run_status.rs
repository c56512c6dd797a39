//! The exit status of a whole run.

use crate::cli::exit::ExitStatus;
use crate::cli::output;
use crate::report::Summary;
use crate::runner::scheduler::{ScenarioRun, SuiteEnd};

/// What all scenarios together showed of the agent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AgentProgress {
    expected_turn: bool,
    turn: bool,
    spoke: bool,
}

impl AgentProgress {
    /// One more scenario.
    pub(super) fn note(&mut self, entry: &ScenarioRun) {
        self.expected_turn |= entry.expects_turn;
        self.turn |= entry.turn;
        self.spoke |= entry.spoke;
    }
}

/// What decides over a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunFacts<'a> {
    /// How it ended.
    pub(super) ended: &'a SuiteEnd,
    /// What the scenarios came to.
    pub(super) summary: &'a Summary,
    /// Whether entries of the baseline have to go, or there are warnings where these are denied.
    pub(super) objection: bool,
    /// What all scenarios together showed.
    pub(super) shown: AgentProgress,
    /// Required clauses that nothing exercised.
    pub(super) unmet: &'a [String],
}

/// Up to how many clauses are named that nothing exercised.
const NAMES: usize = 8;

/// What a run came to, said aloud where the scenarios alone do not tell. An agent that was never seen in a turn has not shown that it
/// conforms, whatever else it passed.
pub(super) fn status(facts: &RunFacts<'_>) -> ExitStatus {
    let (status, why) = judge(facts);
    if let Some(why) = why {
        output::warning(why);
    }
    status
}

/// The first row that fits counts.
fn judge(facts: &RunFacts<'_>) -> (ExitStatus, Option<String>) {
    let RunFacts { summary, shown, .. } = facts;
    let counted = ExitStatus::of(summary, facts.objection);
    let incomplete = |why: String| (ExitStatus::Incomplete, Some(why));
    let rows = [
        (counted == ExitStatus::Harness).then_some((counted, None)),
        (*facts.ended == SuiteEnd::Interrupted)
            .then(|| incomplete("interrupted: the run is not complete".to_owned())),
        (*facts.ended == SuiteEnd::Silent).then(|| {
            incomplete(
                "the agent wrote nothing in scenario after scenario, and the rest was not played; `conform run --only ID` with one of them shows more"
                    .to_owned(),
            )
        }),
        (summary.failed > 0 && !shown.spoke)
            .then(|| incomplete("the agent never wrote an event of its protocol".to_owned())),
        (counted != ExitStatus::Conformant).then_some((counted, None)),
        (shown.expected_turn && !shown.turn)
            .then(|| incomplete("the agent never got as far as its first turn".to_owned())),
        (!facts.unmet.is_empty()).then(|| incomplete(not_exercised(facts.unmet))),
    ];
    let first = rows.into_iter().flatten().next();
    first.unwrap_or((ExitStatus::Conformant, None))
}

fn not_exercised(clauses: &[String]) -> String {
    let named = &clauses[..clauses.len().min(NAMES)];
    let more = match clauses.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "nothing exercised what the scenarios claim to check: {}{more}",
        named.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use ExitStatus::{Conformant, Harness, Incomplete, Violations};

    #[test]
    fn the_first_row_that_fits_decides_over_a_run() {
        let none = Summary::default();
        let with = |change: fn(&mut Summary)| {
            let mut summary = Summary {
                passed: 3,
                ..Summary::default()
            };
            change(&mut summary);
            summary
        };
        let passed = with(|_| {});
        let failed = with(|s| s.failed = 1);
        let broken = with(|s| (s.failed, s.broken) = (1, 1));
        let open = with(|s| s.inconclusive = 1);
        let idle = with(|s| s.not_exercised = 1);
        let flaky = Summary {
            flaky: 1,
            ..Summary::default()
        };
        let skipped = Summary {
            skipped: 3,
            ..Summary::default()
        };
        let unmet = ["a.b".to_owned()];
        let turn = AgentProgress {
            expected_turn: true,
            turn: true,
            spoke: true,
        };
        let up = AgentProgress {
            turn: false,
            ..turn
        };
        let mute = AgentProgress { spoke: false, ..up };
        let no_model = AgentProgress {
            expected_turn: false,
            ..up
        };
        let facts = |summary, shown| RunFacts {
            ended: &SuiteEnd::Complete,
            summary,
            objection: false,
            shown,
            unmet: &[],
        };
        let ended = |ended, facts| RunFacts { ended, ..facts };
        let stale = |facts| RunFacts {
            objection: true,
            ..facts
        };
        let unmet = |facts| RunFacts {
            unmet: &unmet,
            ..facts
        };
        for (facts, expected) in [
            (facts(&passed, turn), Conformant),
            (facts(&flaky, turn), Conformant),
            (facts(&passed, no_model), Conformant),
            (facts(&none, turn), Incomplete),
            (facts(&skipped, turn), Incomplete),
            (facts(&open, turn), Incomplete),
            (facts(&idle, turn), Incomplete),
            (facts(&passed, up), Incomplete),
            (facts(&failed, up), Violations),
            (facts(&failed, mute), Incomplete),
            (unmet(facts(&passed, turn)), Incomplete),
            (unmet(facts(&failed, turn)), Violations),
            (stale(facts(&passed, turn)), Violations),
            (stale(facts(&open, turn)), Violations),
            (stale(facts(&broken, turn)), Harness),
            (ended(&SuiteEnd::Silent, facts(&failed, mute)), Incomplete),
            (
                ended(&SuiteEnd::Interrupted, facts(&passed, turn)),
                Incomplete,
            ),
            (
                ended(&SuiteEnd::Interrupted, facts(&failed, turn)),
                Incomplete,
            ),
            (ended(&SuiteEnd::Interrupted, facts(&broken, turn)), Harness),
        ] {
            assert_eq!(judge(&facts).0, expected, "{facts:?}");
        }
    }
}
