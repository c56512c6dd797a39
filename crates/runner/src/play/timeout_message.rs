//! The timeout message of a step: what was expected, what was received instead, and which event came closest.

use super::awaited::Awaited;
use super::context::EarlyStop;
use super::event_log::AgentEvent;
use super::event_loop::{WaitResult, describe_timeout};
use super::player::ScenarioPlayer;
use super::step_finding::{BlamedFrame, StepFinding};
use crate::step_rules;
use conform_judge::dialect::OpenRequest;
use conform_judge::finding::{Blame, DifferenceKind};
use indexmap::IndexMap;
use json_matcher::Mismatch;

/// What was received while a step waited.
#[derive(Debug, Default)]
pub(super) struct ReceivedEvents {
    names: IndexMap<String, u64>,
    /// What is wrong, where the step knows it, as the beginning of the message.
    pub(super) cause: String,
}

/// The frame that came closest to matching, and its differences.
pub(super) type NearestMatch = Option<(u64, Vec<Mismatch>)>;

/// The maximum number of listed names.
const NAMES: usize = 12;

impl ReceivedEvents {
    pub(super) fn add(&mut self, event: &AgentEvent) {
        self.add_name(&event.name);
    }

    pub(super) fn add_name(&mut self, name: &str) {
        *self.names.entry(name.to_owned()).or_default() += 1;
    }

    /// What was received; `since` is the start of that time.
    fn describe(&self, since: &str) -> String {
        if self.names.is_empty() {
            return format!("the agent wrote nothing {since}");
        }
        let names = self.names.iter().take(NAMES);
        let mut listed: Vec<String> = names
            .map(|(name, times)| match times {
                1 => name.clone(),
                _ => format!("{name} ({times} times)"),
            })
            .collect();
        if self.names.len() > NAMES {
            listed.push("…".to_owned());
        }
        format!("received: {}", listed.join(", "))
    }
}

/// The reason to kill the agent when this timeout has run out: it had all the time that the dialect allows. `None` for a timeout that the
/// step itself names, which may be shorter.
pub(super) fn kill_reason(budget: &str) -> Option<&'static str> {
    match budget {
        "start" => Some("budget:start"),
        "response" => Some("budget:response"),
        "idle" => Some("budget:idle"),
        "smoke" => Some("budget:smoke"),
        "total" => Some("budget:total"),
        _ => None,
    }
}

/// How the nearest event differs, as the end of a sentence whose subject is the event.
pub(super) fn describe_difference(frame: u64, difference: &Mismatch) -> String {
    let Mismatch {
        pointer,
        expected,
        actual,
        ..
    } = difference;
    match (pointer.as_str(), actual.as_str()) {
        ("", actual) => format!("came as {actual} in frame {frame}, where {expected} is expected"),
        (place, "nothing") => {
            format!("came without {place} in frame {frame}, where {expected} is expected")
        }
        (place, actual) => {
            format!("came with {place} = {actual} in frame {frame}, where {expected} is expected")
        }
    }
}

/// That nothing more can come, as the end of a sentence.
const NOTHING_LEFT: &str = "and the agent has nothing left to do";

impl ScenarioPlayer {
    /// The last command of the host, as a time.
    fn since(&self) -> String {
        match &self.session.last_command {
            Some(command) => format!("after the host sent `{command}`"),
            None => "since the agent was started".to_owned(),
        }
    }

