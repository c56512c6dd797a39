//! Steps that wait for events: `expect`, `expect_next`, `expect_none` and `expect_text`.

use super::agent_session::AgentEvent;
use super::awaited::Awaited;
use super::context::EarlyStop;
use super::event_loop::{EventWait, WaitResult};
use super::player::ScenarioPlayer;
use super::step_finding::{BlamedFrame, StepFinding};
use super::text_difference::describe_text_difference;
use super::timeout_message::{NearestMatch, ReceivedEvents, describe_difference};
use crate::scenario::types::{Barrier, JoinedText, Step};
use crate::step_rules;
use json_matcher::{Closest, Matcher, Mismatch};
use serde_json::Value;

impl ScenarioPlayer {
    /// Waits for an event that matches, and ignores those before it.
    pub(super) async fn expect(&mut self, step: &Step, matcher: &Matcher) -> Result<(), EarlyStop> {
        let mut wait = self.wait_for_event(step);
        let (mut received, mut closest) = (ReceivedEvents::default(), Closest::default());
        loop {
            while let Some(event) = self.session.events.pop_front() {
                if matcher.matches(&event.value, &self.captures).is_ok() {
                    return self.matched(step, step_rules::EXPECT, &event);
                }
                received.add(&event);
                if event.value.is_object() {
                    closest.offer(event.n, matcher, &event.value, &self.captures);
                }
            }
            let result = self.next_event(&mut wait).await?;
            if !matches!(result, WaitResult::Event) {
                let awaited = self.awaited(matcher);
                let nearest = nearest(&closest);
                return Err(self.timed_out(
                    step_rules::EXPECT,
                    &result,
                    &received,
                    nearest,
                    awaited,
                ));
            }
        }
    }

    /// Requires that the next event matches.
    pub(super) async fn expect_next(
        &mut self,
        step: &Step,
        matcher: &Matcher,
    ) -> Result<(), EarlyStop> {
        let mut wait = self.wait_for_event(step);
        loop {
            if let Some(event) = self.session.events.pop_front() {
                let Err(difference) = matcher.matches(&event.value, &self.captures) else {
                    return self.matched(step, step_rules::EXPECT_NEXT, &event);
                };
                let awaited = self.awaited(matcher);
                let message = match difference.pointer == self.suite.dialect.events.discriminator {
                    true => format!(
                        "`{}` came, where {} must be next",
                        event.name, awaited.subject
                    ),
                    false => format!(
                        "`{}` {}",
                        event.name,
                        describe_difference(event.n, &difference)
                    ),
                };
                self.add_finding(StepFinding {
                    clauses: Some(self.clauses_about(&awaited.names)),
                    frame: BlamedFrame::Number(event.n, difference.pointer),
                    expected: awaited.expected,
                    ..StepFinding::new(step_rules::EXPECT_NEXT, message)
                });
                return Err(EarlyStop::Failed(None));
            }
            let result = self.next_event(&mut wait).await?;
            if !matches!(result, WaitResult::Event) {
                let awaited = self.awaited(matcher);
                let received = ReceivedEvents::default();
                return Err(self.timed_out(
                    step_rules::EXPECT_NEXT,
                    &result,
                    &received,
                    None,
                    awaited,
                ));
            }
        }
    }

    /// Requires that an event does not come before the barrier.
    pub(super) async fn expect_none(
        &mut self,
        step: &Step,
        not: &Matcher,
        until: &Barrier,
    ) -> Result<(), EarlyStop> {
        let mut wait = match until {
            Barrier::Event(_) => self.wait_for_event(step),
            Barrier::End => {
                let own = step
                    .within
                    .map(|within| ("within", self.budgets.scaled(within)));
                EventWait::for_event_within(own.unwrap_or(("exit", self.budgets.exit)))
            }
            Barrier::Quiet(window) => {
                EventWait::for_event_within(("quiet", self.budgets.scaled(*window)))
            }
        };
        let mut received = ReceivedEvents::default();
        loop {
            while let Some(event) = self.session.events.pop_front() {
                if not.matches(&event.value, &self.captures).is_ok() {
                    let message =
                        format!("`{}` came, {}", event.name, self.not_before(until, &event));
                    self.add_finding(StepFinding {
                        frame: BlamedFrame::Number(event.n, String::new()),
                        expected: vec![format!("no {}", not.in_words(&self.captures))],
                        ..StepFinding::new(step_rules::EXPECT_NONE, message)
                    });
                    return Err(EarlyStop::Failed(None));
                }
                if let Barrier::Event(barrier) = until
                    && barrier.matches(&event.value, &self.captures).is_ok()
                {
                    self.step_passed();
                    return Ok(());
                }
                received.add(&event);
            }
            // Without a barrier event the end of stdout, or of the process, is the proof.
            let ended = match until {
                Barrier::Event(_) => false,
                Barrier::End => self.session.stdout_end.is_some() || self.session.end.is_some(),
                Barrier::Quiet(_) => self.session.end.is_some(),
            };
            if ended {
                self.step_passed();
                return Ok(());
            }
            match self.next_event(&mut wait).await? {
                WaitResult::Event => {}
                WaitResult::TimedOut("quiet", _) | WaitResult::AgentEnded
                    if matches!(until, Barrier::Quiet(_)) =>
                {
                    self.step_passed();
                    return Ok(());
                }
                more => {
                    let awaited = match until {
                        Barrier::Event(barrier) => self.awaited(barrier),
                        _ => Awaited::thing(
                            "the end of its stdout",
                            "the end of its stdout".to_owned(),
                        ),
                    };
                    return Err(self.timed_out(
                        step_rules::EXPECT_NONE,
                        &more,
                        &received,
                        None,
                        awaited,
                    ));
                }
            }
        }
    }

