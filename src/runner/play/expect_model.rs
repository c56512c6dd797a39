//! Steps that wait for the model: for a request to it, or for the end of an answer.

use super::context::EarlyStop;
use super::event_loop::WaitResult;
use super::player::ScenarioPlayer;
use super::step_finding::{BlamedFrame, StepFinding};
use super::timeout_message::ReceivedEvents;
use crate::finding::Level;
use crate::frame::ReplyEnd;
use crate::matcher::RequestMatcher;
use crate::runner::step_rules;
use crate::scenario::types::Step;
use mock_provider::{Failure, FailureKind};

impl ScenarioPlayer {
    /// Waits until a request that matches has reached the model.
    pub(super) async fn expect_request(
        &mut self,
        step: &Step,
        matcher: &RequestMatcher,
    ) -> Result<(), EarlyStop> {
        let mut wait = self.wait_for_event(step).aside();
        let mut seen = ReceivedEvents::default();
        let mut nearest = None;
        loop {
            while let Some((n, request)) = self.session.requests.pop_front() {
                match matcher.matches(&request, &self.captures) {
                    Ok(()) => {
                        let Err(lacking) = self.captures.take(&step.capture, &request.body) else {
                            self.checked();
                            return Ok(());
                        };
                        let message =
                            format!("the request has not what the step captures: {lacking}");
                        self.charge(StepFinding {
                            near: BlamedFrame::Frame(n, String::new()),
                            ..StepFinding::new(step_rules::EXPECT_REQUEST, message)
                        });
                        return Err(EarlyStop::Failed(None));
                    }
                    Err(difference) => nearest = Some((n, difference)),
                }
                seen.note_name(&format!("POST {}", request.path));
            }
            let more = self.more(&mut wait).await?;
            if !matches!(more, WaitResult::Came) {
                let expected = vec![matcher.describe(&self.captures)];
                return Err(self.missed(
                    step_rules::EXPECT_REQUEST,
                    &more,
                    &seen,
                    nearest,
                    expected,
                ));
            }
        }
    }

    /// Waits until an answer of the model has ended in this way.
    pub(super) async fn expect_reply(
        &mut self,
        step: &Step,
        end: ReplyEnd,
    ) -> Result<(), EarlyStop> {
        let mut wait = self.wait_for_event(step).aside();
        let mut seen = ReceivedEvents::default();
        loop {
            while let Some(reply) = self.session.replies.pop_front() {
                if reply.end == end {
                    self.checked();
                    return Ok(());
                }
                seen.note_name(&format!("answer {} ({})", reply.n, reply.end.as_str()));
            }
            let more = self.more(&mut wait).await?;
            if !matches!(more, WaitResult::Came) {
                let expected = vec![format!("an answer that ends as {}", end.as_str())];
                return Err(self.missed(step_rules::EXPECT_REPLY, &more, &seen, None, expected));
            }
        }
    }

    /// Makes a finding of what the model found wrong.
    pub(super) fn model_failure(&mut self, failure: &Failure) {
        let own = self.scenario.level;
        let (rule, level) = match failure.kind {
            FailureKind::RanDry | FailureKind::Unmatched => {
                return self.requests.not_foreseen(failure);
            }
            FailureKind::Beside => return self.requests.beside(failure),
            FailureKind::Repeated if !self.requests.is_spontaneous(failure) => return,
            FailureKind::Repeated => (step_rules::SCRIPT, own),
            FailureKind::Expectation => (step_rules::REQUEST, own),
            FailureKind::Unused if self.demands(failure) => (step_rules::REQUEST, own),
            FailureKind::Unused => (step_rules::SCRIPT, own.min(Level::Should)),
            FailureKind::Refused => (step_rules::REFUSED, own.min(Level::Should)),
        };
        let mut message = failure.message.clone();
        if let Some(actual) = &failure.actual {
            message = format!("{message}: got {actual}");
        }
        let clauses = match rule {
            step_rules::REQUEST => self.scenario.clauses.clone(),
            _ => Vec::new(),
        };
        self.requests.accuse(failure, self.findings.len());
        self.charge(StepFinding {
            level: Some(level),
            clauses: Some(clauses),
            expected: failure.expected.iter().cloned().collect(),
            key: Some(format!("model{}", failure.pointer)),
            ..StepFinding::new(rule, message)
        });
    }

    /// Whether the reply that a failure is about demands something of its request.
    fn demands(&self, failure: &Failure) -> bool {
        let index = failure.pointer.split('/').nth(1);
        index
            .and_then(|index| self.script.replies.get(index.parse::<usize>().ok()?))
            .is_some_and(|reply| reply.expect_request.is_some())
    }
}
