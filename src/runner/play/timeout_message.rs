//! What is said of a wait that was in vain: what did come, and what of it came nearest.

use super::agent_session::AgentEvent;
use super::context::EarlyStop;
use super::event_loop::{WaitResult, late};
use super::player::ScenarioPlayer;
use super::step_finding::{BlamedFrame, StepFinding};
use crate::matcher::Mismatch;
use indexmap::IndexMap;

/// What came while a step waited.
#[derive(Debug, Default)]
pub(super) struct ReceivedEvents {
    names: IndexMap<String, u64>,
    /// What else was found.
    besides: Option<String>,
}

/// The frame that came nearest, and its first difference.
pub(super) type NearestMatch = Option<(u64, Mismatch)>;

/// How many names are listed.
const NAMES: usize = 12;

impl ReceivedEvents {
    pub(super) fn note(&mut self, event: &AgentEvent) {
        self.note_name(&event.name);
    }

    pub(super) fn note_name(&mut self, name: &str) {
        *self.names.entry(name.to_owned()).or_default() += 1;
    }

    /// Says this too.
    pub(super) fn add(&mut self, found: String) {
        self.besides = Some(found);
    }

    fn say(&self) -> String {
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
            "nothing came".to_owned()
        } else {
            format!("what came: {listed}{more}")
        }
    }
}

/// Why the agent is killed when this budget has run out: it had all the time that the dialect allows, and whatever it still owes is
/// overdue. A shorter wait that a step names of its own says nothing of that.
fn run_out(budget: &str) -> Option<&'static str> {
    match budget {
        "start" => Some("budget:start"),
        "response" => Some("budget:response"),
        "idle" => Some("budget:idle"),
        "total" => Some("budget:total"),
        _ => None,
    }
}

impl ScenarioPlayer {
    /// A step waited in vain.
    pub(super) fn missed(
        &mut self,
        rule: &'static str,
        more: &WaitResult,
        seen: &ReceivedEvents,
        nearest: NearestMatch,
        expected: Vec<String>,
    ) -> EarlyStop {
        let (mut message, kill) = match more {
            WaitResult::Late(name, length) => (
                format!("it did not come {}", late(name, *length)),
                run_out(name),
            ),
            WaitResult::Came | WaitResult::Over => {
                (format!("{} before it came", self.how_it_ended()), None)
            }
        };
        message += "; ";
        message += &if self.session.heard {
            seen.say()
        } else {
            "the agent has written nothing".to_owned()
        };
        if let Some(found) = &seen.besides {
            message += &format!("; {found}");
        }
        let named = &self.suite.dialect.events.discriminator;
        // An event of another name is not near at all.
        let nearest = nearest.filter(|(_, difference)| difference.pointer != *named);
        if let Some((frame, difference)) = &nearest {
            message += &format!("; nearest is frame {frame}, {difference}");
        }
        let unfinished = self.queue.unfinished();
        if unfinished > 0 {
            message += &format!("; and {unfinished} bytes of a line that has not ended");
        }
        let near = match nearest {
            Some((frame, difference)) => BlamedFrame::Frame(frame, difference.pointer),
            _ if matches!(more, WaitResult::Over) => BlamedFrame::Newest,
            _ => BlamedFrame::Nothing,
        };
        self.charge(StepFinding {
            near,
            expected,
            ..StepFinding::new(rule, message)
        });
        EarlyStop::Failed(kill)
    }
}