    /// That an event must not come before the barrier, as the end of a sentence.
    fn not_before(&self, until: &Barrier, event: &AgentEvent) -> String {
        match until {
            // The name alone does not distinguish the two.
            Barrier::Event(barrier) if self.event_name(barrier).as_ref() == Some(&event.name) => {
                let barrier = barrier.in_words(&self.captures);
                format!("which must not come before the next one: {barrier}")
            }
            Barrier::Event(barrier) if self.event_name(barrier).is_some() => {
                let awaited = self.awaited(barrier);
                format!("which must not come before {}", awaited.subject)
            }
            Barrier::End => "which must not come before the agent ends".to_owned(),
            Barrier::Event(_) | Barrier::Quiet(_) => "which must not come here".to_owned(),
        }
    }

    /// Joins the pieces of a text until the events that end it, and requires that the result is the whole text.
    pub(super) async fn expect_text(
        &mut self,
        step: &Step,
        text: &JoinedText,
    ) -> Result<(), EarlyStop> {
        let mut wait = self.wait_for_event(step);
        let mut received = ReceivedEvents::default();
        let mut joined = String::new();
        let mut open: Vec<&Matcher> = text.until.iter().collect();
        loop {
            while let Some(event) = self.session.events.pop_front() {
                if text.of.matches(&event.value, &self.captures).is_ok() {
                    joined += event
                        .value
                        .pointer(&text.at)
                        .and_then(Value::as_str)
                        .unwrap_or_default();
                }
                received.add(&event);
                let met = |until: &&Matcher| until.matches(&event.value, &self.captures).is_ok();
                if let Some(met) = open.iter().position(met) {
                    open.remove(met);
                }
                if !open.is_empty() {
                    continue;
                }
                if text.is_met_by(&joined) {
                    self.step_passed();
                    return Ok(());
                }
                let message = describe_text_difference(&text.is, &joined);
                self.add_finding(StepFinding {
                    frame: BlamedFrame::Number(event.n, String::new()),
                    expected: vec![format!("{:?}", text.is)],
                    ..StepFinding::new(step_rules::EXPECT_TEXT, message)
                });
                return Err(EarlyStop::Failed(None));
            }
            let result = self.next_event(&mut wait).await?;
            if !matches!(result, WaitResult::Event) {
                let awaited = self.all_awaited(open);
                return Err(self.timed_out(
                    step_rules::EXPECT_TEXT,
                    &result,
                    &received,
                    None,
                    awaited,
                ));
            }
        }
    }

    pub(super) fn wait_for_event(&self, step: &Step) -> EventWait {
        let wait = match step.within {
            Some(within) => EventWait::for_event_within(("within", self.budgets.scaled(within))),
            None => EventWait::for_event(),
        };
        wait.settling(self.budgets.settle)
    }

    fn matched(
        &mut self,
        step: &Step,
        rule: &'static str,
        event: &AgentEvent,
    ) -> Result<(), EarlyStop> {
        let Err(missing) = self.captures.take(&step.capture, &event.value) else {
            self.step_passed();
            return Ok(());
        };
        let message = format!(
            "`{}` came without what the scenario needs of it: {missing}",
            event.name
        );
        self.add_finding(StepFinding {
            frame: BlamedFrame::Number(event.n, String::new()),
            expected: vec![missing.expected],
            ..StepFinding::new(rule, message)
        });
        Err(EarlyStop::Failed(None))
    }
}

/// The event that came closest to matching, with its first difference.
pub(super) fn nearest(closest: &Closest<u64>) -> NearestMatch {
    let (n, differences): (&u64, &[Mismatch]) = closest.get()?;
    Some((*n, differences.first()?.clone()))
}
