//! The step `expect_exit`, which waits for the end of the agent's process and checks its exit code or signal.

use super::context::EarlyStop;
use super::event_loop::{EventWait, WaitResult, describe_timeout};
use super::player::ScenarioPlayer;
use super::step_finding::StepFinding;
use super::timeout_message::kill_reason;
use crate::scenario::types::{ExitExpectation, Step};
use crate::step_rules;
use conform_judge::finding::DifferenceKind;
use conform_judge::frame::End;
use conform_judge::signals;
use std::time::Duration;

impl ScenarioPlayer {
    /// Waits for the process to end, and checks how it ended.
    pub(super) async fn expect_exit(
        &mut self,
        step: &Step,
        expected: &ExitExpectation,
    ) -> Result<(), EarlyStop> {
        let mut wait = EventWait::for_event_within(self.exit_budget(step)).without_stdout();
        let (message, stop) = loop {
            if let Some(end) = &self.session.end {
                if is_expected(expected, end) {
                    self.step_passed();
                    return Ok(());
                }
                break (self.how_it_ended(), None);
            }
            if let WaitResult::TimedOut(name, length) = self.next_event(&mut wait).await? {
                let message = format!("the agent did not end {}", describe_timeout(name, length));
                break (message, kill_reason(name).or(Some("budget:exit")));
            }
        };
        let kind = if self.has_ended() {
            DifferenceKind::WrongValue
        } else {
            DifferenceKind::Absent
        };
        let found = StepFinding::new(step_rules::EXPECT_EXIT, message, kind);
        self.add_finding(found.expecting(describe(expected)));
        Err(EarlyStop::Failed(stop))
    }

    /// The timeout for the end of the process, with its name: that of the step, else the budget for it.
    pub(super) fn exit_budget(&self, step: &Step) -> (&'static str, Duration) {
        match step.within {
            Some(within) => ("within", self.budgets.scaled(within)),
            None => ("exit", self.budgets.exit),
        }
    }
}

fn is_expected(expected: &ExitExpectation, end: &End) -> bool {
    match end {
        End::Exited { code, .. } => match expected.code {
            Some(expected) => *code == expected,
            None => !expected.nonzero || *code != 0,
        },
        End::Signalled { signal, .. } => {
            let name = expected.or_signal.as_ref();
            let allowed = name.and_then(|name| signals::find(name));
            allowed.is_some_and(|allowed| allowed.as_raw() == *signal)
        }
        End::Killed { .. } | End::Open => false,
    }
}

fn describe(expected: &ExitExpectation) -> String {
    let code = match (expected.code, expected.nonzero) {
        (Some(code), _) => format!("an exit with code {code}"),
        (None, true) => "an exit with a code other than 0".to_owned(),
        (None, false) => "an exit with any code".to_owned(),
    };
    match &expected.or_signal {
        Some(name) => format!("{code}, or an end by {}", name.value),
        None => code,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_compared_with_what_the_scenario_allows() {
        let exited = |code| End::Exited { code, orphans: 0 };
        let term = End::Signalled {
            signal: 15,
            orphans: 0,
        };
        let expect = |code, nonzero, or_signal: Option<&str>| ExitExpectation {
            code,
            nonzero,
            or_signal: or_signal.map(Into::into),
        };
        let zero = expect(Some(0), false, None);
        let zero_or_term = expect(Some(0), false, Some("SIGTERM"));
        let nonzero = expect(None, true, None);
        let any_or_term = expect(None, false, Some("SIGTERM"));
        for (expected, end, right) in [
            (&zero, exited(0), true),
            (&zero, exited(1), false),
            (&zero, term.clone(), false),
            (&zero_or_term, term.clone(), true),
            (&zero_or_term, exited(0), true),
            (&nonzero, exited(3), true),
            (&nonzero, exited(0), false),
            (&any_or_term, term, true),
            (&any_or_term, exited(3), true),
            (
                &zero_or_term,
                End::Killed {
                    why: "budget:exit".into(),
                },
                false,
            ),
        ] {
            assert_eq!(is_expected(expected, &end), right, "{expected:?} {end:?}");
        }
    }
}