    /// Adds the finding of a step that waited without success. The cause comes first: what came instead, or how the agent ended.
    pub(super) fn timed_out(
        &mut self,
        rule: &'static str,
        result: &WaitResult,
        received: &ReceivedEvents,
        nearest: NearestMatch,
        awaited: Awaited,
    ) -> EarlyStop {
        let subject = &awaited.subject;
        let named = &self.suite.dialect.events.discriminator;
        // An event of another name is not close.
        let (nearest, others) = nearest
            .filter(|(_, all)| all.first().is_some_and(|first| first.pointer != *named))
            .map_or_else(Default::default, |(frame, mut all)| {
                (Some((frame, all.remove(0))), Some((frame, all)))
            });
        let near = nearest
            .as_ref()
            .map(|(frame, difference)| describe_difference(*frame, difference));
        let mut message = match (result, &near) {
            (WaitResult::TimedOut(..) | WaitResult::Settled(_), _)
                if !received.cause.is_empty() =>
            {
                format!("{}, and that did not change", received.cause)
            }
            _ if !received.cause.is_empty() => {
                format!("{}, and {}", received.cause, self.how_it_ended())
            }
            (WaitResult::TimedOut(..) | WaitResult::Settled(_), Some(near)) => {
                let is_one = awaited.names.len() == 1 && awaited.expected.len() == 1;
                let of_several = format!("{subject} did not come: the nearest event");
                let subject = if is_one { subject } else { &of_several };
                format!("{subject} {near}, and no other came")
            }
            (WaitResult::TimedOut(..) | WaitResult::Settled(_), None) => {
                format!("{subject} did not come")
            }
            (_, Some(near)) => {
                let end = self.how_it_ended();
                format!("{end} before {subject} came as expected; the nearest {near}")
            }
            (_, None) => format!("{} before {subject} came", self.how_it_ended()),
        };
        let is_timeout = matches!(result, WaitResult::TimedOut(..) | WaitResult::Settled(_));
        let left_open = self
            .left_open()
            .filter(|_| is_timeout && self.session.process.is_stdin_open());
        let blame = if let Some(OpenRequest { method, frame, .. }) = left_open {
            message = format!(
                "{subject} did not come, and the agent may wait for the host: the scenario left `{method}` of frame {frame} open; send `{method}.result`, or answer it under `answers`"
            );
            Blame::Host
        } else {
            Blame::Agent
        };
        let kill = match result {
            WaitResult::TimedOut(name, length) => {
                message += &format!(" {}", describe_timeout(name, *length));
                kill_reason(name)
            }
            WaitResult::Settled(name) => {
                message += &format!(", {NOTHING_LEFT}");
                kill_reason(name).map(|_| "budget:settle")
            }
            WaitResult::Event | WaitResult::AgentEnded => None,
        };
        if let Some(earlier) = &awaited.earlier {
            message += &format!("; {earlier}");
        }
        message += "; ";
        message += &if self.session.has_written {
            received.describe(&self.since())
        } else {
            "the agent has written nothing".to_owned()
        };
        let unfinished = self.queue.unfinished();
        if unfinished > 0 {
            message += &format!("; and {unfinished} bytes of an unfinished line");
        }
        let has_ended = matches!(result, WaitResult::AgentEnded);
        let first = awaited.names.first().cloned();
        let (frame, kind, name) = match nearest {
            // The end of the agent explains why a request did not come, independent of earlier requests.
            Some((frame, difference)) if !has_ended || first.is_some() => {
                // Of several events in any order none has this difference alone.
                let name = first.filter(|_| rule != step_rules::UNORDERED);
                let frame = BlamedFrame::Number(frame, difference.pointer);
                (frame, DifferenceKind::WrongValue, name)
            }
            _ if has_ended => (BlamedFrame::Newest, DifferenceKind::Ended, first),
            _ => (BlamedFrame::None, DifferenceKind::Absent, first),
        };
        let clauses = self.clauses_about(&awaited.names);
        self.add_finding(StepFinding {
            frame,
            clauses: Some(clauses),
            expected: awaited.expected.clone(),
            blame,
            ..StepFinding::new(rule, message, kind)
                .about(name)
                .after(awaited.command.as_ref())
        });
        if let Some((frame, others)) = others.filter(|_| blame == Blame::Agent) {
            self.differs(rule, frame, others, &awaited, "");
        }
        if self.scenario.rules_only {
            let is_hung = matches!(result, WaitResult::TimedOut(..)) && self.is_waited_for();
            return match kill.filter(|_| is_hung) {
                None => EarlyStop::Missed,
                budget => EarlyStop::Failed(budget),
            };
        }
        EarlyStop::Failed(kill)
    }
}
