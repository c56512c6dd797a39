//! The exit status of a whole run.

use crate::cli::exit::ExitStatus;
use crate::cli::output;
use crate::report::Summary;
use crate::runner::suite::{Ended, Entry};

/// What all scenarios together showed of the agent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shown {
    wanted_turn: bool,
    turn: bool,
    spoke: bool,
    /// How many failed, and then passed.
    pub(super) flaky: u32,
}

impl Shown {
    /// One more scenario.
    pub(super) fn note(&mut self, entry: &Entry) {
        self.wanted_turn |= entry.wants_turn;
        self.turn |= entry.turn;
        self.spoke |= entry.spoke;
        self.flaky += u32::from(entry.flaky);
    }

    /// What the run came to. An agent that was never seen in a turn has not shown that it conforms, whatever else it passed.
    pub(super) fn status(self, ended: &Ended, summary: &Summary) -> ExitStatus {
        match ended {
            Ended::Interrupted => {
                output::warning("interrupted: the run is not complete");
                return ExitStatus::Incomplete;
            }
            Ended::Mute => {
                output::warning(
                    "the agent wrote nothing in scenario after scenario, and the rest was not played; `conform run --only ID` with one of them shows more",
                );
                return ExitStatus::Incomplete;
            }
            Ended::Whole | Ended::NotStarted(_) => {}
        }
        let status = ExitStatus::of(summary);
        if status == ExitStatus::Violations && !self.spoke {
            output::warning("the agent never wrote an event of its protocol");
            return ExitStatus::Incomplete;
        }
        if status == ExitStatus::Conformant && self.wanted_turn && !self.turn {
            output::warning("the agent never got as far as its first turn");
            return ExitStatus::Incomplete;
        }
        status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_without_a_turn_is_never_conformant() {
        let passed = Summary {
            passed: 3,
            ..Summary::default()
        };
        let failed = Summary {
            failed: 1,
            ..passed.clone()
        };
        let shown = |wanted_turn, turn| Shown {
            wanted_turn,
            turn,
            spoke: true,
            flaky: 0,
        };
        let mute = Shown {
            wanted_turn: true,
            ..Shown::default()
        };
        for (shown, ended, summary, expected) in [
            (
                shown(true, true),
                Ended::Whole,
                &passed,
                ExitStatus::Conformant,
            ),
            (
                shown(true, false),
                Ended::Whole,
                &passed,
                ExitStatus::Incomplete,
            ),
            (
                shown(false, false),
                Ended::Whole,
                &passed,
                ExitStatus::Conformant,
            ),
            (
                shown(true, false),
                Ended::Whole,
                &failed,
                ExitStatus::Violations,
            ),
            (mute, Ended::Whole, &failed, ExitStatus::Incomplete),
            (mute, Ended::Mute, &failed, ExitStatus::Incomplete),
            (
                shown(true, true),
                Ended::Interrupted,
                &passed,
                ExitStatus::Incomplete,
            ),
        ] {
            assert_eq!(
                shown.status(&ended, summary),
                expected,
                "{shown:?} {ended:?}"
            );
        }
    }
}
