//! The timeout message of a step: what was expected, what was received instead, and which event came closest.

use super::agent_session::AgentEvent;
use super::context::EarlyStop;
use super::event_loop::{WaitResult, describe_timeout};
use super::player::ScenarioPlayer;
use super::step_finding::{BlamedFrame, StepFinding};
use crate::matcher::Mismatch;
use crate::runner::step_rules;
use indexmap::IndexMap;

/// What was received while a step waited.
#[derive(Debug, Default)]
pub(super) struct ReceivedEvents {
    names: IndexMap<String, u64>,
    /// A sentence to add.
    note: Option<String>,
}

/// The frame that came closest to matching, and its first difference.
pub(super) type NearestMatch = Option<(u64, Mismatch)>;

/// The number of names that are listed at most.
const NAMES: usize = 12;

impl ReceivedEvents {
    pub(super) fn add(&mut self, event: &AgentEvent) {
        self.add_name(&event.name);
    }

    pub(super) fn add_name(&mut self, name: &str) {
        *self.names.entry(name.to_owned()).or_default() += 1;
    }

    /// Adds a sentence to the message.
    pub(super) fn add_note(&mut self, found: String) {
        self.note = Some(found);
    }

    fn describe(&self) -> String {
        let listed = self
            .names
            .iter()
            .take(NAMES)
            .map(|(name, times)| match times {
                1 => name.clone(),
                _ => format!("{name} ({times} times)"),
            });
        let more = if self.names.len() > NAMES {
            ", …"
        } else {
            ""
        };
        let listed = listed.collect::<Vec<_>>().join(", ");
        if listed.is_empty() {
            "nothing was received".to_owned()
        } else {
            format!("received: {listed}{more}")
        }
    }
}

/// The reason to kill the agent when this timeout has run out: it had all the time that the dialect allows. `None` for a timeout that the
/// step itself names, which may be shorter.
fn kill_reason(budget: &str) -> Option<&'static str> {
    match budget {
        "start" => Some("budget:start"),
        "response" => Some("budget:response"),
        "idle" => Some("budget:idle"),
        "total" => Some("budget:total"),
        _ => None,
    }
}

/// What a step waits for, as the subject of a sentence.
fn expected_thing(rule: &str) -> &'static str {
    match rule {
        step_rules::UNORDERED => "one of the expected events",
        step_rules::EXPECT_NONE => "the end of the wait",
        step_rules::EXPECT_TEXT => "the end of the text",
        step_rules::EXPECT_REQUEST => "the expected request",
        step_rules::EXPECT_REPLY => "the expected end of a reply",
        step_rules::EXPECT_FILE => "the expected file",
        _ => "the expected event",
    }
}

impl ScenarioPlayer {
    /// Adds the finding of a step that waited without success.
    pub(super) fn timed_out(
        &mut self,
        rule: &'static str,
        result: &WaitResult,
        received: &ReceivedEvents,
        nearest: NearestMatch,
        expected: Vec<String>,
    ) -> EarlyStop {
        let (mut message, kill) = match result {
            WaitResult::TimedOut(name, length) => (
                format!(
                    "{} did not come {}",
                    expected_thing(rule),
                    describe_timeout(name, *length)
                ),
                kill_reason(name),
            ),
            WaitResult::Settled(name) => (
                format!(
                    "{} did not come, and nothing is left that it could follow: every turn has ended, every command is answered, and the model has no open request",
                    expected_thing(rule)
                ),
                kill_reason(name).map(|_| "budget:settle"),
            ),
            WaitResult::Event | WaitResult::AgentEnded => (
                format!(
                    "{} before {} came",
                    self.how_it_ended(),
                    expected_thing(rule)
                ),
                None,
            ),
        };
        message += "; ";
        message += &if self.session.has_written {
            received.describe()
        } else {
            "the agent has written nothing".to_owned()
        };
        if let Some(found) = &received.note {
            message += &format!("; {found}");
        }
        let named = &self.suite.dialect.events.discriminator;
        // An event of another name is not close.
        let nearest = nearest.filter(|(_, difference)| difference.pointer != *named);
        if let Some((frame, difference)) = &nearest {
            message += &format!("; closest is frame {frame}, {difference}");
        }
        let unfinished = self.queue.unfinished();
        if unfinished > 0 {
            message += &format!("; and {unfinished} bytes of an unfinished line");
        }
        let frame = match nearest {
            Some((frame, difference)) => BlamedFrame::Number(frame, difference.pointer),
            _ if matches!(result, WaitResult::AgentEnded) => BlamedFrame::Newest,
            _ => BlamedFrame::None,
        };
        self.add_finding(StepFinding {
            frame,
            expected,
            ..StepFinding::new(rule, message)
        });
        EarlyStop::Failed(kill)
    }
}
