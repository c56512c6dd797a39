//! The exit status of a run, and the warning that explains it.

use crate::cli::exit::ExitStatus;
use crate::cli::output;
use conform_report::reporter::text::count;
use conform_report::{Verdict, VerdictCounts};
use conform_runner::trials::{ScenarioRun, SuiteEnd};

/// The furthest progress of the agent in any scenario.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::cli) struct AgentProgress {
    expected_turn: bool,
    turn: bool,
    spoke: bool,
}

impl AgentProgress {
    /// Adds a scenario. One that was skipped before the agent wrote anything requires nothing from it.
    pub(in crate::cli) fn note(&mut self, entry: &ScenarioRun) {
        let was_tried = entry.check.events > 0 || entry.report.verdict != Verdict::Skipped;
        self.expected_turn |= entry.expects_turn && was_tried;
        self.turn |= entry.check.turn;
        self.spoke |= entry.check.events > 0;
    }
}

/// The facts that decide the exit status of a run.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct RunFacts<'a> {
    /// How it ended.
    pub(in crate::cli) ended: &'a SuiteEnd,
    /// The counts of verdicts.
    pub(in crate::cli) summary: &'a VerdictCounts,
    /// Whether the baseline has stale entries, or there are denied warnings.
    pub(in crate::cli) objection: bool,
    /// The progress of the agent.
    pub(in crate::cli) shown: AgentProgress,
    /// Required clauses that nothing exercised.
    pub(in crate::cli) unexercised: &'a [String],
    /// How many scenarios were skipped because the smoke scenario failed.
    pub(in crate::cli) behind_smoke: usize,
}

/// The maximum number of named clauses.
const NAMES: usize = 8;

/// The exit status of a run. Prints a warning where the scenarios alone do not explain it: an agent that never began a turn has not shown
/// that it conforms, whichever other scenarios it passed.
pub(in crate::cli) fn status(facts: &RunFacts<'_>) -> ExitStatus {
    let (status, why) = decide(facts);
    if let Some(why) = why {
        output::warning(why);
    }
    if facts.behind_smoke > 0 {
        output::note(
            "the smoke scenario failed, so the others were not played; `--keep-going` plays them",
        );
    }
    status
}

/// The first row that applies decides.
fn decide(facts: &RunFacts<'_>) -> (ExitStatus, Option<String>) {
    let RunFacts { summary, shown, .. } = facts;
    let counted = ExitStatus::from_summary(summary, facts.objection);
    let incomplete = |why: String| (ExitStatus::Incomplete, Some(why));
    let rows = [
        (counted == ExitStatus::Harness).then_some((counted, None)),
        match facts.ended {
            SuiteEnd::Interrupted(not_started) => Some(incomplete(interrupted(*not_started))),
            _ => None,
        },
        (summary.failed > 0 && !shown.spoke)
            .then(|| incomplete("the agent never wrote an event of its protocol".to_owned())),
        (counted == ExitStatus::Incomplete).then(|| incomplete(without_result(summary))),
        (counted != ExitStatus::Conformant).then_some((counted, None)),
        (shown.expected_turn && !shown.turn)
            .then(|| incomplete("the agent never got as far as its first turn".to_owned())),
        (!facts.unexercised.is_empty()).then(|| incomplete(not_exercised(facts.unexercised))),
    ];
    let first = rows.into_iter().flatten().next();
    first.unwrap_or((ExitStatus::Conformant, None))
}

fn interrupted(not_started: usize) -> String {
    let scenarios = count(not_started as u64, "scenario");
    format!("interrupted: the run is not complete, {scenarios} never started")
}

