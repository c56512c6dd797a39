//! Steps that wait for the model (`expect_request`, `expect_reply`), and findings of the model itself about the agent's requests.

use super::awaited::Awaited;
use super::context::EarlyStop;
use super::player::ScenarioPlayer;
use super::step_finding::StepFinding;
use super::timeout_message::ReceivedEvents;
use crate::scenario::RequestMatcher;
use crate::scenario::types::Step;
use crate::step_rules;
use conform_judge::finding::{DifferenceKind, Expected, Finding, Level, Part};
use conform_judge::frame::ReplyEnd;
use mock_provider::{FailureKind, ScriptFailure};

/// What the author of an agent can do about its own requests to the model.
const UNFORESEEN_ADVICE: &str = "requests of the conversation only: switch off titles, summaries and the like for the test, or accept this in a baseline (`--update-baseline`)";

impl ScenarioPlayer {
    /// Waits for a request to the model that matches.
    pub(super) async fn expect_request(
        &mut self,
        step: &Step,
        lane: Option<&str>,
        matcher: &RequestMatcher,
    ) -> Result<(), EarlyStop> {
        let mut wait = self.wait_for_event(step).without_stdout();
        let mut received = ReceivedEvents::default();
        let mut nearest = None;
        let found = self.wait_until(&mut wait, |player| {
            while let Some((n, request)) = player.session.next_request(lane) {
                match matcher.matches(&request, &player.captures) {
                    Ok(()) => return Some((n, request)),
                    Err(difference) => nearest = Some((n, vec![difference])),
                }
                received.add_name(&format!("POST {}", request.path));
            }
            None
        });
        let rule = step_rules::EXPECT_REQUEST;
        let (n, request) = match found.await? {
            Ok(found) => found,
            Err(result) => {
                let subject = match lane {
                    Some(lane) => &format!("the expected request of the lane `{lane}`"),
                    None => "the expected request to the model",
                };
                let awaited = Awaited::thing(subject, matcher.in_words(&self.captures));
                return Err(self.timed_out(rule, &result, &received, nearest, awaited));
            }
        };
        let Err(missing) = self.captures.take(&step.capture, &request.body) else {
            self.step_passed();
            return Ok(());
        };
        let message = format!("the request lacks what the scenario needs of it: {missing}");
        let found = StepFinding::new(rule, message, DifferenceKind::WrongValue);
        Err(self.fail(found.at(n)))
    }

    /// Waits for a reply of the model that has ended in this way.
    pub(super) async fn expect_reply(
        &mut self,
        step: &Step,
        end: ReplyEnd,
    ) -> Result<(), EarlyStop> {
        let mut wait = self.wait_for_event(step).without_stdout();
        let mut received = ReceivedEvents::default();
        let found = self.wait_until(&mut wait, |player| {
            while let Some(reply) = player.session.replies.pop_front() {
                if reply.end == end {
                    return Some(());
                }
                received.add_name(&format!("answer {} ({})", reply.n, reply.end.as_str()));
            }
            None
        });
        let Err(result) = found.await? else {
            self.step_passed();
            return Ok(());
        };
        let awaited = Awaited::thing(reply_end(end), reply_end(end).to_owned());
        Err(self.timed_out(step_rules::EXPECT_REPLY, &result, &received, None, awaited))
    }

    /// Adds a finding for a failure that the model reports.
    pub(super) fn model_failure(&mut self, failure: &ScriptFailure) {
        let own = self.scenario.level;
        let (rule, level) = match failure.kind {
            FailureKind::Exhausted | FailureKind::Unmatched => {
                let is_violation = self.check_unasked(failure);
                let note = (!is_violation).then(|| self.unforeseen_note(failure));
                return self.requests.add_unscripted(failure, note);
            }
            FailureKind::SideRequest => {
                let note = self.unforeseen_note(failure);
                return self.requests.add_aside(failure, Some(note));
            }
            FailureKind::NotServed => return,
            FailureKind::Repeated if !self.requests.is_spontaneous(failure) => return,
            FailureKind::Repeated => (step_rules::SCRIPT, own),
            FailureKind::Expectation => (step_rules::REQUEST, own),
            FailureKind::Unused if self.has_expectation(failure) => (step_rules::REQUEST, own),
            FailureKind::Unused => (step_rules::SCRIPT, own.min(Level::Should)),
            FailureKind::Refused => (step_rules::REFUSED, own.min(Level::Should)),
        };
        let mut message = failure.message.clone();
        if let Some(actual) = &failure.actual {
            message += &format!(": got {actual}");
        }
        let (kind, clauses) = match rule {
            step_rules::SCRIPT => (DifferenceKind::Condition, Vec::new()),
            step_rules::REQUEST => (DifferenceKind::WrongValue, self.scenario.clauses.clone()),
            _ => (DifferenceKind::WrongValue, Vec::new()),
        };
        self.requests.link_finding(failure, self.findings.len());
        self.add_finding(StepFinding {
            level: Some(level),
            clauses: Some(clauses),
            expected: failure.expected.iter().cloned().map(Into::into).collect(),
            part: Some(Part::Model(failure.pointer.clone())),
            ..StepFinding::new(rule, message, kind)
        });
    }

    /// The note that the agent asked for more than the scenario expects. Whether that is right is unknown, so it is not a violation.
    fn unforeseen_note(&self, failure: &ScriptFailure) -> Finding {
        self.finding(StepFinding {
            level: Some(Level::May),
            clauses: Some(Vec::new()),
            expected: vec![Expected::from(UNFORESEEN_ADVICE.to_owned())],
            part: Some(Part::Whole),
            ..StepFinding::new(
                step_rules::UNFORESEEN,
                format!("the agent asked its model for more than the scenario foresees: {failure}"),
                DifferenceKind::Unexpected,
            )
            .about(Some("@request".to_owned()))
        })
    }

    /// Whether the reply that a failure is about has an `expect_request`.
    fn has_expectation(&self, failure: &ScriptFailure) -> bool {
        let index = failure.pointer.split('/').nth(1);
        index
            .and_then(|index| self.script.replies.get(index.parse::<usize>().ok()?))
            .is_some_and(|reply| reply.expect_request.is_some())
    }
}

/// A reply of the model that ends in this way, in words.
fn reply_end(end: ReplyEnd) -> &'static str {
    match end {
        ReplyEnd::Complete => "the whole answer of the model",
        ReplyEnd::ClientClosed => "the end of the request by the agent",
        ReplyEnd::Cut => "the end of an answer that is cut short",
    }
}