/// Why a run without a failure is not conformant.
fn without_result(summary: &VerdictCounts) -> String {
    if summary.inconclusive + summary.not_exercised == 0 {
        return "no scenario was played to its end, so nothing shows that the agent conforms"
            .to_owned();
    }
    let counts = [
        (summary.inconclusive, "inconclusive"),
        (summary.not_exercised, "not exercised"),
    ];
    let counted = counts.iter().filter(|(number, _)| *number > 0);
    let words: Vec<_> = counted
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    format!(
        "the run is incomplete: of the scenarios, {}; their lines say why",
        words.join(" and ")
    )
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
    fn no_turn_is_expected_of_a_scenario_that_was_skipped_at_the_start() {
        let noted = |verdict, events| {
            let mut run = ScenarioRun::default();
            (run.report.verdict, run.check.events) = (verdict, events);
            run.expects_turn = true;
            let mut progress = AgentProgress::default();
            progress.note(&run);
            progress.expected_turn
        };
        assert!(!noted(Verdict::Skipped, 0));
        assert!(noted(Verdict::Skipped, 1));
        assert!(noted(Verdict::Fail, 0));
    }

    #[test]
    fn the_first_row_that_applies_decides_the_exit_status() {
        let only = |change: fn(&mut VerdictCounts)| {
            let mut summary = VerdictCounts::default();
            change(&mut summary);
            summary
        };
        let with = |change: fn(&mut VerdictCounts)| {
            let mut summary = only(|s| s.passed = 3);
            change(&mut summary);
            summary
        };
        let none = only(|_| {});
        let passed = with(|_| {});
        let failed = with(|s| s.failed = 1);
        let broken = with(|s| (s.failed, s.broken) = (1, 1));
        let open = with(|s| s.inconclusive = 1);
        let idle = with(|s| s.not_exercised = 1);
        let worse = with(|s| (s.not_exercised, s.failed) = (1, 1));
        let known = with(|s| (s.skipped, s.known) = (1, 1));
        let warned = only(|s| s.warned = 1);
        let flaky = only(|s| s.flaky = 1);
        let skipped = only(|s| s.skipped = 3);
        let unexercised = ["a.b".to_owned()];
        let progress = |expected_turn, turn, spoke| AgentProgress {
            expected_turn,
            turn,
            spoke,
        };
        let turn = progress(true, true, true);
        let up = progress(true, false, true);
        let silent = progress(true, false, false);
        let no_model = progress(false, false, true);
        let facts = |summary, shown| RunFacts {
            ended: &SuiteEnd::Complete,
            summary,
            objection: false,
            shown,
            unexercised: &[],
            behind_smoke: 0,
        };
        let cut_short = |facts| RunFacts {
            ended: &SuiteEnd::CutShort,
            ..facts
        };
        let interrupted = |facts| RunFacts {
            ended: &SuiteEnd::Interrupted(7),
            ..facts
        };
        let stale = |facts| RunFacts {
            objection: true,
            ..facts
        };
        let unexercised = |facts| RunFacts {
            unexercised: &unexercised,
            ..facts
        };
        for (facts, expected) in [
            (facts(&passed, turn), Conformant),
            (facts(&flaky, turn), Conformant),
            (facts(&warned, turn), Conformant),
            (facts(&known, turn), Conformant),
            (facts(&passed, no_model), Conformant),
            (facts(&none, turn), Incomplete),
            (facts(&skipped, turn), Incomplete),
            (facts(&open, turn), Incomplete),
            (facts(&idle, turn), Incomplete),
            (facts(&worse, turn), Violations),
            (facts(&passed, up), Incomplete),
            (facts(&failed, up), Violations),
            (facts(&failed, silent), Incomplete),
            (unexercised(facts(&passed, turn)), Incomplete),
            (unexercised(facts(&failed, turn)), Violations),
            (stale(facts(&passed, turn)), Violations),
            (stale(facts(&open, turn)), Violations),
            (stale(facts(&broken, turn)), Harness),
            (cut_short(facts(&failed, turn)), Violations),
            (cut_short(facts(&failed, silent)), Incomplete),
            (interrupted(facts(&passed, turn)), Incomplete),
            (interrupted(facts(&failed, turn)), Incomplete),
            (interrupted(facts(&broken, turn)), Harness),
        ] {
            assert_eq!(decide(&facts).0, expected, "{facts:?}");
        }
    }
}
